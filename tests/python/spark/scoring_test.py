# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores that the C++ library computes in tasks of Spark."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from mlp.spark import MultilayerPerceptronClassificationModel, scoring  # noqa: E402
from mlp.spark.scoring import prefers_spark, score_columns  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame  # noqa: E402

TOLERANCE = 1e-12  # of outputs from equal weights
MODEL = random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2))


def test_columns_are_those_of_sparks_model(session: Any) -> None:
    frame = iris_frame(session, [100, 0, 50]).selectExpr("*", "array(label) AS more")
    expected = MultilayerPerceptronClassificationModel(MODEL).to_spark().transform(frame)

    scored = score_columns(frame, MODEL, "features", "prediction", "rawPrediction", "probability")

    assert scored.schema.json() == expected.schema.json()
    for ours, theirs in zip(scored.collect(), expected.collect()):
        assert ours[:3] == theirs[:3] and ours.prediction == theirs.prediction
        for name in ("rawPrediction", "probability"):
            assert abs(ours[name].toArray() - theirs[name].toArray()).max() <= TOLERANCE


def test_scores_sparse_vectors(session: Any) -> None:
    frame = session.createDataFrame([(Vectors.sparse(4, {1: 2.0}),)], ["features"])

    (row,) = score_columns(frame, MODEL, "features", "", "raw", "").collect()

    expected = MODEL.decision_function([[0.0, 2.0, 0.0, 0.0]])[0]
    assert abs(row.raw.toArray() - expected).max() <= TOLERANCE


BAD_ROWS = {
    "features must have 4 values.*; got 2": Vectors.dense([1.0, 2.0]),
}


@pytest.mark.parametrize("sentence", BAD_ROWS)
def test_refuses_features(sentence: str, session: Any) -> None:
    frame = session.createDataFrame([(BAD_ROWS[sentence],)], ["features"])

    with pytest.raises(Exception, match=sentence):
        score_columns(frame, MODEL, "features", "prediction").collect()


def test_refuses_an_existing_column(session: Any) -> None:
    with pytest.raises(Exception, match="requirement failed: Column label already exists."):
        score_columns(iris_frame(session), MODEL, "features", "label")


def test_refuses_features_that_do_not_exist(session: Any) -> None:
    with pytest.raises(Exception, match="pixels does not exist. Available: features, label"):
        score_columns(iris_frame(session), MODEL, "pixels", "prediction")


def test_without_a_column_the_dataset_stays(session: Any) -> None:
    frame = iris_frame(session)

    assert score_columns(frame, MODEL, "features", "") is frame


ROWS = [
    [1.0, 2.0, 3.0], [1.0, np.nan, 3.0], [np.inf, 0.0, 0.0], [-np.inf, 1.0, np.inf],
    [np.nan, np.nan, np.nan], [0.5, -1.0, 2.0],
]


@pytest.mark.parametrize("layers", [(3, 4, 3), (3, 2), (3, 5, 4, 2)], ids=str)
@pytest.mark.parametrize("has_thresholds", [False, True])
def test_nan_and_infinity_give_what_spark_gives(
    layers: tuple[int, ...], has_thresholds: bool, session: Any
) -> None:
    thresholds = tuple(np.linspace(0.2, 0.9, layers[-1])) if has_thresholds else ()
    network = random_model(layers, thresholds=thresholds)
    frame = session.createDataFrame([(Vectors.dense(row),) for row in ROWS], ["features"])
    model = MultilayerPerceptronClassificationModel(network)

    names = ("prediction", "rawPrediction", "probability")
    ours = score_columns(frame, network, "features", *names).collect()
    theirs = model.to_spark().transform(frame).collect()

    assert [row.prediction for row in ours] == [row.prediction for row in theirs]
    for name in names[1:]:
        own, expected = (np.array([row[name].toArray() for row in rows]) for rows in (ours, theirs))
        np.testing.assert_allclose(own, expected, atol=TOLERANCE)


@pytest.mark.parametrize("num_columns, num_features, expected", [
    (2, 64, False), (8, 4, False), (9, 4, True), (2, 65, True),
])
def test_wide_rows_are_scored_in_the_jvm(
    num_columns: int, num_features: int, expected: bool, session: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "size_of", lambda dataset: scoring.MIN_BYTES)
    columns = ["features", *(f"id AS c{number}" for number in range(num_columns - 1))]
    frame = session.range(1).withColumn("features", F.array()).selectExpr(*columns)

    assert prefers_spark(random_model((num_features, 3)), frame) == expected


def test_few_rows_are_scored_in_the_jvm(session: Any) -> None:
    few, many = (session.range(rows).selectExpr("array(id) AS features") for rows in (9, 10**7))

    assert 0 < scoring.size_of(few) < scoring.MIN_BYTES <= scoring.size_of(many)
    assert prefers_spark(MODEL, few) and not prefers_spark(MODEL, many)
    assert prefers_spark(MODEL, iris_frame(session))  # Spark knows no size of an RDD


def test_transform_gives_the_same_columns_both_ways(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "size_of", lambda dataset: scoring.MIN_BYTES)
    frame = iris_frame(session)
    wide = frame.selectExpr("*", *(f"label AS c{number}" for number in range(8)))
    model = MultilayerPerceptronClassificationModel(MODEL)

    narrow, plan = model.transform(frame), model.transform(wide)

    assert "MapInArrow" in narrow._jdf.queryExecution().toString()
    assert "MapInArrow" not in plan._jdf.queryExecution().toString()
    assert [f.json() for f in narrow.schema[-3:]] == [f.json() for f in plan.schema[-3:]]
    for ours, theirs in zip(narrow.collect(), plan.collect()):
        assert ours.prediction == theirs.prediction
        assert abs(ours.probability.toArray() - theirs.probability.toArray()).max() <= TOLERANCE
