# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Stages of the jar become Spark's own, and Spark's own become stages of the jar."""

import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402
from mlp import MLPRegressor, Model  # noqa: E402

from formats.networks import TOLERANCE, random_model, random_scaler  # noqa: E402
from spark.frames import iris_frame  # noqa: E402
from spark.jvm.stages import estimator_of, java_array, transform  # noqa: E402

X, Y = read_iris()
LAYERS = [4, 5, 3]
NUM_WEIGHTS = 43
COLUMNS = {
    "featuresCol": "x", "labelCol": "y", "predictionCol": "p", "probabilityCol": "q",
    "rawPredictionCol": "r",
}
HYPER_PARAMETERS = {
    "maxIter": 7, "tol": 1e-3, "blockSize": 16, "solver": "gd", "stepSize": 0.25, "seed": 11,
}
# Five iterations add up rounding errors of sums in another order.
WEIGHTS_TOLERANCE = 1e-6


def spark_estimator(session: Any, **params: Any) -> Any:
    made = session._jvm.org.apache.spark.ml.classification.MultilayerPerceptronClassifier()
    made.setLayers(java_array(session, session._jvm.int, LAYERS))
    for name, value in params.items():
        made.set(made.getParam(name).w(value))
    return made


def vector(session: Any, values: Any) -> Any:
    numbers = java_array(session, session._jvm.double, [float(value) for value in values])
    return session._jvm.org.apache.spark.ml.linalg.Vectors.dense(numbers)


def values_of(stage: Any) -> dict[str, Any]:
    """The values in effect of all Params, set or default."""
    values = {}
    for param in stage.params():
        if stage.isDefined(param):
            value = stage.getOrDefault(param)
            is_array = param.name() in ("layers", "thresholds")
            values[param.name()] = list(value) if is_array else str(value)
    return values


def all_params(session: Any) -> dict[str, Any]:
    weights = vector(session, np.linspace(-1, 1, NUM_WEIGHTS))
    thresholds = java_array(session, session._jvm.double, [0.5, 0.25, 0.25])
    return COLUMNS | HYPER_PARAMETERS | {"initialWeights": weights, "thresholds": thresholds}


def test_an_estimator_of_spark_keeps_all_params_on_the_way_to_the_jar_and_back(
    session: Any, classes: Any
) -> None:
    spark = spark_estimator(session, **all_params(session))

    own = classes.NativeMlpClassifier.fromSpark(spark)
    back = own.toSpark()

    assert values_of(own) == values_of(back) == values_of(spark)
    assert own.uid() == back.uid() == spark.uid()
    assert own.getOrDefault(own.maxIter()) == 7 and own.isSet(own.initialWeights())
    names = {param.name() for param in spark.params()}
    assert names == set(values_of(spark))


def test_an_estimator_of_the_jar_has_the_defaults_of_spark(session: Any, classes: Any) -> None:
    spark = spark_estimator(session, maxIter=5)
    frame = iris_frame(session)._jdf

    expected = spark.fit(frame).weights().toArray()
    for own in (classes.NativeMlpClassifier.fromSpark(spark),
                estimator_of(classes, session, layers=LAYERS, maxIter=5)):
        weights = own.fit(frame).toSpark().weights().toArray()
        np.testing.assert_allclose(weights, expected, rtol=0, atol=WEIGHTS_TOLERANCE)
        again = own.toSpark().fit(frame).weights().toArray()
        assert list(again) == list(expected)


