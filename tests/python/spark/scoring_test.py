# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores that the C++ library computes in tasks of Python, and where `transform` computes."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from conftest import read_iris  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    classification,
    scoring,
)
from mlp.spark.jar import has_jar  # noqa: E402
from mlp.spark.scoring import append_columns  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame  # noqa: E402

TOLERANCE = 1e-12  # of outputs from equal weights
MODEL = random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2))
RELU = random_model((4, 5, 3), activations=("relu",))
ALL = [("rawPrediction", "raw"), ("probability", "probability"), ("prediction", "prediction")]
Transform = Any  # the method of a model
SPARK = tuple(int(number) for number in pyspark.__version__.split(".")[:2])


def array_of(frame: Any, name: str) -> np.ndarray:
    return np.array([row[name].toArray() for row in frame.select(name).collect()])


def test_columns_are_those_of_sparks_model(session: Any) -> None:
    frame = iris_frame(session, [100, 0, 50]).selectExpr("*", "array(label) AS more")
    expected = MultilayerPerceptronClassificationModel(MODEL).to_spark().transform(frame)

    scored = append_columns(frame, MODEL, "features", ALL)

    assert scored.schema.json() == expected.schema.json()
    for ours, theirs in zip(scored.collect(), expected.collect()):
        assert ours[:3] == theirs[:3] and ours.prediction == theirs.prediction
        for name in ("rawPrediction", "probability"):
            assert abs(ours[name].toArray() - theirs[name].toArray()).max() <= TOLERANCE


DENSE = Vectors.dense([1.0, 2.0, 3.0, 4.0])
SPARSE = Vectors.sparse(4, {1: 2.0})
NOTHING = Vectors.sparse(4, {})


@pytest.mark.parametrize("vectors", [
    [DENSE], [SPARSE], [NOTHING], [DENSE, SPARSE, NOTHING, SPARSE, DENSE],
], ids=str)
def test_reads_vectors_of_both_kinds(vectors: list[Any], session: Any) -> None:
    frame = session.createDataFrame([(vector,) for vector in vectors], ["a.`b"]).coalesce(1)

    scored = append_columns(frame, MODEL, "a.`b", [("raw", "raw")])

    expected = MODEL.decision_function([vector.toArray() for vector in vectors], 1)
    assert array_of(scored, "raw").tolist() == expected.tolist()


def test_reads_arrays(session: Any) -> None:
    frame = session.sql("SELECT array(1, 2, null, 4) AS x UNION ALL SELECT array(1, 2, 3, 4)")

    scored = append_columns(frame.where("x[2] = 3"), RELU, "x", [("raw", "raw")])

    expected = RELU.decision_function([[1.0, 2.0, 3.0, 4.0]], 1)
    assert array_of(scored, "raw").tolist() == expected.tolist()


BAD_ROWS = {
    "features must have 4 values; got 2": Vectors.dense([1.0, 2.0]),
    "features must have 4 values; got 5": Vectors.sparse(5, {0: 1.0}),
    "Vectors MUST NOT be Null": None,
    "MUST NOT be Null; got null": [1.0, None, 3.0, 4.0],
}


@pytest.mark.parametrize("sentence", BAD_ROWS)
def test_refuses_features(sentence: str, session: Any) -> None:
    value = BAD_ROWS[sentence]
    good = DENSE.toArray().tolist() if isinstance(value, list) else DENSE
    frame = session.createDataFrame([(good,), (value,)], ["features"]).coalesce(1)

    with pytest.raises(Exception, match=sentence):
        append_columns(frame, MODEL, "features", ALL).collect()


def test_refuses_columns(session: Any) -> None:
    frame = iris_frame(session)

    for columns, sentence in [
        ([("label", "raw")], "requirement failed: Column label already exists."),
        ([("p", "raw"), ("p", "probability")], "requirement failed: Column p already exists."),
    ]:
        with pytest.raises(Exception, match=sentence):
            append_columns(frame, MODEL, "features", columns)
    with pytest.raises(Exception, match="pixels does not exist. Available: features, label"):
        append_columns(frame, MODEL, "pixels", ALL)


def test_without_a_column_the_dataset_stays(session: Any) -> None:
    frame = iris_frame(session)

    assert append_columns(frame, MODEL, "features", []) is frame


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

    ours = append_columns(frame, network, "features", ALL)
    theirs = model.to_spark().transform(frame)

    assert ours.select("prediction").collect() == theirs.select("prediction").collect()
    for name in ("rawPrediction", "probability"):
        expected = array_of(theirs, name)
        np.testing.assert_allclose(array_of(ours, name), expected, atol=TOLERANCE)


def test_a_wide_layer_is_scored(session: Any) -> None:
    network = random_model((4, 300, 3))

    scored = append_columns(iris_frame(session), network, "features", [("hidden", 1)])

    np.testing.assert_array_equal(array_of(scored, "hidden"), network.transform(read_iris()[0], 1))


@pytest.fixture(params=["spark", "python", "jar"])
def transform(request: Any, session: Any, monkeypatch: pytest.MonkeyPatch) -> Transform:
    """`transform` of a model that is scored by Spark's model, by Python or by the jar."""
    if request.param == "jar" and not has_jar(session):
        pytest.skip("the session has no jar")
    for module in (classification, scoring):
        monkeypatch.setattr(module, "has_jar", lambda session: request.param == "jar")
    network = RELU if request.param == "python" else MODEL
    model = MultilayerPerceptronClassificationModel(network)
    return model.transform  # type: ignore[no-any-return]


