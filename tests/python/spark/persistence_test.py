# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Saved estimators, models and pipelines, in our classes and in Spark's."""

import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
import pyspark.ml.classification as spark  # noqa: E402
from mlp.formats import read_spark  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
)
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.feature import StandardScaler  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from spark.frames import iris_frame  # noqa: E402

TOLERANCE = 1e-12  # of probabilities from equal weights


def make_estimator(**params: Any) -> MultilayerPerceptronClassifier:
    given = {"layers": [4, 5, 3], "maxIter": 5, "seed": 1} | params
    return MultilayerPerceptronClassifier(**given)


def probabilities(model: Any, frame: Any) -> np.ndarray:
    return np.array([row.probability.toArray() for row in model.transform(frame).collect()])


def test_spark_loads_our_model(session: Any, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session)
    model = make_estimator().fit(frame)
    model.save(str(tmp_path / "model"))

    theirs = spark.MultilayerPerceptronClassificationModel.load(str(tmp_path / "model"))

    assert theirs.weights == model.weights
    difference = probabilities(theirs, frame) - probabilities(model, frame)
    assert abs(difference).max() <= TOLERANCE
    assert read_spark(tmp_path / "model").weights.tolist() == model.weights.toArray().tolist()


def test_we_load_sparks_model(session: Any, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session)
    classifier = spark.MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=5, seed=1)
    theirs = classifier.setThresholds([0.5, 0.2, 0.3]).fit(frame)
    theirs.save(str(tmp_path / "model"))

    model = MultilayerPerceptronClassificationModel.load(str(tmp_path / "model"))

    assert (model.weights, model.uid) == (theirs.weights, theirs.uid)
    assert (model.getThresholds(), model.getMaxIter()) == ([0.5, 0.2, 0.3], 5)
    difference = probabilities(theirs, frame) - probabilities(model, frame)
    assert abs(difference).max() <= TOLERANCE


def test_our_model_keeps_what_spark_does_not_have(session: Any, tmp_path: pathlib.Path) -> None:
    model = make_estimator(regParam=0.25, patience=3).fit(iris_frame(session))
    model.setThresholds([0.5, 0.2, 0.3]).save(str(tmp_path / "model"))

    again = MultilayerPerceptronClassificationModel.load(str(tmp_path / "model"))

    assert again.objectiveHistory == model.objectiveHistory
    assert (again.getRegParam(), again.getPatience(), again.uid) == (0.25, 3, model.uid)
    assert named(again.extractParamMap()) == named(model.extractParamMap())


def named(params: Any) -> dict[str, Any]:
    return {param.name: value for param, value in params.items()}


ESTIMATORS = {
    "spark": {},
    "initial weights": {"initialWeights": Vectors.dense(np.arange(43.0))},
    "extras": {"activation": ["relu"], "weightCol": "weight", "numWorkers": 2},
    "solver": {"solver": "adam", "batchSize": 16, "schedule": "cosine"},
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_are_loaded_with_their_params(
    name: str, session: Any, tmp_path: pathlib.Path
) -> None:
    estimator = make_estimator(**ESTIMATORS[name])
    estimator.save(str(tmp_path / "estimator"))

    again = MultilayerPerceptronClassifier.load(str(tmp_path / "estimator"))

    assert named(again.extractParamMap()) == named(estimator.extractParamMap())
    assert again.uid == estimator.uid


def test_spark_loads_our_estimator(session: Any, tmp_path: pathlib.Path) -> None:
    make_estimator().save(str(tmp_path / "estimator"))

    theirs = spark.MultilayerPerceptronClassifier.load(str(tmp_path / "estimator"))

    assert (theirs.getLayers(), theirs.getMaxIter(), theirs.getSeed()) == ([4, 5, 3], 5, 1)


def test_refuses_an_existing_path_as_spark_does(session: Any, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "estimator")
    for estimator in (make_estimator(), make_estimator(activation="relu")):
        estimator.write().overwrite().save(path)

        with pytest.raises(Exception, match="already exists. To overwrite it, please use write"):
            estimator.save(path)

    assert MultilayerPerceptronClassifier.load(path).getActivation() == "relu"


def test_names_a_folder_of_another_class(session: Any, tmp_path: pathlib.Path) -> None:
    make_estimator().save(str(tmp_path / "estimator"))

    with pytest.raises(ValueError, match="Expected class name .*Model but found class name"):
        MultilayerPerceptronClassificationModel.load(str(tmp_path / "estimator"))


def test_plain_spark_loads_our_pipeline(session: Any, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session)
    scaler = StandardScaler(inputCol="features", outputCol="scaled", withMean=True)
    pipeline = Pipeline(stages=[scaler, make_estimator(featuresCol="scaled")])
    fitted = pipeline.fit(frame)
    fitted.save(str(tmp_path / "pipeline"))

    again = PipelineModel.load(str(tmp_path / "pipeline"))

    assert type(again.stages[1]) is spark.MultilayerPerceptronClassificationModel
    difference = probabilities(again, frame) - probabilities(fitted, frame)
    assert abs(difference).max() <= TOLERANCE


def test_a_pipeline_keeps_a_stage_that_spark_cannot_express(
    session: Any, tmp_path: pathlib.Path
) -> None:
    pipeline = Pipeline(stages=[make_estimator(activation="relu", regParam=0.5)])
    pipeline.save(str(tmp_path / "pipeline"))

    (again,) = Pipeline.load(str(tmp_path / "pipeline")).getStages()

    assert type(again) is MultilayerPerceptronClassifier
    assert (again.getActivation(), again.getRegParam()) == ("relu", 0.5)


def test_a_fitted_pipeline_keeps_a_network_that_spark_cannot_express(
    session: Any, tmp_path: pathlib.Path
) -> None:
    frame = iris_frame(session)
    fitted = Pipeline(stages=[make_estimator(activation="relu")]).fit(frame)
    fitted.save(str(tmp_path / "pipeline"))

    (again,) = PipelineModel.load(str(tmp_path / "pipeline")).stages

    assert type(again) is MultilayerPerceptronClassificationModel
    assert again.model == fitted.stages[0].model
