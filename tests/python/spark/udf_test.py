# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of SQL and of DataFrames that score rows."""

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from conftest import read_iris  # noqa: E402
from mlp import MLPClassifier, MLPRegressor, Model, ParamError  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    predict_udf,
    scoring,
)
from mlp.spark.udf import score_series  # noqa: E402
from pyspark.ml.functions import vector_to_array  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame  # noqa: E402

X, Y = read_iris()
NAMES = np.array(["setosa", "versicolor", "virginica"])
MODEL = MLPClassifier(seed=1, max_iter=20).fit(X, NAMES[Y]).model_
EXPECTED = {
    "prediction": MODEL._core.predict_index(X).tolist(),
    "label": MODEL.predict(X).tolist(),
    "probability": MODEL.predict_proba(X).tolist(),
    "rawPrediction": MODEL.decision_function(X).tolist(),
}


def column_of(frame: Any, column: Any) -> list[Any]:
    return [row[0] for row in frame.select(column).collect()]


@pytest.mark.parametrize("output", EXPECTED)
def test_scores_vectors_arrays_and_numbers(output: str, session: Any) -> None:
    frame = iris_frame(session, [100, 0, 50])
    array = vector_to_array("features")
    numbers = [array[number].alias(f"x{number}") for number in range(4)]
    score = predict_udf(MODEL, output)

    assert column_of(frame, score("features")) == EXPECTED[output]
    assert column_of(frame, score(array)) == EXPECTED[output]
    table = frame.select(*numbers)
    assert column_of(table, score(*table.columns)) == EXPECTED[output]


def test_scores_in_sql(session: Any) -> None:
    iris_frame(session).createOrReplaceTempView("flowers")

    session.udf.register("species_of", predict_udf(MODEL, "label"))
    found = session.sql("SELECT species_of(features), count(*) FROM flowers GROUP BY 1 ORDER BY 1")

    names, counts = np.unique(EXPECTED["label"], return_counts=True)
    assert [tuple(row) for row in found.collect()] == list(zip(names, counts))


def test_nothing_known_gives_null(session: Any) -> None:
    session.udf.register("score", predict_udf(MODEL, "prediction"))
    session.udf.register("species_of", predict_udf(MODEL, "label"))

    (row,) = session.sql(
        "SELECT score(array(1, 2, 3, null)), score(cast(null AS array<double>)), "
        "species_of(1, 2, null, 4), score(5.1, 3.5, 1.4, 0.2), "
        "score(double('NaN'), 3.5, 1.4, 0.2)"
    ).collect()

    assert tuple(row) == (None, None, None, EXPECTED["prediction"][0], None)


def test_sparse_vectors_are_scored_as_dense_ones(session: Any) -> None:
    rows = [(Vectors.sparse(4, {1: 2.0}),), (Vectors.dense([0.0, 2.0, 0.0, 0.0]),), (None,)]
    frame = session.createDataFrame(rows, ["features"]).coalesce(1)

    sparse, dense, nothing = column_of(frame, predict_udf(MODEL, "probability")("features"))

    assert sparse == dense == MODEL.predict_proba([[0.0, 2.0, 0.0, 0.0]])[0].tolist()
    assert nothing is None


def test_decimals_and_flags_are_numbers(session: Any) -> None:
    narrow = random_model((1, 3, 2))
    session.udf.register("narrow", predict_udf(narrow, "prediction"))
    session.udf.register("score", predict_udf(MODEL, "prediction"))
    numbers = "cast(5.1 AS decimal(9, 1)), 3.5, 1.4, 0.2"

    (row,) = session.sql(
        f"SELECT narrow(cast(2.5 AS decimal(9, 1))), narrow(true), narrow(cast(null AS boolean)), "
        f"score(array({numbers}))"
    ).collect()

    one, two = narrow._core.predict_index(np.array([[2.5], [1.0]])).tolist()
    assert tuple(row) == (one, two, None, EXPECTED["prediction"][0])


@pytest.mark.parametrize("columns, sentence", [
    ("array(1.0D, 2.0D)", "features must have 4 values; got 2"),
    ("1.0D", "one column of vectors or of arrays, or 4 columns of numbers; got 1"),
    ("1.0D, 2.0D", "one column of vectors or of arrays, or 4 columns of numbers; got 2"),
])
def test_refuses_other_columns(columns: str, sentence: str, session: Any) -> None:
    session.udf.register("score", predict_udf(MODEL))

    with pytest.raises(Exception, match=sentence):
        session.sql(f"SELECT score({columns})").collect()


def test_takes_all_kinds_of_models(session: Any, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session).limit(3)
    MODEL.save(tmp_path / "model.json")
    ours = MultilayerPerceptronClassificationModel(MODEL)

    for model in (tmp_path / "model.json", str(tmp_path / "model.json"), ours):
        assert column_of(frame, predict_udf(model)("features")) == EXPECTED["prediction"][:3]


def test_regressors_predict_numbers(session: Any) -> None:
    frame = iris_frame(session).limit(5)
    one = MLPRegressor(seed=1, max_iter=5).fit(X[:, :], X[:, 0]).model_
    two = MLPRegressor(seed=1, max_iter=5).fit(X, X[:, :2]).model_

    assert column_of(frame, predict_udf(one)("features")) == one.predict(X[:5]).tolist()
    assert column_of(frame, predict_udf(two)("features")) == two.predict(X[:5]).tolist()
    with pytest.raises(ParamError, match="output must be prediction for a regressor"):
        predict_udf(one, "probability")


def test_refuses_an_output_that_does_not_exist(session: Any) -> None:
    with pytest.raises(ParamError, match="output must be one of prediction, label, .*'classes'"):
        predict_udf(MODEL, "classes")
    with pytest.raises(ParamError, match="or the path of a model file; got 3"):
        predict_udf(3)


def test_a_process_loads_a_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas

    loads = []
    load = Model.__setstate__
    monkeypatch.setattr(scoring, "MODELS", {})
    monkeypatch.setattr(
        Model, "__setstate__", lambda self, state: loads.append(state) or load(self, state)
    )
    column = pandas.Series(list(X))

    for sent in [scoring.send(MODEL) for _ in range(3)]:
        (found,) = score_series(iter([column]), sent, "prediction")
        assert found.tolist() == EXPECTED["prediction"]

    assert len(loads) == 1
    assert scoring.send(MODEL) is scoring.send(MODEL)


def test_a_process_keeps_some_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MODELS", {})

    for number in range(scoring.MAX_MODELS + 3):
        assert scoring.load_once((b"digest %d" % number, pickle.dumps(number))) == number

    assert len(scoring.MODELS) == scoring.MAX_MODELS
