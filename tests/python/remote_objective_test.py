# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings whose objective a Python function computes."""

from typing import Any

import numpy as np
import pytest

from mlp import _core, errors

ROUNDING = 1e-11
LAYERS = "4,5,3"


def make_settings(**options: str) -> Any:
    settings = _core.Settings()
    settings.params = _core.Params()
    for name, text in {"layers": LAYERS, "seed": "1", "maxIter": "30", **options}.items():
        settings.params.set(name, text)
    return settings


def evaluate(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    return _core.evaluate(make_settings(), _core.Instances(X, y), weights)


@pytest.mark.parametrize("solver", ["l-bfgs", "gd"])
@pytest.mark.parametrize("reg_param", ["0", "0.01"])
def test_the_sum_over_partitions_trains_as_all_rows(iris, solver, reg_param) -> None:
    X, y = iris[0], iris[1].astype(np.float64)
    settings = make_settings(solver=solver, regParam=reg_param)
    settings.partition_sizes = [70, 80]
    expected = _core.fit(settings, _core.Instances(X, y)).model

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        # Both partitions are one block, and the objective is the mean over blocks.
        value, gradient = evaluate(X[:70], y[:70], weights)
        other, other_gradient = evaluate(X[70:], y[70:], weights)
        return (value + other) / 2, (gradient + other_gradient) / 2

    settings.partition_sizes = []
    model = _core.minimize(settings, 150, objective).model

    np.testing.assert_allclose(
        model.objective_history, expected.objective_history, rtol=ROUNDING
    )
    assert model.num_instances == 150


def test_the_gradient_is_the_slope_of_the_objective(iris) -> None:
    X, y = iris[0], iris[1].astype(np.float64)
    weights = np.linspace(-0.5, 0.5, 43)
    step = 1e-6 * np.eye(43)[7]

    _, gradient = evaluate(X, y, weights)
    difference = evaluate(X, y, weights + step)[0] - evaluate(X, y, weights - step)[0]

    assert difference / 2e-6 == pytest.approx(gradient[7], rel=1e-6)


def test_a_step_rounds_its_product_as_the_jvm_does() -> None:
    # A processor that multiplies and adds at once would round but once. NumPy never does.
    gradient = np.random.default_rng(1).normal(size=43)
    seen = []

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        seen.append(weights.copy())
        return 1.0 / len(seen), gradient

    _core.minimize(make_settings(solver="gd", maxIter="5"), 150, objective)

    for before, after in zip(seen, seen[1:]):
        assert after.tolist() == (before - 0.03 * gradient).tolist()


@pytest.mark.parametrize("means", [[1.5, -2.0, 1e6], []])
def test_a_regression_starts_at_the_means_of_the_targets(means: list[float]) -> None:
    starts = []

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        starts.append(weights)
        return 1.0, np.zeros_like(weights)

    _core.minimize(
        make_settings(task="regression"), 150, objective, target_means=means
    )

    assert starts[0][-3:].tolist() == (means or [0.0, 0.0, 0.0])


def test_what_the_objective_raises_is_raised() -> None:
    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        raise KeyError("the job failed")

    with pytest.raises(KeyError, match="the job failed"):
        _core.minimize(make_settings(), 1, objective)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"solver": "adam"}, errors.ParamError, "solver must be l-bfgs or gd"),
        ({"batchNorm": "true"}, errors.ParamError, "batchNorm must be off"),
        ({"tol": "-1"}, errors.ParamError, "tol"),
    ],
)
def test_refuses_what_needs_the_instances(options, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        _core.minimize(make_settings(**options), 1, lambda weights: (0.0, weights))


def test_refuses_a_gradient_of_another_size() -> None:
    with pytest.raises(errors.ShapeError, match="gradient must have 43 numbers; got 2"):
        _core.minimize(make_settings(), 1, lambda weights: (0.0, np.zeros(2)))
    with pytest.raises(errors.ShapeError, match="weights must have 43 numbers; got 2"):
        evaluate(np.zeros((1, 4)), np.zeros(1), np.zeros(2))


def test_refuses_means_of_another_number_of_targets() -> None:
    with pytest.raises(errors.ShapeError, match="labels must be 3 per instance"):
        _core.minimize(
            make_settings(task="regression"), 1, lambda weights: (0.0, weights), target_means=[1.0]
        )
