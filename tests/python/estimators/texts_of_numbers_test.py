# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Texts that are all numbers are numbers in every call, with and without layers."""
from typing import Any

import mlp
import numpy as np
import pytest
from mlp.errors import DataError

pandas = pytest.importorskip("pandas")

QUICK = {"effort": "quick", "max_iter": 20, "seed": 1}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("params", [{"layers": [2, 3, 2], "max_iter": 5}, QUICK])
def test_fits_and_later_calls_take_texts_of_numbers(library: str, params: Any) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    X = np.random.default_rng(5).integers(10, 99, (60, 2)) / 8
    y = (X[:, 0] > 6).astype(int)
    numbers = make({"a": X[:, 0], "b": X[:, 1]})
    texts = make({"a": [f" {x}" for x in X[:, 0]], "b": X[:, 1]})

    estimator = mlp.MLPClassifier(**params).fit(texts, y, eval_set=(texts, y))

    expected = mlp.MLPClassifier(**params).fit(numbers, y, eval_set=(numbers, y))
    assert np.array_equal(estimator.model_.weights, expected.model_.weights)
    for table in (texts, numbers):
        assert np.array_equal(estimator.predict_proba(table), expected.predict_proba(numbers))
    again = mlp.MLPClassifier(**params, warm_start=True).fit(numbers, y)
    assert again.fit(texts, y).model_.layers == expected.model_.layers


def test_partial_fit_takes_texts_of_numbers_and_truth_values() -> None:
    frame = pandas.DataFrame({"a": ["1.5", "2"] * 20, "b": [True, False, False, True] * 10})
    y = [0, 1] * 20
    models = [
        mlp.MLPClassifier(layers=[2, 2], solver="adam", seed=1)
        .partial_fit(first, y, [0, 1]).partial_fit(second, y).model_
        for first, second in ((frame, frame.astype(float)), (frame.astype(float), frame))
    ]
    assert models[0] == models[1]


def test_layers_refuse_texts_that_are_no_numbers() -> None:
    for texts in (["1.5", "two"] * 20, ["1.5", "?"] * 20):
        with pytest.raises(DataError, match="column 'a' must be numbers; .*make one feature of"):
            mlp.MLPClassifier(layers=[1, 2]).fit(pandas.DataFrame({"a": texts}), [0, 1] * 20)
    with pytest.raises(DataError, match="feature 'a' of row 1 is NaN"):
        missing = pandas.DataFrame({"a": ["1.5", None] * 20})
        mlp.MLPClassifier(layers=[1, 2]).fit(missing, [0, 1] * 20)
