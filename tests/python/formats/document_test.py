# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The document of a model: what the C++ library writes, and what it reads."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mlp import Model, ModelError
from mlp.formats.document import ModelDocument, read_document, to_model

from formats.networks import ACTIVATIONS, TOLERANCE, random_model, random_rows, random_scaler, score

MODELS = {
    "no hidden layer": random_model((4, 3)),
    "names": random_model((4, 5, 3), labels=("ä", "b"), feature_names=tuple("wxyz")),
    "thresholds": random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2), label_column="y"),
    "all activations": random_model((4, *[6] * 7, 3), activations=tuple(ACTIVATIONS)),
    "residual": random_model((4, 4, 5, 3), activations=("elu",) * 2, residual=(1, 2)),
    "batch norm": random_model(
        (4, 5, 5, 2), batch_norm=(1, 2), residual=(2,), dropout=(0.5, 0.0), scaler=random_scaler(4)
    ),
    "regressor": random_model((4, 5, 1), activations=("softplus",), loss="squaredError"),
    "smoothed loss": to_model(
        replace(
            read_document(random_model((4, 5, 3))),
            params={**read_document(random_model((4, 3))).params, "labelSmoothing": 0.1},
        )
    ),
    "columns": random_model(
        (3, 2),
        columns=({"kind": "number", "missing": 0.5}, {"kind": "category", "categories": ["a", "b"]}),
    ),
    "unknown categories": random_model(
        (2, 2), columns=({"kind": "category", "categories": ["a", "b"]},), unknown="ignore"
    ),
    "texts for missing values": random_model((2, 2), missing_texts=("-999", "n/a")),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_document_makes_the_model_that_it_was_read_from(name: str) -> None:
    model = MODELS[name]

    again = to_model(read_document(model))

    assert again.to_json() == model.to_json()


@pytest.mark.parametrize("name", MODELS)
def test_a_model_scores_as_the_page_of_the_format_says(name: str) -> None:
    model = MODELS[name]
    X = random_rows(model.layers[0])

    raw = model.decision_function(X).reshape(len(X), -1)

    expected = score(model, X)
    assert abs(raw - expected).max() <= TOLERANCE * abs(expected).max()


def test_a_document_without_a_self_test_gets_one() -> None:
    model = random_model((2, 3, 2), scaler=(np.array([1.0, 2.0]), np.array([0.5, 2.0])))

    instances = read_document(model).self_test

    # Means, then means and deviations times -1, 0, 1, ...
    assert [instance["features"] for instance in instances] == [[1, 2], [0.5, 2], [1.5, 2]]
    raw = model.decision_function([instance["features"] for instance in instances])
    assert [instance["rawPrediction"] for instance in instances] == raw.tolist()


def test_the_classes_without_a_name_have_their_index() -> None:
    document = read_document(random_model((2, 3), labels=("a",)))

    assert document.class_names == ("a", "1", "2")


REFUSED = {
    "weights.count: must be 15": {"weights": np.zeros(14)},
    "must be a finite number; got NaN": {"weights": np.full(15, np.nan)},
    "numbers of a model must be finite": {"thresholds": (np.inf, 1.0, 1.0)},
    "names must be UTF-8": {"labels": ("\ud800",)},
    "labels.*must be 1 to 3 names": {"labels": tuple("abcd")},
    "layers": {"layers": (4,)},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses_what_is_no_model(sentence: str) -> None:
    document = ModelDocument(layers=(4, 3), weights=np.zeros(15))

    with pytest.raises(ModelError, match=sentence):
        to_model(replace(document, **REFUSED[sentence]))


def test_large_models_keep_the_bits_of_their_weights() -> None:
    model = random_model((400, 260, 3))

    again = Model.from_json(to_model(read_document(model)).to_json())

    assert '"encoding":"base64"' in model.to_json()
    assert again.weights.tobytes() == model.weights.tobytes()
