# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The classes of the jar are Spark's probabilistic classifiers, and models of both languages."""

import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402
from mlp import MLPRegressor, ParamError  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronRegressionModel,
    from_native,
    to_native,
)

from pyspark.ml.linalg import Vectors  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame, make_frame  # noqa: E402
from spark.jvm.stages import estimator_of, java_array, transform  # noqa: E402

X, Y = read_iris()
NETWORK = random_model((4, 5, 3))
MOST_ERRORS = 10  # of 150 flowers, after 30 iterations


def num_right(frame: Any) -> int:
    return int(frame.where("prediction = label").count())


def test_one_vs_rest_trains_a_network_for_each_class(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    ml = session._jvm.org.apache.spark.ml.classification
    frame = iris_frame(session, [100, 0, 50])
    estimator = estimator_of(classes, session, layers=[4, 2], maxIter=30, seed=1)

    model = ml.OneVsRest().setClassifier(estimator).fit(frame._jdf)
    model.save(f"{tmp_path}/model")
    loaded = ml.OneVsRestModel.load(f"{tmp_path}/model")

    assert num_right(transform(model, frame)) >= len(X) - MOST_ERRORS
    assert num_right(transform(loaded, frame)) == num_right(transform(model, frame))


def test_cross_validation_searches_params(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    ml = session._jvm.org.apache.spark.ml
    frame = iris_frame(session)
    estimator = estimator_of(classes, session, layers=[4, 5, 3], seed=1)
    counts = java_array(session, session._jvm.int, [1, 30])
    grid = ml.tuning.ParamGridBuilder().addGrid(estimator.maxIter(), counts).build()
    evaluator = ml.evaluation.MulticlassClassificationEvaluator()
    search = ml.tuning.CrossValidator().setEstimator(estimator).setEvaluator(evaluator)

    model = search.setEstimatorParamMaps(grid).setNumFolds(2).setSeed(1).fit(frame._jdf)
    model.save(f"{tmp_path}/model")

    bad, good = model.avgMetrics()
    best = ml.tuning.CrossValidatorModel.load(f"{tmp_path}/model").bestModel()
    assert bad < good and best.toJson() == model.bestModel().toJson()


def test_thresholds_are_a_param(session: Any, classes: Any, tmp_path: pathlib.Path) -> None:
    thresholds = [0.9, 0.0, 0.3]
    frame = iris_frame(session)
    expected = MultilayerPerceptronClassificationModel(NETWORK).to_spark()
    expected.setThresholds(thresholds)
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json())

    model.setThresholds(java_array(session, session._jvm.double, thresholds))
    model.save(f"{tmp_path}/model")
    loaded = classes.NativeMlpModel.load(f"{tmp_path}/model")

    wanted = expected.transform(frame).select("prediction").collect()
    for stage in (model, loaded):
        assert transform(stage, frame).select("prediction").collect() == wanted


def test_thresholds_must_be_as_many_as_classes(session: Any, classes: Any) -> None:
    model = classes.NativeMlpModel().setModelText(random_model((4, 2)).to_json())
    model.setThresholds(java_array(session, session._jvm.double, [0.5, 0.5]))
    model.setModelText(NETWORK.to_json())

    with pytest.raises(Exception) as caught:
        transform(model, iris_frame(session))

    assert (
        "requirement failed: NativeMlpModel.transform() called with non-matching numClasses and "
        "thresholds.length. numClasses=3, but thresholds has length 2"
    ) in str(caught.value)


@pytest.mark.parametrize("is_in_file", [False, True], ids=["param", "file"])
def test_a_prediction_alone_ignores_thresholds(
    is_in_file: bool, session: Any, classes: Any
) -> None:
    thresholds = [0.9, 0.0, 0.3]
    network = random_model((4, 5, 3), thresholds=thresholds) if is_in_file else NETWORK
    model = classes.NativeMlpModel().setModelText(network.to_json())
    if not is_in_file:
        model.setThresholds(java_array(session, session._jvm.double, thresholds))
    frame = make_frame(session, X, Y)

    def predictions() -> list[float]:
        return [row.prediction for row in transform(model, frame).collect()]

    with_others = predictions()
    model.setRawPredictionCol("")
    with_probability = predictions()
    model.setProbabilityCol("")

    expected = network.decision_function(X).argmax(axis=1).tolist()
    assert predictions() == expected
    assert with_probability == with_others != expected


def test_a_column_in_another_case_is_replaced(session: Any, classes: Any) -> None:
    frame = iris_frame(session).selectExpr("features", "label AS PREDICTION", "label")
    expected = MultilayerPerceptronClassificationModel(NETWORK).to_spark().transform(frame)

    scored = transform(classes.NativeMlpModel().setModelText(NETWORK.to_json()), frame)

    assert scored.columns == expected.columns
    wanted = expected.select("prediction").collect()
    assert scored.select("prediction").collect() == wanted


def test_a_model_file_is_no_param(session: Any, classes: Any, tmp_path: pathlib.Path) -> None:
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json())

    model.save(f"{tmp_path}/model")

    assert "modelText" not in model.explainParams() and "layers" not in model.explainParams()
    assert (tmp_path / "model" / "model.json").read_text() == NETWORK.to_json()
    assert "weights" not in "".join(
        path.read_text() for path in (tmp_path / "model" / "metadata").glob("part-*"))
    assert (model.numClasses(), model.numFeatures()) == (3, 4)


