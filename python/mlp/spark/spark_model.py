# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""PySpark's own classes, and conversions to them.

This module imports PySpark's classes once. Its names keep meaning PySpark's classes after
`alias.install` has replaced them in PySpark's module.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from pyspark.errors import IllegalArgumentException
from pyspark.ml.classification import (
    MultilayerPerceptronClassificationModel as SparkModel,
)
from pyspark.ml.classification import (
    MultilayerPerceptronClassificationSummary as SparkSummary,
)
from pyspark.ml.classification import (
    MultilayerPerceptronClassificationTrainingSummary as SparkTrainingSummary,
)
from pyspark.ml.classification import MultilayerPerceptronClassifier as SparkClassifier
from pyspark.ml.common import _py2java
from pyspark.ml.linalg import DenseVector, Vectors
from pyspark.ml.param import Params
from pyspark.ml.wrapper import JavaWrapper
from pyspark.sql.utils import is_remote

from .. import _core
from .._settings import to_text
from .extra_params import has_mini_batches, optional
from .session import current_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "SparkClassifier",
    "SparkModel",
    "SparkSummary",
    "SparkTrainingSummary",
    "check_params",
    "copy_params",
    "make_spark_classifier",
    "make_spark_model",
    "make_summary",
    "refuse_thresholds",
    "wrap_java",
]

PACKAGE = "org.apache.spark.ml.classification."
MOST_INT = 2**31 - 1  # of Java


def copy_params(source: Params, target: Params) -> None:
    """Copies the Params that both have, what is set and the defaults."""
    for param in source.params:
        if not target.hasParam(param.name):
            continue
        if source.hasDefault(param):
            target._setDefault(**{param.name: source._defaultParamMap[param]})
        if source.isSet(param):
            target._set(**{param.name: source._paramMap[param]})


def copy_to_spark(source: Params, target: Params) -> None:
    """Copies Params to a class of PySpark, without a solver that Spark lacks."""
    copy_params(source, target)
    if has_mini_batches(source):
        Params.clear(target, target.getParam("solver"))


def make_spark_classifier(source: Params) -> SparkClassifier:
    """Makes PySpark's own estimator with the Params of ours."""
    target = SparkClassifier()
    if not is_remote():
        java_class = PACKAGE + "MultilayerPerceptronClassifier"
        target._java_obj = JavaWrapper._new_java_obj(java_class, source.uid)
    target._resetUid(source.uid)
    copy_to_spark(source, target)
    return target


def check_params(source: Params, dataset: DataFrame) -> None:
    """Lets Spark check the Params of an estimator and the columns of a dataset.

    With Spark Connect, which has no access to these checks, only the library checks.
    """
    if is_remote():
        return
    refuse_large_integers(source)
    spark = make_spark_classifier(source)
    spark._transfer_params_to_java()
    spark._java_obj.transformSchema(dataset._jdf.schema())
    spark._call_java("getLayers")


def refuse_large_integers(source: Params) -> None:
    """Refuses integers that do not fit in a long or an int of Java."""
    params = _core.Params()
    params.set("seed", to_text(source.getOrDefault("seed")))
    layers = optional(source, "layers") or []
    if any(size > MOST_INT for size in layers):
        params.set("layers", to_text(layers))
        params.validate()


def make_spark_model(
    source: Params, weights: NDArray[np.float64], session: SparkSession | None = None
) -> SparkModel:
    """Makes PySpark's own model with these weights and the Params of `source`.

    Parameters
    ----------
    session : SparkSession, optional
        Where a model of Spark Connect lives; by default the current session.
    """
    vector = DenseVector(weights)
    if is_remote():
        session = session or current_session("to_spark")
        model = train_no_step(session, source.getOrDefault("layers"), vector)
    else:
        java_class = PACKAGE + "MultilayerPerceptronClassificationModel"
        model = SparkModel(JavaWrapper._new_java_obj(java_class, source.uid, vector))
    model._resetUid(source.uid)
    copy_to_spark(source, model)
    if not is_remote():
        model._transfer_params_to_java()
    return model


def train_no_step(
    session: SparkSession, layers: list[int], weights: DenseVector
) -> SparkModel:
    """Makes a model with Spark Connect: a training of no iteration keeps its weights."""
    rows = [(Vectors.dense([0.0] * layers[0]), 0.0)]
    dataset = session.createDataFrame(rows, ["features", "label"])
    classifier = SparkClassifier(layers=layers, initialWeights=weights, maxIter=0)
    return classifier.fit(dataset)


def make_summary(
    predictions: DataFrame,
    prediction_col: str,
    label_col: str,
    weight_col: str,
    objective_history: NDArray[np.float64] | None = None,
) -> Any:
    """Makes Spark's summary of predictions, of a training if it has a history."""
    names = (predictions._jdf, prediction_col, label_col, weight_col)
    if objective_history is None:
        java_class = PACKAGE + "MultilayerPerceptronClassificationSummaryImpl"
        return SparkSummary(JavaWrapper._new_java_obj(java_class, *names))
    java_class = PACKAGE + "MultilayerPerceptronClassificationTrainingSummaryImpl"
    context = predictions.sparkSession.sparkContext
    # As a vector, all numbers go to the JVM at once.
    history = _py2java(context, DenseVector(objective_history)).toArray()
    return SparkTrainingSummary(JavaWrapper._new_java_obj(java_class, *names, history))


def refuse_thresholds(num_classes: int, thresholds: list[float]) -> NoReturn:
    raise IllegalArgumentException(
        "requirement failed: MultilayerPerceptronClassificationModel.transform() called with "
        f"non-matching numClasses and thresholds.length. numClasses={num_classes}, but "
        f"thresholds has length {len(thresholds)}"
    )


def wrap_java(instance: Any, java_stage: Any) -> Any:
    """Gives an object of PySpark another object of the JVM, with its Params."""
    instance._java_obj = java_stage
    instance._resetUid(java_stage.uid())
    instance._transfer_params_from_java()
    return instance
