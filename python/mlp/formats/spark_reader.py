# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models that Spark ML saved."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._files import checked_path
from .._settings import to_text
from ..errors import ModelError, ParamError
from ..model import Model
from .spark_row import Row, to_python, to_vector
from .spark_stage import PIPELINE_CLASS, SPARK_CLASS, SPARK_PARAMS, Stage, read_stage

__all__ = ["read_spark"]

MAX_LAYERS = 257  # of the library


def read_spark(directory: str | os.PathLike[str]) -> Model:
    """Reads a model that Spark 2.4 or later saved.

    It is a ``MultilayerPerceptronClassificationModel``, or a ``PipelineModel`` with one
    and with stages of these kinds: ``StringIndexerModel`` of the label, ``VectorAssembler``
    of the features, ``StandardScalerModel``, ``IndexToString``.

    Raises
    ------
    ModelError
        If the folder is damaged or has another stage; the text names it.
    ImportError
        If pyarrow is missing.

    Examples
    --------
    >>> import mlp, tempfile
    >>> from mlp.formats import read_spark, write_spark
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = mlp.MLPClassifier(layers=[2, 3, 2], seed=1).fit(X, y).model_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_spark(model, folder + "/xor")
    ...     read_spark(folder + "/xor").labels
    ['no', 'yes']
    """
    stage = read_stage(pathlib.Path(checked_path(directory)))
    if stage.class_name == SPARK_CLASS:
        return read_classifier(stage)
    if stage.class_name == PIPELINE_CLASS:
        return read_pipeline(stage)
    raise ModelError(
        f"{directory}: must be a MultilayerPerceptronClassificationModel or a PipelineModel "
        f"with one; got {stage.class_name}"
    )


def read_classifier(stage: Stage) -> Model:
    row = Row(stage)
    if stage.spark_version.startswith("2."):
        layers = to_python(row, "layers", MAX_LAYERS)
    else:
        layers = stage.list_of("layers")
    num_weights = count_weights(layers, stage)
    core = _core.Model.make(
        layers=layers,
        weights=to_vector(row, "weights", num_weights, f"for layers {layers}"),
        params=read_params(stage),
        thresholds=stage.list_of("thresholds"),
        label_column=stage.set_params.get("labelCol", ""),
    )
    return Model(core)


def read_params(stage: Stage) -> _core.Params:
    """Returns the hyper-parameters of the training, with Spark's defaults."""
    params = _core.Params()
    try:
        for name in SPARK_PARAMS:
            if name in stage.params:
                params.set(name, to_text(stage.params[name]))
    except ParamError as error:
        raise ModelError(f"{stage.folder}/metadata: {error}") from error
    return params


def count_weights(layers: Any, stage: Stage) -> int:
    """Returns the number of weights of a network of these layers."""
    is_list = isinstance(layers, list) and len(layers) > 1
    if not is_list or not all(type(size) is int and size > 0 for size in layers):
        raise ModelError(f"{stage.folder}/metadata: layers must be sizes; got {layers!r}")
    return sum((inputs + 1) * outputs for inputs, outputs in zip(layers, layers[1:]))


@dataclass(frozen=True)
class Pipeline:
    """The stages of a pipeline, each kind at most once."""

    classifier: Stage
    indexer: Stage | None = None
    assembler: Stage | None = None
    scaler: Stage | None = None
    namer: Stage | None = None


KINDS = {
    "MultilayerPerceptronClassificationModel": "classifier",
    "StringIndexerModel": "indexer",
    "VectorAssembler": "assembler",
    "StandardScalerModel": "scaler",
    "IndexToString": "namer",
}


def read_pipeline(pipeline: Stage) -> Model:
    stages = sort_stages(pipeline)
    model = read_classifier(stages.classifier)
    num_features = model.layers[0]
    parts: dict[str, Any] = {"label_names": read_names(stages, model.layers[-1])}
    if stages.indexer:
        parts["label_column"] = stages.indexer.params.get("inputCol", "")
    features = stages.classifier.params.get("featuresCol")
    if stages.scaler:
        check_column(stages.scaler, "outputCol", features)
        parts["scaler"] = read_scaler(stages.scaler, num_features)
        features = stages.scaler.params.get("inputCol")
    if stages.assembler:
        check_column(stages.assembler, "outputCol", features)
        names = stages.assembler.list_of("inputCols")
        if len(names) == num_features:
            parts["feature_names"] = names
    return model._replace(**parts)


def sort_stages(pipeline: Stage) -> Pipeline:
    """Reads the metadata of the stages of a pipeline."""
    uids = pipeline.list_of("stageUids")
    digits = len(str(len(uids)))
    found: dict[str, Stage] = {}
    for number, uid in enumerate(uids):
        stage = read_stage(pipeline.folder / "stages" / f"{number:0{digits}}_{uid}")
        kind = KINDS.get(stage.name)
        if kind is None or kind in found:
            raise ModelError(
                f"{stage.folder}: a model has no part for the stage {stage.name}, or has it "
                f"twice; supported are one each of {', '.join(KINDS)}"
            )
        found[kind] = stage
    if "classifier" not in found:
        raise ModelError(
            f"{pipeline.folder}: must have a MultilayerPerceptronClassificationModel; got "
            f"{', '.join(stage.name for stage in found.values()) or 'no stages'}"
        )
    return Pipeline(**found)


def check_column(stage: Stage, param: str, expected: Any) -> None:
    received = stage.params.get(param)
    if received != expected:
        raise ModelError(
            f"{stage.folder}: {param} of {stage.name} must be the column {expected}, which "
            f"the next stage reads; got {received}"
        )


def read_names(stages: Pipeline, num_classes: int) -> Sequence[str]:
    """Returns the names of the classes, by IndexToString or else by StringIndexerModel."""
    names: Sequence[str] = ()
    if stages.indexer:
        check_column(stages.indexer, "outputCol", stages.classifier.params.get("labelCol"))
        names = read_labels(stages.indexer, num_classes)
    if stages.namer:
        check_column(stages.namer, "inputCol", stages.classifier.params.get("predictionCol"))
        names = stages.namer.list_of("labels") or names
    return names


def read_labels(indexer: Stage, num_classes: int) -> Sequence[str]:
    """Reads the labels of a StringIndexerModel of one column."""
    row = Row(indexer)
    name = "labelsArray" if "labelsArray" in row.columns else "labels"
    columns = to_python(row, name, num_classes)
    if name == "labels":
        columns = [columns]
    if len(columns) != 1 or not all(isinstance(text, str) for text in columns[0] or ()):
        raise ModelError(
            f"{indexer.folder}/data: {name} must be the labels of one column; got {columns!r:.60}"
        )
    return columns[0] or ()


def read_scaler(
    stage: Stage, num_features: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Reads the mean and the deviation that StandardScalerModel applies."""
    row, what = Row(stage), f"for the {num_features} features of the network"
    mean = to_vector(row, "mean", num_features, what)
    deviation = to_vector(row, "std", num_features, what)
    if not stage.params.get("withMean", False):
        mean = np.zeros_like(mean)
    if not stage.params.get("withStd", True):
        deviation = np.ones_like(deviation)
    return mean, deviation
