# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models as the folders that Spark ML loads."""
from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._files import Write, new_folder
from ..errors import ModelError
from ..model import Model
from .regions import warn_of_lost_regions
from .spark_stage import (
    METADATA,
    PIPELINE_CLASS,
    SPARK_CLASS,
    SPARK_PARAMS,
    below,
    write_labels,
    write_stage,
    write_vector,
)

__all__ = ["is_expressible", "spark_weights", "write_spark"]

INDEXER_CLASS = "org.apache.spark.ml.feature.StringIndexerModel"
NAMER_CLASS = "org.apache.spark.ml.feature.IndexToString"
SPARK_SOLVERS = ("l-bfgs", "gd")
DOUBLES = ("tol", "stepSize", "thresholds")
COLUMNS = {
    "featuresCol": "features",
    "labelCol": "label",
    "predictionCol": "prediction",
    "probabilityCol": "probability",
    "rawPredictionCol": "rawPrediction",
}


def write_spark(
    model: Model,
    directory: str | os.PathLike[str],
    overwrite: bool = False,
    pipeline: bool | Literal["auto"] = "auto",
) -> None:
    """Writes a folder that Spark 3.0 and later load.

    It is a ``MultilayerPerceptronClassificationModel`` or, if the classes have names, a
    ``PipelineModel`` that also turns the names of the column of labels into indices and
    each prediction into a name, in the column ``predictedLabel``. The pipeline scores data
    without the column of labels too. The scaler of the model becomes a part of the first
    layer, and so does batch normalisation. Prediction sets are left out, with a warning.

    Parameters
    ----------
    model : Model
    directory : path
    overwrite : bool
        Replace a folder of Spark ML that exists.
    pipeline : bool or "auto"
        Whether to write a pipeline; "auto" does so if the classes have names.

    Raises
    ------
    ModelError
        If Spark does not support the network, or the folder exists.
    ResourceError
        If the folder cannot be written; an old one is as it was.
    ImportError
        If pyarrow is missing.

    Examples
    --------
    >>> import mlp, tempfile
    >>> from mlp.formats import read_spark, write_spark
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = mlp.MLPClassifier(layers=[2, 3, 2], seed=1).fit(X, y).model_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_spark(model, folder + "/xor")
    ...     read_spark(folder + "/xor").layers
    [2, 3, 2]
    """
    spark_weights(model)  # refuses what Spark cannot express
    warn_of_lost_regions(model, "Spark")
    has_names = bool(model.labels) if pipeline == "auto" else pipeline
    with new_folder(directory, overwrite, METADATA) as write:
        if has_names:
            write_pipeline(write, model)
        else:
            write_classifier(write, model, model._core.uid, model._core.label_name)


def spark_params(get: Callable[[str], str]) -> dict[str, Any]:
    """Returns the hyper-parameters that Spark has too; `get` gives them as JSON."""
    return {name: json.loads(get(name)) for name in SPARK_PARAMS}


def write_classifier(write: Write, model: Model, uid: str, label: str) -> None:
    """Writes the network as Spark's model."""
    params: dict[str, Any] = {"layers": model.layers} | spark_params(model._core.param)
    if params["solver"] not in SPARK_SOLVERS:
        del params["solver"]
    if model.thresholds:
        params["thresholds"] = model.thresholds
    # Spark refuses a double that is written as an integer.
    params |= {name: to_doubles(params[name]) for name in DOUBLES if name in params}
    if label:
        params["labelCol"] = label
    write_stage(write, SPARK_CLASS, uid, params, COLUMNS | spark_params(_core.Params().get))
    write_vector(write, "weights", spark_weights(model))


def is_expressible(model: Model) -> bool:
    """True if Spark's model can score the network."""
    reason, _ = model._core.export_problem("spark")
    return not reason


def spark_weights(model: Model) -> NDArray[np.float64]:
    """Returns the weights of Spark's model, with the scaler and batch normalisation in them.

    Raises
    ------
    ModelError
        If Spark's model cannot express the network, or its weights overflow.
    """
    return model._core.spark_weights()


def to_doubles(value: Any) -> Any:
    return [float(item) for item in value] if isinstance(value, list) else float(value)


def write_pipeline(write: Write, model: Model) -> None:
    """Writes StringIndexerModel, the classifier and IndexToString as one model."""
    names, uid = model._core.class_names, model._core.uid
    if len(set(names)) < len(names):
        raise ModelError(
            "the names of classes must differ in a pipeline; got "
            f"{', '.join(names)}: a class without a name has its index"
        )
    label = model._core.label_name or COLUMNS["labelCol"]
    index = label + "Index"
    digits = uid.partition("_")[2]
    uids = [f"strIdx_{digits}", uid, f"idxToStr_{digits}"]
    write_stage(write, PIPELINE_CLASS, f"pipeline_{digits}", {"stageUids": uids}, {})
    indexer, classifier, namer = (
        below(write, f"stages/{number}_{uid}") for number, uid in enumerate(uids)
    )
    # "keep": scoring does not stop at a label that was not in the training data.
    write_stage(
        indexer,
        INDEXER_CLASS,
        uids[0],
        {"inputCol": label, "outputCol": index, "handleInvalid": "keep"},
        {"handleInvalid": "error", "stringOrderType": "frequencyDesc"},
    )
    write_labels(indexer, names)
    write_classifier(classifier, model, uid, index)
    write_stage(
        namer,
        NAMER_CLASS,
        uids[2],
        {
            "inputCol": COLUMNS["predictionCol"],
            "outputCol": "predictedLabel",
            "labels": names,
        },
        {},
    )
