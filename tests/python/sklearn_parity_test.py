# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The estimators of mlp.sklearn end where scikit-learn's end."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlp.sklearn

sklearn = pytest.importorskip("sklearn")
from sklearn import datasets  # noqa: E402
from sklearn import neural_network as theirs  # noqa: E402
from sklearn.preprocessing import StandardScaler, scale  # noqa: E402

SEEDS = (0, 1, 2)
HIDDEN = (8,)
# Both start at the same weights and take the same steps, up to rounding. Where the
# roundings grow over hundreds of iterations, the ends may be different minima: the
# median of the seeds and each seed are therefore compared separately.
MOST_LOSS = 1.01
LEAST_R2 = -0.01


def bundled(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return scale(X[:300]), y[:300]


def linnerud() -> tuple[np.ndarray, np.ndarray]:
    X, y = datasets.load_linnerud(return_X_y=True)
    return scale(X), y


def classes(kind: int) -> tuple[np.ndarray, np.ndarray]:
    return datasets.make_classification(
        150, 8, n_informative=5, n_classes=kind, flip_y=0.05, random_state=kind
    )


CLASSIFICATIONS: dict[str, Callable[[], Any]] = {
    "iris": lambda: bundled("iris"),
    "wine": lambda: bundled("wine"),
    "breast cancer": lambda: bundled("breast_cancer"),
    "digits": lambda: bundled("digits"),
    "two classes": lambda: classes(2),
    "three classes": lambda: classes(3),
    "four classes": lambda: classes(4),
    "moons": lambda: datasets.make_moons(150, noise=0.2, random_state=0),
    "circles": lambda: datasets.make_circles(150, noise=0.1, factor=0.5, random_state=0),
    "blobs": lambda: datasets.make_blobs(150, random_state=0),
}
REGRESSIONS: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True),
    "linnerud": linnerud,
    "linnerud standardised": lambda: (linnerud()[0], scale(linnerud()[1])),
    "friedman 1": lambda: datasets.make_friedman1(150, random_state=0),
    "friedman 2": lambda: (scale((data := datasets.make_friedman2(150, random_state=0))[0]),
                           data[1]),
    "friedman 3": lambda: (scale((data := datasets.make_friedman3(150, random_state=0))[0]),
                           data[1]),
    "linear": lambda: datasets.make_regression(150, 8, noise=5.0, random_state=0),
    "three targets": lambda: datasets.make_regression(
        150, 5, n_targets=3, noise=1.0, bias=100.0, random_state=1
    ),
    "sparse": lambda: datasets.make_sparse_uncorrelated(150, random_state=0),
    "far from 0": lambda: (lambda X, y: (X, y + 1e4))(
        *datasets.make_regression(150, 4, noise=1.0, random_state=2)
    ),
}


def fit_both(kind: str, X: Any, y: Any, **options: Any) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(
            getattr(module, kind)(hidden_layer_sizes=HIDDEN, **options).fit(X, y)
            for module in (mlp.sklearn, theirs)
        )


@pytest.mark.parametrize("name", CLASSIFICATIONS)
def test_lbfgs_has_the_loss_of_scikit_learn_for_classes(name) -> None:
    X, y = CLASSIFICATIONS[name]()
    for seed in SEEDS:
        ours, other = fit_both("MLPClassifier", X, y, solver="lbfgs", random_state=seed)
        assert ours.loss_ <= MOST_LOSS * other.loss_, seed


@pytest.mark.parametrize("name", REGRESSIONS)
def test_lbfgs_has_the_loss_and_r2_of_scikit_learn_for_numbers(name) -> None:
    X, y = REGRESSIONS[name]()
    for seed in SEEDS:
        ours, other = fit_both("MLPRegressor", X, y, solver="lbfgs", random_state=seed)
        assert ours.loss_ <= MOST_LOSS * other.loss_, seed
        assert ours.score(X, y) >= other.score(X, y) + LEAST_R2, seed
