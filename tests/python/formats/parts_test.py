# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a model: a model is made of them, and some can be replaced."""

import json
from typing import Any

import numpy as np
import pytest
from mlp import MLPClassifier, Model, ModelError, ParamError, _core

from formats.networks import ACTIVATIONS, TOLERANCE, random_model, random_rows, random_scaler, score


def smoothed() -> _core.Params:
    params = _core.Params()
    params.set("labelSmoothing", "0.1")
    return params


COLOR = _core.InputColumn(categories=["a", "b"])
MODELS = {
    "no hidden layer": random_model((4, 3)),
    "names": random_model((4, 5, 3), label_names=("ä", "b"), feature_names=tuple("wxyz")),
    "thresholds": random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2), label_column="y"),
    "all activations": random_model((4, *[6] * 7, 3), activations=tuple(ACTIVATIONS)),
    "residual": random_model((4, 4, 5, 3), activations=("elu",) * 2, residual=(1, 2)),
    "batch norm": random_model(
        (4, 5, 5, 2), batch_norm=(1, 2), residual=(2,), dropout=(0.5, 0.0), scaler=random_scaler(4)
    ),
    "regressor": random_model((4, 5, 1), activations=("softplus",), loss="squaredError"),
    "smoothed loss": random_model((4, 5, 3), params=smoothed()),
    "columns": random_model((3, 2), columns=[_core.InputColumn(missing=0.5), COLOR]),
    "unknown categories": random_model((2, 2), columns=[COLOR], unknown="ignore"),
    "extra features": random_model(
        (5, 2),
        columns=[
            _core.InputColumn(missing=0.5, extra="missing"),
            _core.InputColumn(categories=["", "red"], missing=0, extra="other"),
        ],
        unknown="other",
    ),
    "texts for missing values": random_model((2, 2), missing_texts=("-999", "n/a")),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_made_is_a_model_file(name: str) -> None:
    text = MODELS[name].to_json()

    assert Model.from_json(text).to_json() == text
    assert MODELS[name]._replace().to_json() == text


@pytest.mark.parametrize("name", MODELS)
def test_a_model_scores_as_the_page_of_the_format_says(name: str) -> None:
    model = MODELS[name]
    X = random_rows(model.layers[0])

    raw = model.decision_function(X).reshape(len(X), -1)

    expected = score(model, X)
    assert abs(raw - expected).max() <= TOLERANCE * abs(expected).max()


def self_test_of(model: Model) -> list[dict[str, Any]]:
    instances: list[dict[str, Any]] = json.loads(model.to_json())["selfTest"]
    return instances


def test_a_model_that_is_made_gets_a_self_test_near_its_means() -> None:
    model = random_model((2, 3, 2), scaler=(np.array([1.0, 2.0]), np.array([0.5, 2.0])))

    instances = self_test_of(model)

    # Means, then means and deviations times -1, 0, 1, ...
    assert [instance["features"] for instance in instances] == [[1, 2], [0.5, 2], [1.5, 2]]
    raw = model.decision_function([instance["features"] for instance in instances])
    assert [instance["rawPrediction"] for instance in instances] == raw.tolist()


def test_a_replaced_part_leaves_the_training_and_the_instances_of_the_self_test(iris) -> None:
    trained = MLPClassifier(layers=[4, 5, 3], max_iter=5).fit(*iris).model_

    model = trained._replace(thresholds=[0.9, 0.1, 0.1])

    assert model.objective_history.tolist() == trained.objective_history.tolist()
    before, after = self_test_of(trained), self_test_of(model)
    assert [one["features"] for one in after] == [one["features"] for one in before]
    X = [instance["features"] for instance in after]
    assert [instance["prediction"] for instance in after] == model.predict(X).tolist()
    assert trained.thresholds == []


def test_the_classes_without_a_name_have_their_index() -> None:
    assert random_model((2, 3), label_names=("a",))._core.class_names == ["a", "1", "2"]


REFUSED: dict[str, dict[str, Any]] = {
    "model: weights must be 15; got 14": {"weights": np.zeros(14)},
    r"weights.data\[0\]: must be a finite number; got NaN": {"weights": np.full(15, np.nan)},
    r"thresholds\[0\]: must be a finite number >= 0": {"thresholds": (np.inf, 1.0, 1.0)},
    "model: thresholds must be 3; got 1": {"thresholds": (1.0,)},
    "label_names must be a list of texts in UTF-8; got": {"label_names": ("\ud800",)},
    "label names must be at most 3": {"label_names": tuple("abcd")},
    "labels.*must differ from": {"label_names": ("a", "a")},
    "layers must be at least 2 sizes": {"layers": (4,)},
    "have 0 hidden layers; got settings for 2": {"hidden_layers": [_core.HiddenLayer()] * 2},
    "loss must be .*; got 'hinge'": {"loss": "hinge"},
    "scaler must be float64 arrays of means and deviations; got 3": {"scaler": 3},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses_what_is_no_model(sentence: str) -> None:
    parts: dict[str, Any] = {"layers": (4, 3), "weights": np.zeros(15)}

    with pytest.raises(ModelError, match=sentence):
        _core.Model.make(**parts | REFUSED[sentence])


def test_refuses_names_that_are_no_parts() -> None:
    with pytest.raises(TypeError, match="a model has no part colour"):
        _core.Model.make((4, 3), np.zeros(15), colour="red")  # type: ignore[call-arg]
    with pytest.raises(ParamError, match="activation must be sigmoid, .*; got 'sine'"):
        _core.HiddenLayer("sine")


def test_large_models_keep_the_bits_of_their_weights() -> None:
    model = random_model((400, 260, 3))

    again = Model.from_json(model.to_json())

    assert '"encoding":"base64"' in model.to_json()
    assert again.weights.tobytes() == model.weights.tobytes()
