# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Training and scoring by the jar, without Python in the tasks."""

import pathlib
import re
import subprocess
import sys
import zipfile
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402
from mlp import (  # noqa: E402
    MLPClassifier,
    MLPError,
    MLPRegressor,
    Model,
    NotCompiled,
    ParamError,
)
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    enable_jar,
    jar,
    jar_path,
)
from mlp.spark.jar import has_jar  # noqa: E402
from pyspark import SparkContext  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402
from pyspark.sql import SparkSession, functions  # noqa: E402
from pyspark.sql.types import DoubleType  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import XOR, check_history, iris_frame, make_frame, read_golden  # noqa: E402
from spark.jvm.stages import estimator_of, transform  # noqa: E402

TOLERANCE = 1e-12  # of outputs from equal weights
OLDEST_GLIBC = (2, 36)  # that the wheel needs
X, Y = read_iris()
NETWORK = random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2))


def arrays_of(frame: Any, name: str) -> np.ndarray:
    return np.array([row[name].toArray() for row in frame.collect()])


def test_the_jar_needs_no_newer_system_than_the_wheel() -> None:
    try:
        jars = [jar_path("2.12"), jar_path("2.13")]
    except NotCompiled as error:
        pytest.skip(str(error))
    for path in jars:
        with zipfile.ZipFile(path) as archive:
            library = archive.read("io/mlp/spark/linux-x86_64/libmlp_jni.so")
        needed = {tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)}
        assert needed and max(needed) <= OLDEST_GLIBC
        assert b"libstdc++.so" not in library


def test_the_jar_is_that_of_sparks_scala(session: Any, classes: Any) -> None:
    scala = session._jvm.scala.util.Properties.versionNumberString()

    assert jar_path().endswith(f"_{scala.rpartition('.')[0]}.jar")
    with pytest.raises(ParamError, match="scala must be 2.12 or 2.13; got '3'"):
        jar_path("3")


