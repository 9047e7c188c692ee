# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Prediction intervals and sets of the rows that the trainings of folds did not see."""

import pathlib
from typing import Any

import mlp
import numpy as np
import pytest
from sklearn.base import clone

NOISE = 3.0


@pytest.fixture(name="line", scope="module")
def make_line() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, size=(400, 2))
    return X, 10 * X[:, 0] + random.uniform(-NOISE, NOISE, 400)


@pytest.fixture(name="classes", scope="module")
def make_classes() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    X = random.uniform(-1, 1, size=(400, 2))
    names = np.array(["low", "mid", "high"])
    return X, names[np.digitize(X[:, 0] + random.uniform(-0.5, 0.5, 400), [-0.3, 0.3])]


def test_intervals_cover_rows_that_were_not_trained_on(line: Any) -> None:
    X, y = line
    estimator = mlp.MLPRegressor(interval=0.8, seed=1).fit(X[:200], y[:200])

    ends = estimator.predict_interval(X[200:])

    inside = (ends[:, 0] <= y[200:]) & (y[200:] <= ends[:, 1])
    assert ends.shape == (200, 2)
    assert abs(inside.mean() - 0.8) < 0.12  # three deviations of twice 200 rows
    assert abs(estimator.model_.selection["unseen_coverage"] - 0.8) < 0.05
    # 80 % of the labels around the line.
    assert abs(estimator.model_.selection["unseen_mean_size"] - 0.8 * 2 * NOISE) < 0.8
    assert estimator.model_.coverage == 0.8


def test_each_target_has_an_interval(line: Any) -> None:
    X, y = line
    targets = np.column_stack([y, 100 * X[:, 1]])
    estimator = mlp.MLPRegressor(interval=0.8, seed=1).fit(X, targets)

    ends = estimator.predict_interval(X)

    widths = ends[:, 1] - ends[:, 0]
    assert ends.shape == (400, 2, 2)
    assert np.allclose(widths, widths[0])
    assert ((ends[:, 0] <= estimator.predict(X)) & (estimator.predict(X) <= ends[:, 1])).all()
    assert (estimator.model_.predict_interval(X) == ends).all()


def test_sets_cover_rows_that_were_not_trained_on(classes: Any) -> None:
    X, y = classes
    estimator = mlp.MLPClassifier(coverage=0.9, seed=1).fit(X[:200], y[:200])

    is_in = estimator.predict_set(X[200:])

    probability = estimator.predict_proba(X[200:])
    own = is_in[np.arange(200), np.searchsorted(estimator.classes_, y[200:])]
    assert is_in.dtype == bool
    assert is_in.shape == (200, 3)
    assert abs(own.mean() - 0.9) < 0.09  # three deviations of twice 200 rows
    assert is_in[np.arange(200), probability.argmax(axis=1)].all()
    assert probability[is_in].min() >= min(
        estimator.model_._core.prediction_set[1], probability.max(axis=1).min()
    )


def test_a_saved_model_keeps_intervals_and_sets(
    line: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    numbers = mlp.MLPRegressor(interval=0.8, seed=1).fit(*line)
    names = mlp.MLPClassifier(coverage=0.9, seed=1).fit(*classes)
    numbers.model_.save(tmp_path / "numbers.json")
    names.model_.save(tmp_path / "names.json")

    ends = mlp.Model.load(tmp_path / "numbers.json").predict_interval(line[0])
    is_in = mlp.Model.load(tmp_path / "names.json").predict_set(classes[0])

    assert (ends == numbers.predict_interval(line[0])).all()
    assert (is_in == names.predict_set(classes[0])).all()


def test_intervals_and_sets_change_nothing_else(classes: Any) -> None:
    X, y = classes
    plain = mlp.MLPClassifier(seed=1).fit(X, y)

    with_sets = mlp.MLPClassifier(seed=1, coverage=0.9).fit(X, y)

    assert (plain.model_.weights == with_sets.model_.weights).all()
    assert plain.model_.coverage is None
    assert "unseen_coverage" not in plain.model_.selection


def test_models_without_intervals_and_sets_refuse(line: Any, classes: Any) -> None:
    numbers = mlp.MLPRegressor(effort="quick").fit(*line)
    names = mlp.MLPClassifier(effort="quick").fit(*classes)

    with pytest.raises(mlp.ParamError, match="the model has no prediction intervals; train a"):
        numbers.predict_interval(line[0])
    with pytest.raises(mlp.ParamError, match="the model has no prediction sets; train a"):
        names.predict_set(classes[0])
    with pytest.raises(mlp.ParamError, match="the model has no prediction intervals"):
        names.model_.predict_interval(classes[0])


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"coverage": 1.0}, "coverage must be a number > 0 and < 1; got 1"),
        ({"coverage": "much"}, "coverage must be a number; got 'much'"),
        ({"coverage": 0.9, "effort": "quick"}, "coverage needs rows that the trainings of folds"),
        ({"coverage": 0.9, "layers": [2, 3, 3]}, "expected effort standard, got quick"),
        ({"coverage": 0.999}, "coverage 0.999 needs more rows; expected at least 999"),
    ],
)
def test_refuses_a_coverage_that_nothing_can_give(
    params: dict[str, Any], sentence: str, classes: Any
) -> None:
    with pytest.raises(mlp.ParamError, match=sentence):
        mlp.MLPClassifier(**params).fit(*classes)


def test_a_training_that_goes_on_drops_the_sets(classes: Any) -> None:
    first = mlp.MLPClassifier(coverage=0.9, seed=1).fit(*classes)

    second = mlp.MLPClassifier(seed=1).fit(*classes, init_model=first.model_)

    assert first.model_.coverage == 0.9
    assert second.model_.coverage is None


def test_scikit_learn_clones_the_estimators() -> None:
    assert clone(mlp.MLPRegressor(interval=0.9)).interval == 0.9
    assert clone(mlp.MLPClassifier(coverage=0.9)).coverage == 0.9
