# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators."""

import warnings

import pytest

import mlp
import mlp.sklearn

checks = pytest.importorskip("sklearn.utils.estimator_checks")

ESTIMATORS = [
    mlp.MLPClassifier(),
    mlp.MLPRegressor(),
    mlp.sklearn.MLPClassifier(solver="lbfgs", random_state=0),
    mlp.sklearn.MLPRegressor(solver="lbfgs", random_state=0, max_iter=500),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: f"{type(e).__module__}.{e}")
def test_passes_the_checks_of_scikit_learn(estimator) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks.check_estimator(estimator)