def test_the_jar_is_added_to_a_session_that_starts_later(
    session: Any, classes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = SparkSession.builder.config("spark.jars", "/other.jar")
    assert has_jar(session)
    assert enable_jar(builder) is builder
    assert builder._options["spark.jars"] == "/other.jar"

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    assert enable_jar(builder)._options["spark.jars"] == f"/other.jar,{jar_path()}"
    assert enable_jar()._options["spark.jars"] == jar_path()
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars other.jar pyspark-shell")
    with pytest.raises(MLPError, match="PYSPARK_SUBMIT_ARGS has jars, .*add /.*jar to them$"):
        enable_jar()
    monkeypatch.setattr(SparkContext, "_jvm", None)
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    with pytest.raises(MLPError, match="it runs already; .*or start Spark with --jars /.*jar$"):
        enable_jar()


@pytest.mark.parametrize("arguments", ["--jars /a.jar,/own.jar", "--conf spark.jars=/own.jar"])
def test_arguments_that_have_the_jar_need_no_other(
    arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jar, "jar_path", lambda: "/own.jar")
    for name in ("_active_spark_context", "_jvm"):
        monkeypatch.setattr(SparkContext, name, None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{arguments} pyspark-shell")
    builder = SparkSession.builder.config("spark.jars", "/other.jar")

    assert enable_jar(builder) is builder
    assert builder._options["spark.jars"] == "/other.jar"


def test_a_session_without_the_jar_says_so(
    session: Any, classes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jar, "CLASS", "NoSuchModel")

    assert not has_jar(session)
    for context in (session.sparkContext, None):
        monkeypatch.setattr(SparkContext, "_active_spark_context", context)
        with pytest.raises(MLPError, match="call enable_jar before the first session"):
            enable_jar()


SESSIONS = """
from mlp import MLPError
from mlp.spark import enable_jar
from mlp.spark.jar import has_jar
from pyspark.sql import SparkSession

def start(builder):
    return builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()

session = start(enable_jar(SparkSession.builder))
found = [has_jar(session)]
session.stop()
session = start(SparkSession.builder.config("spark.jars", ""))
found.append(has_jar(session))
try:
    enable_jar()
except MLPError:
    found.append("refused")
session.stop()
print(found, has_jar(start(enable_jar(SparkSession.builder))))
"""


@pytest.mark.slow
def test_a_session_without_the_jar_after_one_with_it_says_so(classes: Any) -> None:
    result = subprocess.run(
        [sys.executable, "-c", SESSIONS], capture_output=True, text=True, check=True, timeout=180
    )

    assert result.stdout.splitlines()[-1] == "[True, False, 'refused'] True"


def test_columns_are_those_of_sparks_model(session: Any, classes: Any) -> None:
    frame = iris_frame(session, [100, 0, 50]).selectExpr("*", "array(label) AS more")
    expected = MultilayerPerceptronClassificationModel(NETWORK).to_spark().transform(frame)

    scored = transform(classes.NativeMlpModel().setModelText(NETWORK.to_json()), frame)

    assert scored.schema.json() == expected.schema.json()
    for ours, theirs in zip(scored.collect(), expected.collect()):
        assert ours[:3] == theirs[:3] and ours.prediction == theirs.prediction
        for name in ("rawPrediction", "probability"):
            assert abs(ours[name].toArray() - theirs[name].toArray()).max() <= TOLERANCE


def test_columns_may_have_other_names_and_be_left_out(session: Any, classes: Any) -> None:
    frame = iris_frame(session).withColumnRenamed("features", "x")
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json()).setFeaturesCol("x")
    model.setRawPredictionCol("").setProbabilityCol("p").setPredictionCol("")

    assert transform(model, frame).columns == ["x", "label", "p"]
    with pytest.raises(Exception, match="Column label already exists"):
        transform(model.setPredictionCol("label"), frame)


def test_reads_a_model_file_and_all_kinds_of_features(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    relu = MLPClassifier(seed=1, max_iter=5).fit(X, np.array(["a", "b", "c"])[Y]).model_
    relu.save(tmp_path / "model.json")
    model = classes.NativeMlpModel().setModelPath(f"file://{tmp_path}/model.json")
    rows = [(Vectors.sparse(4, {1: 2.0}),), (Vectors.dense([0.0, 2.0, 0.0, 0.0]),)]
    vectors = session.createDataFrame(rows, ["features"]).coalesce(1)
    arrays = session.sql("SELECT array(0, 2, 0, 0) AS features")

    expected = relu.predict_proba([[0.0, 2.0, 0.0, 0.0]])
    for frame in (vectors, arrays):
        found = arrays_of(transform(model, frame), "probability")
        assert abs(found - expected).max() <= TOLERANCE


def test_regressors_predict_numbers(session: Any, classes: Any) -> None:
    network = MLPRegressor(seed=1, max_iter=5).fit(X, X[:, 0]).model_
    model = classes.NativeMlpRegressionModel().setModelText(network.to_json())

    scored = transform(model, iris_frame(session))

    assert scored.columns == ["features", "label", "prediction"]
    found = [row.prediction for row in scored.collect()]
    np.testing.assert_allclose(found, network.predict(X), rtol=TOLERANCE)


def test_many_rows_and_partitions_are_scored_in_order(session: Any, classes: Any) -> None:
    many = np.tile(X, (7, 1))
    frame = make_frame(session, many, np.tile(Y, 7), [700, 0, 1, 349])
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json())

    found = arrays_of(transform(model, frame), "probability")

    assert abs(found - NETWORK.predict_proba(many)).max() <= TOLERANCE


@pytest.mark.parametrize("rows, sentence", [
    ([(Vectors.dense([1.0]),)], "a row must have 4 features; got 1"),
    ([(Vectors.dense([1.0] * 4),), (None,)], "the features of a row are null"),
], ids=["width", "null"])
def test_refuses_bad_rows(rows: Any, sentence: str, session: Any, classes: Any) -> None:
    frame = session.createDataFrame([(Vectors.dense([1.0] * 4),), *rows], ["features"]).coalesce(1)
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json())

    with pytest.raises(Exception, match=sentence):
        transform(model, frame).collect()


def test_nan_gives_what_spark_gives(session: Any, classes: Any) -> None:
    rows = [[np.nan, 0.0, 1.0, 2.0], [np.inf, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 4.0]]
    frame = session.createDataFrame([(Vectors.dense(row),) for row in rows], ["features"])
    expected = MultilayerPerceptronClassificationModel(NETWORK).to_spark().transform(frame)

    scored = transform(classes.NativeMlpModel().setModelText(NETWORK.to_json()), frame)

    own, theirs = arrays_of(scored, "probability"), arrays_of(expected, "probability")
    np.testing.assert_allclose(own, theirs, atol=TOLERANCE)
    assert np.isnan(own[0]).all() and np.isfinite(own[1:]).all()
    assert scored.select("prediction").collect() == expected.select("prediction").collect()


