# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The estimators of mlp.sklearn end where scikit-learn's end."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlp.sklearn

sklearn = pytest.importorskip("sklearn")
from sklearn import datasets  # noqa: E402
from sklearn import neural_network as theirs  # noqa: E402
from sklearn.preprocessing import scale  # noqa: E402

SEEDS = (0, 1, 2)
HIDDEN = (8,)
# Both start at the same weights and take the same steps. Roundings grow along kinks and
# valleys, so that after some hundred iterations one run may end in another minimum.
FIRST_STEPS = 6
SAME_STEPS = 1e-9
MOST_LOSS = 1.01
LEAST_R2 = -0.01
# A penalty with which most trainings converge.
CONVERGING = {"alpha": 10.0, "max_iter": 1000}
LEAST_SHARE = 0.75


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


SETS = [("MLPClassifier", name) for name in CLASSIFICATIONS] + [
    ("MLPRegressor", name) for name in REGRESSIONS
]


def fit_both(kind: str, name: str, seed: int, **options: Any) -> tuple[float, float]:
    """Returns their ratio of losses, and the difference of their scores."""
    X, y = (CLASSIFICATIONS | REGRESSIONS)[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, other = (
            getattr(module, kind)(
                hidden_layer_sizes=HIDDEN, solver="lbfgs", random_state=seed, **options
            ).fit(X, y)
            for module in (mlp.sklearn, theirs)
        )
    return ours.loss_ / other.loss_, ours.score(X, y) - other.score(X, y)


# scikit-learn's loss of several targets is a mean, and its gradient that of the sum.
@pytest.mark.parametrize(
    "kind, name", [one for one in SETS if not one[1].startswith(("linnerud", "three targets"))]
)
def test_lbfgs_takes_the_steps_of_scikit_learn(kind, name) -> None:
    ratios = [fit_both(kind, name, seed, max_iter=FIRST_STEPS)[0] for seed in SEEDS]
    assert np.median(np.abs(np.array(ratios) - 1.0)) < SAME_STEPS


@pytest.mark.parametrize("kind, name", SETS)
def test_lbfgs_has_the_final_loss_and_r2_of_scikit_learn(kind, name) -> None:
    ratios, scores = zip(*(fit_both(kind, name, seed, **CONVERGING) for seed in SEEDS))
    assert np.median(ratios) <= MOST_LOSS
    if kind == "MLPRegressor":
        assert np.median(scores) >= LEAST_R2


def test_lbfgs_has_the_losses_of_scikit_learn_with_its_defaults() -> None:
    ratios = np.array([fit_both(*one, seed)[0] for one in SETS for seed in SEEDS])
    assert len(ratios) == 60
    assert np.mean(ratios <= MOST_LOSS) >= LEAST_SHARE
    assert np.median(ratios) <= MOST_LOSS


def test_lbfgs_reads_tol_as_the_largest_element_of_the_gradient() -> None:
    X, y = linnerud()
    options = {"solver": "lbfgs", "random_state": 0, "max_iter": 500}
    loose, tight = (
        mlp.sklearn.MLPRegressor("squared_error", (8,), tol=tol, **options).fit(X, scale(y))
        for tol in (0.1, 1e-6)
    )
    assert loose.convergence_reason_ == "gradientConverged"
    assert tight.total_iterations_ > loose.total_iterations_
    assert tight.loss_ < loose.loss_