def test_one_vector_has_the_outputs_of_the_library(session: Any, classes: Any) -> None:
    model = classes.NativeMlpModel().setModelText(NETWORK.to_json())
    vectors = session._jvm.org.apache.spark.ml.linalg.Vectors
    row = vectors.dense(java_array(session, session._jvm.double, X[7].tolist()))

    raw = model.predictRaw(row)

    np.testing.assert_allclose(raw.toArray(), NETWORK.decision_function(X[7:8])[0], rtol=1e-12)
    probability = NETWORK.predict_proba(X[7:8])[0]
    np.testing.assert_allclose(model.predictProbability(row).toArray(), probability, rtol=1e-12)
    np.testing.assert_allclose(model.raw2probabilityInPlace(raw).toArray(), probability, rtol=1e-12)
    assert model.predict(row) == probability.argmax()


def test_models_refuse_the_other_kind(session: Any, classes: Any) -> None:
    regressor = MLPRegressor(seed=1, max_iter=2).fit(X, X[:, 0]).model_

    for name, network, sentence in [
        ("NativeMlpModel", regressor, "use NativeMlpRegressionModel"),
        ("NativeMlpRegressionModel", NETWORK, "use NativeMlpModel"),
    ]:
        stage = getattr(classes, name)().setModelText(network.to_json())
        with pytest.raises(Exception, match=sentence):
            transform(stage, iris_frame(session))


def test_models_go_to_the_jvm_and_back(session: Any, classes: Any) -> None:
    frame = iris_frame(session)
    own = MultilayerPerceptronClassificationModel(NETWORK).setThresholds([0.9, 0.1, 0.3])
    own.setProbabilityCol("p")

    for model in (own, own.to_spark()):
        stage = to_native(model)
        back = from_native(stage)
        scored = transform(stage, frame)
        assert scored.columns == own.transform(frame).columns
        assert back.weights == own.weights and back.getProbabilityCol() == "p"
        assert back.getThresholds() == own.getThresholds()
        assert scored.collect() == back.transform(frame).collect()
    with pytest.raises(ParamError, match="must be a model of io.mlp.spark; got int"):
        from_native(3)


def test_hyper_parameters_go_to_the_jvm_and_back(session: Any, classes: Any) -> None:
    params = {
        "labelCol": "y", "maxIter": 7, "tol": 1e-3, "seed": 2**40, "blockSize": 16,
        "solver": "gd", "stepSize": 0.5, "initialWeights": Vectors.dense([0.25] * 43),
    }
    own = MultilayerPerceptronClassificationModel(NETWORK)
    own._set(**params)

    stage = to_native(own)
    back = from_native(stage)

    assert {name: back.getOrDefault(name) for name in params} == params
    assert stage.getOrDefault(stage.seed()) == 2**40
    assert stage.toSpark().getSolver() == "gd" and stage.toSpark().getSeed() == 2**40
    plain = from_native(classes.NativeMlpModel().setModelText(NETWORK.to_json()))
    assert not any(plain.isSet(name) for name in params)


def test_regressors_go_to_the_jvm_and_back(session: Any, classes: Any) -> None:
    network = MLPRegressor(seed=1, max_iter=2).fit(X, X[:, 0]).model_
    model = MultilayerPerceptronRegressionModel(network)

    stage = to_native(model.setPredictionCol("length"))
    back = from_native(stage)

    assert isinstance(back, MultilayerPerceptronRegressionModel)
    assert back.getPredictionCol() == "length"
    assert transform(stage, iris_frame(session)).columns == ["features", "label", "length"]
