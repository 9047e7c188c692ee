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
    mlp.MLPClassifier(effort="quick"),
    mlp.MLPRegressor(effort="quick"),
    mlp.sklearn.MLPClassifier(solver="lbfgs", random_state=0),
    mlp.sklearn.MLPRegressor(solver="lbfgs", random_state=0, max_iter=500),
]


# The rows of weight 2 are in one fold, the same rows twice may be in two.
FOLDS_DIFFER = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds choose encoding and penalty"
    for kind in ("dense", "sparse")
}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: f"{type(e).__module__}.{e}")
def test_passes_the_checks_of_scikit_learn(estimator) -> None:
    selects = getattr(estimator, "effort", "quick") != "quick"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks.check_estimator(
            estimator, expected_failed_checks=FOLDS_DIFFER if selects else {}
        )