def plan_of(frame: Any) -> str:
    return str(frame._jdf.queryExecution().optimizedPlan().toString())


def computes(frame: Any) -> bool:
    """True if a plan has a function of the JVM or of Python, or any other work of Python."""
    return any(word in plan_of(frame) for word in ("UDF", "Python", "InArrow", "MapPartitions"))


def test_queries_without_the_outputs_do_not_score(session: Any, transform: Transform) -> None:
    scored = transform(iris_frame(session))

    assert computes(scored) and computes(scored.select("prediction"))
    assert computes(scored.where("prediction = 1").select("label"))
    assert not computes(scored.groupBy().count())
    assert not computes(scored.select("label"))
    assert not computes(scored.where("label = 1").groupBy().count())
    assert not computes(scored.orderBy("label").select("label", "features"))


def test_rows_are_selected_before_they_are_scored(session: Any, transform: Transform) -> None:
    lines = plan_of(transform(iris_frame(session)).where("label = 1")).splitlines()

    (place,) = (number for number, line in enumerate(lines) if "Filter" in line)
    assert not any("UDF" in line or "Python" in line for line in lines[place:])


def test_columns_of_one_name_stay(session: Any, transform: Transform) -> None:
    frame = iris_frame(session)

    scored = transform(frame.selectExpr("label AS x", "features", "label + 1 AS x"))

    assert scored.columns[:3] == ["x", "features", "x"]
    expected = [row.prediction for row in transform(frame).collect()]
    assert [row.prediction for row in scored.collect()] == expected
    assert all(row[2] == row[0] + 1 for row in scored.collect())


def test_columns_of_any_type_stay(session: Any, transform: Transform) -> None:
    """An interval, a vector, and null have no work to do for the model."""
    frame = iris_frame(session).selectExpr(
        "features", "make_interval(1) AS years", "features AS more", "null AS nothing",
        "map(label, array(label)) AS map",
    ).cache()

    scored = transform(frame)

    text = "CAST(years AS STRING) AS years"
    kept = scored.selectExpr("prediction", text, "more", "nothing", "map").collect()
    expected = frame.selectExpr(text, "more", "nothing", "map").collect()
    assert [tuple(row)[1:] for row in kept] == [tuple(row) for row in expected]
    predictions = transform(iris_frame(session)).select("prediction").collect()
    assert [row.prediction for row in kept] == [row.prediction for row in predictions]


def test_a_stream_is_scored(session: Any, transform: Transform, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session)
    frame.write.parquet(f"file://{tmp_path}/rows")
    stream = session.readStream.schema(frame.schema).parquet(f"file://{tmp_path}/rows")
    name = f"scored_{tmp_path.name.replace('-', '_')}"

    query = (
        transform(stream).select("prediction").writeStream.format("memory").queryName(name)
        .option("checkpointLocation", f"file://{tmp_path}/state")
        .trigger(availableNow=True).start()
    )
    query.awaitTermination()

    streamed = sorted(row.prediction for row in session.table(name).collect())
    assert streamed == sorted(row.prediction for row in transform(frame).collect())


def test_transform_gives_the_columns_of_spark_each_way(session: Any, transform: Transform) -> None:
    frame = iris_frame(session)
    expected = MultilayerPerceptronClassificationModel(MODEL).to_spark().transform(frame)

    scored = transform(frame)

    assert scored.schema.json() == expected.schema.json()
    network = transform.__self__.model  # type: ignore[attr-defined]
    rows = read_iris()[0]
    assert abs(array_of(scored, "probability") - network.predict_proba(rows)).max() <= TOLERANCE
    predictions = [row.prediction for row in scored.collect()]
    assert predictions == network._core.predict_index(rows).tolist()


def test_thresholds_need_a_column_of_numbers(transform: Any, session: Any) -> None:
    model = transform.__self__.copy()
    model.setThresholds([1e-12, 1.0, 1.0])
    X = read_iris()[0]
    largest = model.model.predict_proba(X, 1).argmax(1).tolist()

    with_numbers = array_of_numbers(model.transform(iris_frame(session)))
    model.setProbabilityCol("").setRawPredictionCol("")
    without = array_of_numbers(model.transform(iris_frame(session)))

    assert without == largest
    assert with_numbers != largest


def array_of_numbers(scored: Any) -> list[float]:
    return [row.prediction for row in scored.collect()]


@pytest.mark.skipif(SPARK < (4,), reason="Spark 3 reads columns alone")
def test_features_are_found_as_spark_finds_them(transform: Transform, session: Any) -> None:
    frame = iris_frame(session)
    nested = frame.selectExpr("struct(features AS x) AS s", "features AS `a.b`", "features AS X")
    expected = array_of_numbers(transform(frame))
    model = transform.__self__.copy()

    for name in ("s.x", "`a.b`", "x"):
        scored = model.setFeaturesCol(name).transform(nested)
        assert array_of_numbers(scored) == expected
        assert scored.columns[:3] == ["s", "a.b", "X"] and len(scored.columns) == 6


def test_a_column_of_the_name_in_another_case_is_replaced(session: Any) -> None:
    frame = iris_frame(session).selectExpr("-1.0 AS Prediction", "features")

    scored = append_columns(frame, MODEL, "features", ALL)

    assert scored.columns == ["prediction", "features", "rawPrediction", "probability"]
    assert scored.where("prediction < 0").count() == 0
