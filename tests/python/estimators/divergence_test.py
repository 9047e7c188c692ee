# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings that diverge, and weights that no training can use."""

import math
from typing import Any

import numpy as np
import pytest

import mlp

X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
Y = np.array([0, 1, 1, 0])


def test_a_training_that_diverges_raises_with_its_history() -> None:
    estimator = mlp.MLPClassifier(
        layers=[2, 8, 2], solver="sgd", activation="relu", step_size=1e300, standardize=False
    )

    with pytest.raises(mlp.DivergedError, match="the objective must stay finite; it is ") as caught:
        estimator.fit(X * 1e6, Y)

    assert isinstance(caught.value, ValueError)
    assert not math.isfinite(caught.value.objective_history[-1])
    assert not hasattr(estimator, "model_")


def test_a_regressor_that_diverges_raises() -> None:
    estimator = mlp.MLPRegressor(
        layers=[2, 8, 1], solver="sgd", activation="relu", step_size=1e200, standardize=False
    )

    with pytest.raises(mlp.DivergedError, match="a stepSize below 1e\\+200"):
        estimator.fit(X * 1e6, Y * 1e6)


@pytest.mark.parametrize(("weight", "name"), [
    (-1.0, "-1"), (math.inf, "Infinity"), (math.nan, "NaN"),
])
def test_a_weight_that_is_negative_or_not_finite_is_refused(weight: float, name: str) -> None:
    weights = np.array([1.0, 1.0, weight, 1.0])
    sentence = f"weights must be finite and >= 0; instance 2 has weight {name}"
    for estimator in (mlp.MLPClassifier(layers=[2, 3, 2]), mlp.MLPRegressor(layers=[2, 3, 1])):
        with pytest.raises(mlp.DataError, match=sentence):
            estimator.fit(X, Y, sample_weight=weights)
        with pytest.raises(mlp.DataError, match=sentence):
            estimator.fit(X, Y, eval_set=(X, Y, weights))


@pytest.mark.parametrize(("weights", "total"), [
    ([0.0] * 4, "they are all zero"), ([1e308] * 4, "got Infinity"),
])
def test_weights_without_a_finite_sum_above_0_are_refused(
    weights: list[float], total: str
) -> None:
    with pytest.raises(mlp.DataError, match=f"must have a finite sum > 0; {total}"):
        mlp.MLPClassifier(layers=[2, 3, 2]).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(("class_weight", "error", "sentence"), [
    ({0: -1.0}, mlp.DataError, "instance 0 has weight -1"),
    ({0: math.nan}, mlp.DataError, "instance 0 has weight NaN"),
    ({7: 2.0}, mlp.ParamError, r"must have classes of the labels, \[0, 1\]; got 7"),
])
def test_weights_of_classes_are_checked(
    class_weight: dict[int, float], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        mlp.MLPClassifier(layers=[2, 3, 2], class_weight=class_weight).fit(X, Y)


def codes_of(estimator: Any, X: Any, y: Any) -> list[str]:
    with pytest.warns(mlp.ConvergenceWarning) as caught:
        estimator.fit(X, y)
    return [w.message.code for w in caught if isinstance(w.message, mlp.ConvergenceWarning)]


def test_a_fit_warns_with_a_code_and_numbers() -> None:
    with pytest.warns(mlp.ConvergenceWarning, match="feature 0 reaches 1000") as caught:
        mlp.MLPClassifier(layers=[2, 3, 2], max_iter=3).fit(X * [1000.0, 1.0], Y)

    warning = caught[0].message
    assert isinstance(warning, mlp.ConvergenceWarning)
    assert warning.code == "unevenScale"
    assert warning.numbers == {"largest": 1000.0, "smallest": 1.0}
    assert caught[0].filename == __file__


def test_a_network_that_learns_nothing_warns() -> None:
    assert codes_of(mlp.MLPClassifier(layers=[2, 3, 2]), X * 0.0, Y) == ["noBetterThanConstant"]
    assert codes_of(mlp.MLPRegressor(layers=[2, 3, 1]), X * 0.0, Y) == ["noBetterThanConstant"]


def test_the_choice_of_a_scale_silences_its_warning(recwarn: pytest.WarningsRecorder) -> None:
    for standardize in (True, False):
        mlp.MLPClassifier(layers=[2, 8, 2], standardize=standardize, max_iter=3).fit(
            X * [1000.0, 1.0], Y
        )

    assert not [w for w in recwarn if "reaches" in str(w.message)]


def test_partial_fit_does_not_warn_of_what_one_call_has_not_learned(
    recwarn: pytest.WarningsRecorder,
) -> None:
    estimator = mlp.MLPClassifier(layers=[2, 3, 2], solver="sgd", standardize=False)
    for _ in range(3):
        estimator.partial_fit(X * 1000.0, Y, classes=[0, 1])

    assert not [w for w in recwarn if isinstance(w.message, mlp.ConvergenceWarning)]