def test_initial_weights_are_where_a_training_starts(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    weights = np.random.default_rng(3).normal(size=NUM_WEIGHTS)
    estimator = estimator_of(classes, session, layers=LAYERS, maxIter=0)
    estimator.setInitialWeights(vector(session, weights))

    estimator.save(f"{tmp_path}/estimator")
    loaded = classes.NativeMlpClassifier.load(f"{tmp_path}/estimator")

    model = loaded.fit(iris_frame(session)._jdf)
    assert list(model.toSpark().weights().toArray()) == weights.tolist()
    assert list(model.getOrDefault(model.initialWeights()).toArray()) == weights.tolist()
    estimator.setInitialWeights(vector(session, weights[1:]))
    with pytest.raises(Exception, match="initialWeights must be 43 numbers .*; got 42"):
        estimator.fit(iris_frame(session)._jdf)


@pytest.mark.parametrize("params, sentence", [
    ({"solver": "adam"},
     r"Spark's MultilayerPerceptronClassifier has no solver adam; call clear\(solver\(\)\), or "),
    ({"weightCol": "w"},
     r"Spark's MultilayerPerceptronClassifier has no weightCol; call clear\(weightCol\(\)\), or "),
], ids=["solver", "weights"])
def test_an_estimator_that_spark_lacks_is_refused(
    params: Any, sentence: str, session: Any, classes: Any
) -> None:
    estimator = estimator_of(classes, session, layers=LAYERS, **params)

    with pytest.raises(Exception, match=sentence):
        estimator.toSpark()

    assert estimator.clear(estimator.getParam(next(iter(params)))).toSpark() is not None
    estimator.setWeightCol("")  # no column
    assert estimator.toSpark() is not None


def test_a_model_of_spark_keeps_all_params_on_the_way_to_the_jar_and_back(
    session: Any, classes: Any
) -> None:
    params = all_params(session)
    frame = iris_frame(session).toDF("x", "y")
    spark = spark_estimator(session, **params).fit(frame._jdf)

    own = classes.NativeMlpModel.fromSpark(spark)
    back = own.toSpark()

    assert values_of(back) == values_of(spark)
    assert values_of(own) == {k: v for k, v in values_of(spark).items() if k != "layers"}
    assert list(own.getLayers()) == LAYERS and own.uid() == back.uid() == spark.uid()
    assert list(back.weights().toArray()) == list(spark.weights().toArray())
    scored = transform(own, frame)
    assert scored.columns == ["x", "y", "r", "q", "p"]
    expected = transform(spark, frame).select("p").collect()
    assert scored.select("p").collect() == transform(back, frame).select("p").collect() == expected


def test_the_model_file_of_sparks_model_has_its_hyper_parameters(
    session: Any, classes: Any
) -> None:
    spark = spark_estimator(session, **HYPER_PARAMETERS).fit(iris_frame(session)._jdf)

    network = Model.from_json(classes.NativeMlpModel.fromSpark(spark).toJson())

    assert network.weights.tolist() == list(spark.weights().toArray())
    assert network._core.param("solver") == '"gd"' and network._core.param("maxIter") == "7"
    assert network._core.param("seed") == "11"


def test_a_model_that_the_jar_has_trained_keeps_its_hyper_parameters(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    estimator = estimator_of(classes, session, layers=LAYERS, **HYPER_PARAMETERS)
    model = estimator.fit(iris_frame(session)._jdf)

    model.save(f"{tmp_path}/model")
    loaded = classes.NativeMlpModel.load(f"{tmp_path}/model")

    for stage in (model, loaded, model.toSpark(), loaded.copy(
            session._jvm.org.apache.spark.ml.param.ParamMap())):
        values = values_of(stage)
        assert {name: values[name] for name in HYPER_PARAMETERS} == {
            name: str(value) for name, value in HYPER_PARAMETERS.items()}


def test_a_scaler_and_thresholds_of_a_model_file_go_to_spark(session: Any, classes: Any) -> None:
    network = random_model(
        (4, 5, 3), batch_norm=(1,), scaler=random_scaler(4), thresholds=(0.5, 0.25, 0.25),
        label_names=("a", "b", "c"),
    )
    frame = iris_frame(session)

    model = classes.NativeMlpModel().setModelText(network.to_json()).toSpark()

    scored = transform(model, frame)
    found = np.array([row.probability.toArray() for row in scored.collect()])
    assert abs(found - network.predict_proba(X)).max() <= TOLERANCE
    assert list(model.getThresholds()) == [0.5, 0.25, 0.25]
    own = classes.NativeMlpModel().setModelText(network.to_json())
    own.setThresholds(java_array(session, session._jvm.double, [0.0, 1.0, 1.0]))
    assert list(own.toSpark().getThresholds()) == [0.0, 1.0, 1.0]


def test_a_solver_that_spark_lacks_is_left_out_of_its_model(session: Any, classes: Any) -> None:
    estimator = estimator_of(
        classes, session, layers=[4, 3], solver="adam", stepSize=0.01, maxIter=2, seed=1)

    model = estimator.fit(iris_frame(session)._jdf)

    spark = model.toSpark()
    assert model.getOrDefault(model.solver()) == "adam"
    assert spark.getSolver() == "l-bfgs" and spark.getStepSize() == 0.01


@pytest.mark.parametrize("name, reason", [
    ("relu", "its hidden layers have the activation relu; train with activation sigmoid"),
    ("regressor", "it predicts numbers, and Spark's model predicts classes"),
    ("none", "there is no model; set modelPath or modelText"),
])
def test_a_network_that_spark_cannot_express_is_refused(
    name: str, reason: str, session: Any, classes: Any
) -> None:
    model = classes.NativeMlpModel()
    if name == "relu":
        model.setModelText(random_model((4, 5, 3), activations=("relu",)).to_json())
    if name == "regressor":
        model.setModelText(MLPRegressor(seed=1, max_iter=2).fit(X, X[:, 0]).model_.to_json())

    with pytest.raises(Exception) as caught:
        model.toSpark()

    assert reason in str(caught.value)
    is_refusal = "MultilayerPerceptronClassificationModel cannot express this model: "
    assert name == "none" or is_refusal in str(caught.value)


def test_weights_that_are_not_finite_are_refused(session: Any, classes: Any) -> None:
    ml = session._jvm.org.apache.spark.ml.classification
    weights = [1.0] * 14 + [float("nan")]
    model = ml.MultilayerPerceptronClassificationModel("mlp_1", vector(session, weights))
    model.set(model.layers(), java_array(session, session._jvm.int, [4, 3]))

    with pytest.raises(Exception, match=r"model: \$.weights.data\[14\]"):
        classes.NativeMlpModel.fromSpark(model)
