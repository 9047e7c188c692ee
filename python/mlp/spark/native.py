# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models as stages of the jar, for Scala, Java and pipelines of the JVM, and back."""
from __future__ import annotations

from typing import Any, Union

from pyspark import SparkContext
from pyspark.ml.classification import (
    MultilayerPerceptronClassificationModel as SparkModel,
)
from pyspark.ml.common import _java2py, _py2java

from ..errors import NotCompiled, ParamError
from ..model import Model
from .classification import MultilayerPerceptronClassificationModel
from .jar import REGRESSION_CLASS, has_jar, make_stage
from .regression import MultilayerPerceptronRegressionModel
from .session import current_session

__all__ = ["from_native", "to_native"]

SparkStage = Union[MultilayerPerceptronClassificationModel, MultilayerPerceptronRegressionModel]
COLUMNS = ("featuresCol", "predictionCol")
CLASS_COLUMNS = ("rawPredictionCol", "probabilityCol")
# Of a classifier, if they are set.
TRAINING_PARAMS = (
    "labelCol", "maxIter", "tol", "seed", "blockSize", "solver", "stepSize", "initialWeights",
)


def to_native(model: SparkStage | SparkModel) -> Any:
    """Makes the stage of the jar that predicts what a model predicts.

    Parameters
    ----------
    model : model of mlp.spark, or PySpark's MultilayerPerceptronClassificationModel
        Its columns, thresholds and hyper-parameters are those of the stage.

    Returns
    -------
    py4j.java_gateway.JavaObject
        A ``NativeMlpModel`` or ``NativeMlpRegressionModel`` of ``io.mlp.spark``, which ``save``
        writes for Scala and Java.

    Raises
    ------
    NotCompiled
        If the session has no jar; ``enable_jar`` adds it.
    """
    session = current_session("to_native")
    if not has_jar(session):
        raise NotCompiled("this session of Spark has no jar of mlp; start it with enable_jar")
    if isinstance(model, SparkModel):
        model = MultilayerPerceptronClassificationModel.from_spark(model)
    is_classifier = isinstance(model, MultilayerPerceptronClassificationModel)
    stage = make_stage(session, model._with_thresholds() if is_classifier else model._model)
    for name in COLUMNS + (CLASS_COLUMNS if is_classifier else ()):
        setter(stage, name)(model.getOrDefault(name))
    if is_classifier:
        copy_to_stage(model, stage, session.sparkContext)
    return stage


def from_native(stage: Any) -> SparkStage:
    """Makes a model of mlp.spark of a stage of the jar, such as one that the JVM has trained.

    ``to_spark`` of a classifier makes PySpark's own model of it.

    Parameters
    ----------
    stage : py4j.java_gateway.JavaObject
        A ``NativeMlpModel`` or ``NativeMlpRegressionModel``.

    Raises
    ------
    ParamError
        For another object.
    """
    if not hasattr(stage, "getClass") or not stage.getClass().getName().startswith("io.mlp.spark"):
        raise ParamError(f"stage must be a model of io.mlp.spark; got {type(stage).__name__}")
    network = Model.from_json(stage.toJson())
    is_regressor = stage.getClass().getSimpleName() == REGRESSION_CLASS
    names = COLUMNS if is_regressor else COLUMNS + CLASS_COLUMNS
    made = MultilayerPerceptronRegressionModel if is_regressor else (
        MultilayerPerceptronClassificationModel)
    model = made(network)
    model._resetUid(stage.uid())
    model._set(**{name: getter(stage, name)() for name in names})
    if not is_regressor and stage.isSet(stage.thresholds()):
        model._set(thresholds=list(stage.getThresholds()))
    if not is_regressor:
        copy_from_stage(stage, model, current_session("from_native").sparkContext)
    return model


def copy_to_stage(model: Any, stage: Any, context: SparkContext) -> None:
    for name in TRAINING_PARAMS:
        if model.isSet(name):
            # An integer of Python may be a long of Java, which the Param knows.
            pair = stage.getParam(name).w(_py2java(context, model.getOrDefault(name)))
            stage.set(pair)


def copy_from_stage(stage: Any, model: Any, context: SparkContext) -> None:
    for name in TRAINING_PARAMS:
        param = stage.getParam(name)
        if stage.isSet(param):
            model._set(**{name: _java2py(context, stage.getOrDefault(param))})


def setter(stage: Any, name: str) -> Any:
    return getattr(stage, f"set{name[0].upper()}{name[1:]}")


def getter(stage: Any, name: str) -> Any:
    return getattr(stage, f"get{name[0].upper()}{name[1:]}")
