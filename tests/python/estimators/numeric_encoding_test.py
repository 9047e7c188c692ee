# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators that encode numbers in quantile bins, and their models in Python."""

import json
import pathlib
import pickle
from typing import Any

import mlp
import numpy as np
import pytest
from formats.networks import score

TOLERANCE = 1e-12


def make_table(size: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Returns numbers, a switch and a constant; the classes have two thresholds."""
    random = np.random.default_rng(7)
    X = np.column_stack(
        [random.normal(0, 30, size), random.integers(0, 2, size), np.full(size, 5.0)]
    )
    return X, (abs(X[:, 0]) < 15).astype(int)


def make_estimator(**params: Any) -> mlp.MLPClassifier:
    given = {"numeric_encoding": "quantile:6", "seed": 1, **params}
    return mlp.MLPClassifier(**given)


def quantiles(numbers: np.ndarray, num_bins: int) -> list[float]:
    """Returns the different quantiles: the smallest number of at least each share."""
    ordered = np.sort(numbers)
    places = [max(-(-t * len(ordered) // num_bins) - 1, 0) for t in range(num_bins + 1)]
    return sorted({float(ordered[place]) for place in places})


def test_a_model_has_the_quantiles_of_its_rows() -> None:
    X, y = make_table()

    model = make_estimator().fit(X, y).model_

    members = json.loads(model.to_json())
    assert members["formatVersion"] == 3
    assert members["input"]["numericEncoding"] == "quantile:6"
    assert members["input"]["bins"] == [{"feature": 0, "edges": quantiles(X[:, 0], 6)}]
    assert (model.num_features, model.layers[0], model.numeric_encoding) == (3, 9, "quantile:6")
    assert abs(model.predict_proba(X) - softmax(score(model, X))).max() < TOLERANCE


def softmax(raw: np.ndarray) -> np.ndarray:
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    shares: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return shares


def test_rows_of_every_layout_have_the_same_scores() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    X, y = make_table()
    X = X.astype(np.float32).astype(np.float64)
    model = make_estimator(layers=[3, 4, 2], standardize=True).fit(X, y).model_
    right = model.predict_proba(X)

    table = pyarrow.table({name: X[:, i] for i, name in enumerate("abc")})

    for rows in (X.astype(np.float32), np.asfortranarray(X), table, X[::-1][::-1]):
        assert np.array_equal(model.predict_proba(rows), right)
        assert np.array_equal(model.predict(rows), right.argmax(axis=1))
    assert np.array_equal(np.vstack([model.predict_proba(row[None]) for row in X]), right)
    raw, probability, prediction = model._core.score(X)
    assert np.array_equal(probability, right)
    assert np.array_equal(raw, model.decision_function(X))
    assert np.array_equal(prediction, right.argmax(axis=1))
    assert model.transform(X).shape == (200, 4)


def test_a_model_is_saved_pickled_and_loaded(tmp_path: pathlib.Path) -> None:
    X, y = make_table()
    model = make_estimator().fit(X, y).model_

    model.save(tmp_path / "model.json")

    for again in (mlp.Model.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert again == model
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_weights_of_rows_count_as_copies() -> None:
    X, y = make_table(60)
    weights = np.arange(60) % 3
    copies = np.repeat(np.arange(60), weights)

    weighted = make_estimator().fit(X, y, sample_weight=weights).model_

    repeated = make_estimator().fit(X[copies], y[copies]).model_
    assert weighted._core.bins == repeated._core.bins


def test_the_evaluation_set_does_not_move_the_bins() -> None:
    X, y = make_table()

    model = make_estimator().fit(X, y, eval_set=(X + 100, y)).model_

    assert model._core.bins == make_estimator().fit(X, y).model_._core.bins
    assert len(model.validation_history) > 1


def test_a_regressor_encodes_numbers() -> None:
    X, _ = make_table()

    model = mlp.MLPRegressor(numeric_encoding="quantile").fit(X, abs(X[:, 0])).model_

    assert model.numeric_encoding == "quantile:8"
    assert abs(model.predict(X) - score(model, X)[:, 0]).max() < 1e-9
    assert abs(model.predict(X) - abs(X[:, 0])).mean() < 3


def test_a_second_fit_starts_from_the_encoding_of_the_first() -> None:
    X, y = make_table()
    estimator = make_estimator(warm_start=True, layers=[3, 4, 2]).fit(X, y)
    bins = estimator.model_._core.bins

    estimator.fit(X[:50], y[:50])

    assert estimator.model_._core.bins == bins


def test_partial_fit_keeps_the_encoding_of_the_first_call() -> None:
    X, y = make_table()
    estimator = make_estimator(layers=[3, 4, 2], solver="adam", standardize=False)
    estimator.partial_fit(X[:80], y[:80], classes=[0, 1])
    bins = estimator.model_._core.bins

    estimator.partial_fit(X[80:], y[80:])

    assert estimator.model_._core.bins == bins
    assert estimator.model_.layers == [3 + len(bins[0]), 4, 2]


def test_another_encoding_than_that_of_the_start_is_refused() -> None:
    X, y = make_table()
    start = make_estimator().fit(X, y).model_

    model = mlp.MLPClassifier().fit(X, y, init_model=start).model_
    assert model.numeric_encoding == "quantile:6"
    with pytest.raises(mlp.ParamError, match="must be quantile:6, as in the model that training"):
        make_estimator(numeric_encoding="quantile:7").fit(X, y, init_model=start)


@pytest.mark.parametrize("value", ["quantile:1", "quantile:257", "fourier", "quantile:", 12])
def test_other_values_are_refused(value: Any) -> None:
    X, y = make_table()

    with pytest.raises(mlp.ParamError, match="must be linear, quantile or quantile:BINS"):
        make_estimator(numeric_encoding=value).fit(X, y)


def test_the_default_is_linear() -> None:
    X, y = make_table()

    model = mlp.MLPClassifier(layers=[3, 4, 2]).fit(X, y).model_

    assert mlp.MLPClassifier().get_params()["numeric_encoding"] is None
    assert (model.numeric_encoding, model.num_features) == ("linear", 3)
    assert json.loads(model.to_json())["formatVersion"] == 1


def test_spark_refuses_the_model_and_says_what_to_do(tmp_path: pathlib.Path) -> None:
    from mlp.formats import write_spark

    X, y = make_table()
    model = make_estimator(layers=[3, 4, 2]).fit(X, y).model_

    with pytest.raises(mlp.ModelError) as caught:
        write_spark(model, tmp_path / "spark")

    assert str(caught.value) == (
        "model: Spark's MultilayerPerceptronClassificationModel cannot express this model: it encodes "
        "numbers in quantile bins; train with numericEncoding linear, or score the model file "
        "in Spark with mlp.spark or the jar"
    )