def test_refuses_bad_models_and_columns(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    frame = iris_frame(session)
    (tmp_path / "damaged.json").write_text(NETWORK.to_json()[:-40])
    model = classes.NativeMlpModel
    text = NETWORK.to_json()

    for make, sentence in [
        (model, "there is no model; set modelPath or modelText"),
        (lambda: model().setModelPath("file:///no/model.json"),
         "cannot read the model file:///no/"),
        (lambda: model().setModelPath(f"file://{tmp_path}/damaged.json"),
         "damaged.json: model:[0-9]+:"),
        (lambda: model().setModelText(text).setFeaturesCol("x"), "there is no column x"),
        (lambda: model().setModelText(text).setFeaturesCol("label"), "must be a vector or"),
    ]:
        with pytest.raises(Exception, match=sentence):
            transform(make(), frame)


def test_functions_of_sql_score_rows(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    path = f"{tmp_path}/model.json"
    NETWORK.save(path)
    iris_frame(session).createOrReplaceTempView("flowers")
    session.udf.registerJavaFunction("mlp_predict", "io.mlp.spark.ScoreUdf", DoubleType())
    classes.ScoreUdf.register(session._jsparkSession, "score", path)

    rows = session.sql(
        f"SELECT mlp_predict(features, '{path}') AS a, score(features) AS b, "
        "score_probability(features) AS p FROM flowers"
    ).collect()

    expected = NETWORK._core.predict_index(X).tolist()
    assert [row.a for row in rows] == [row.b for row in rows] == expected
    found = np.array([row.p.toArray() for row in rows])
    assert abs(found - NETWORK.predict_proba(X)).max() <= TOLERANCE
    (row,) = session.sql("SELECT score(null), score(array(1, 2, 3, 4)) IS NULL").collect()
    assert tuple(row) == (None, False)
    with pytest.raises(Exception, match="a row must have 4 features; got 2"):
        session.sql("SELECT score(array(1, 2))").collect()


@pytest.mark.parametrize("name", ["iris_3_partitions", "iris_gd", "xor_2_5_2_seed123"])
def test_trains_with_the_history_of_spark(name: str, session: Any, classes: Any) -> None:
    fit = read_golden(name)
    data = XOR if name.startswith("xor") else (X, Y)
    params = {"seed": fit["effectiveSeed"]} | fit["params"]

    model = estimator_of(classes, session, **params).fit(
        make_frame(session, *data, fit.get("partitionSizes"))._jdf
    )

    trained = Model.from_json(model.toJson())
    check_history(trained.objective_history, fit)
    assert trained.convergence_reason == fit.get("convergenceReason", trained.convergence_reason)


def test_rows_count_by_their_weights(session: Any, classes: Any) -> None:
    frame = iris_frame(session).selectExpr("*", "label + 1 AS weight")
    params = {"layers": [4, 3, 3], "maxIter": 5, "seed": 1}
    expected = MLPClassifier(layers=[4, 3, 3], max_iter=5, seed=1).fit(X, Y, sample_weight=Y + 1)

    model = estimator_of(classes, session, weightCol="weight", **params).fit(frame._jdf)

    assert Model.from_json(model.toJson()).weights.tolist() == expected.model_.weights.tolist()


def test_a_weight_column_without_a_name_is_none(session: Any, classes: Any) -> None:
    frame = iris_frame(session)
    params = {"layers": [4, 3], "maxIter": 5, "seed": 1}

    model = estimator_of(classes, session, weightCol="", **params).fit(frame._jdf)

    expected = estimator_of(classes, session, **params).fit(frame._jdf)
    assert model.toJson() == expected.toJson()


def test_the_query_of_a_training_runs_once(session: Any, classes: Any) -> None:
    rows = session.sparkContext.accumulator(0)

    def count(label: float) -> float:
        rows.add(1)
        return label

    counted = functions.udf(count, DoubleType()).asNondeterministic()
    frame = iris_frame(session).select("features", counted("label").alias("label"))

    estimator_of(classes, session, layers=[4, 3], maxIter=2, seed=1).fit(
        frame.repartition(3)._jdf
    )

    assert rows.value == len(X)


def test_refuses_bad_trainings(session: Any, classes: Any) -> None:
    frame = iris_frame(session)

    for params, data, sentence in [
        ({}, frame, "layers is not set"),
        ({"layers": [4, 2]}, frame, "label"),
        ({"layers": [4, 3]}, frame.selectExpr("features", "'a' AS label"),
         "requirement failed: Column label must be of type numeric but was actually of type str"),
        ({"layers": [4, 3], "weightCol": "features"}, frame, "features must be of type numeric"),
        ({"layers": [4, 3], "weightCol": "x"}, frame, "there is no column x"),
        ({"layers": [3, 3]}, frame, "3|4"),
        ({"layers": [4, 3], "maxIter": -1}, frame, "maxIter"),
        ({"layers": [4, 3]}, frame.where("label > 7"), "there are no rows to train on"),
    ]:
        with pytest.raises(Exception, match=sentence):
            estimator_of(classes, session, **params).fit(data._jdf)


def test_pipelines_save_and_load_by_name(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    frame = iris_frame(session)
    ml = session._jvm.org.apache.spark.ml
    stages = session.sparkContext._gateway.new_array(ml.PipelineStage, 1)
    stages[0] = estimator_of(classes, session, layers=[4, 3], maxIter=5, seed=1)
    pipeline = ml.Pipeline().setStages(stages)
    model = pipeline.fit(frame._jdf)

    pipeline.save(f"{tmp_path}/pipeline")
    model.save(f"{tmp_path}/model")
    again = ml.Pipeline.load(f"{tmp_path}/pipeline").fit(frame._jdf)
    loaded = ml.PipelineModel.load(f"{tmp_path}/model")

    expected = transform(model, frame).collect()
    assert transform(loaded, frame).collect() == transform(again, frame).collect() == expected
