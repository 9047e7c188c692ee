# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models as the folders that Spark ML saves and loads."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import ModelError
from ..model import Model
from .destination import new_folder
from .document import (
    SPARK_CLASS,
    SPARK_PARAMS,
    SPARK_SOLVERS,
    ModelDocument,
    read_document,
    spark_default_params,
    to_model,
)
from .network import flat_weights, fold_scaler, plain_layers
from .spark_stage import (
    Stage,
    read_row,
    read_stage,
    to_vector,
    value_of,
    write_labels,
    write_stage,
    write_vector,
)

__all__ = ["is_spark_folder", "read_spark", "write_spark"]

PIPELINE_CLASS = "org.apache.spark.ml.PipelineModel"
INDEXER_CLASS = "org.apache.spark.ml.feature.StringIndexerModel"
NAMER_CLASS = "org.apache.spark.ml.feature.IndexToString"
DOUBLES = ("tol", "stepSize", "thresholds")
COLUMNS = {
    "featuresCol": "features",
    "labelCol": "label",
    "predictionCol": "prediction",
    "probabilityCol": "probability",
    "rawPredictionCol": "rawPrediction",
}


def is_spark_folder(path: str | os.PathLike[str]) -> bool:
    """True for a folder that has the metadata of a stage of Spark ML."""
    return (pathlib.Path(path) / "metadata").is_dir()


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
    layer, and so does batch normalisation.

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
    document = read_document(model)
    check_expressible(document)
    has_names = bool(document.labels) if pipeline == "auto" else pipeline
    with new_folder(pathlib.Path(directory), overwrite, is_spark_folder) as folder:
        if has_names:
            write_pipeline(folder, document)
        else:
            write_classifier(folder, document, document.label_column)


def check_expressible(document: ModelDocument) -> None:
    """Refuses what Spark cannot score."""
    others = sorted(set(document.activations) - {"sigmoid"})
    reasons = [
        (document.is_regressor, "it predicts numbers, and Spark's model predicts classes"),
        (bool(document.columns), "it encodes columns of its data file"),
        (bool(others), f"its hidden layers have the activation {', '.join(others)}"),
        (bool(document.residual), "it has residual connections"),
    ]
    for applies, reason in reasons:
        if applies:
            raise ModelError(
                f"Spark's MultilayerPerceptronClassificationModel cannot express this model: "
                f"{reason}; it has sigmoid hidden layers and a softmax"
            )


def write_classifier(folder: pathlib.Path, document: ModelDocument, label: str | None) -> None:
    """Writes the network as Spark's model."""
    solver = document.params["solver"]
    params: dict[str, Any] = {"layers": list(document.layers)}
    params |= {
        name: document.params[name]
        for name in SPARK_PARAMS
        if name != "solver" or solver in SPARK_SOLVERS
    }
    if document.thresholds:
        params["thresholds"] = list(document.thresholds)
    # Spark refuses a double that is written as an integer.
    params |= {name: to_doubles(params[name]) for name in DOUBLES if name in params}
    if label:
        params["labelCol"] = label
    write_stage(folder, SPARK_CLASS, document.uid, params, COLUMNS | spark_default_params())
    first, *others = plain_layers(document)
    layers = (fold_scaler(first, document.scaler), *others)
    weights = np.concatenate(list(flat_weights(layers)))
    if not np.isfinite(weights).all():
        raise ModelError(
            "the weights overflow when the scaler and batch normalisation become a part of "
            "them; the deviations of the features are too small"
        )
    write_vector(folder, "weights", weights)


def to_doubles(value: Any) -> Any:
    return [float(item) for item in value] if isinstance(value, list) else float(value)


def write_pipeline(folder: pathlib.Path, document: ModelDocument) -> None:
    """Writes StringIndexerModel, the classifier and IndexToString as one model."""
    if len(set(document.class_names)) < document.layers[-1]:
        raise ModelError(
            "the names of classes must differ in a pipeline; got "
            f"{', '.join(document.class_names)}: a class without a name has its index"
        )
    label = document.label_column or COLUMNS["labelCol"]
    index = label + "Index"
    digits = document.uid.partition("_")[2]
    uids = [f"strIdx_{digits}", document.uid, f"idxToStr_{digits}"]
    write_stage(folder, PIPELINE_CLASS, f"pipeline_{digits}", {"stageUids": uids}, {})
    indexer, classifier, namer = (
        folder / "stages" / f"{number}_{uid}" for number, uid in enumerate(uids)
    )
    # "keep": scoring does not stop at a label that was not in the training data.
    write_stage(
        indexer,
        INDEXER_CLASS,
        uids[0],
        {"inputCol": label, "outputCol": index, "handleInvalid": "keep"},
        {"handleInvalid": "error", "stringOrderType": "frequencyDesc"},
    )
    write_labels(indexer, document.class_names)
    write_classifier(classifier, document, index)
    write_stage(
        namer,
        NAMER_CLASS,
        uids[2],
        {
            "inputCol": COLUMNS["predictionCol"],
            "outputCol": "predictedLabel",
            "labels": list(document.class_names),
        },
        {},
    )


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
    stage = read_stage(pathlib.Path(directory))
    if stage.class_name == SPARK_CLASS:
        return to_model(read_classifier(stage))
    if stage.class_name == PIPELINE_CLASS:
        return to_model(read_pipeline(stage))
    raise ModelError(
        f"{directory}: must be a MultilayerPerceptronClassificationModel or a PipelineModel "
        f"with one; got {stage.class_name}"
    )


def read_classifier(stage: Stage) -> ModelDocument:
    row = read_row(stage)
    if stage.spark_version.startswith("2."):
        layers = value_of(row, "layers", stage).as_py()
    else:
        layers = stage.params.get("layers")
    if not layers or not all(isinstance(size, int) for size in layers):
        raise ModelError(f"{stage.folder}/metadata: must have layers; got {layers!r}")
    known = {name: stage.params[name] for name in SPARK_PARAMS if name in stage.params}
    return ModelDocument(
        layers=tuple(layers),
        weights=to_vector(row, "weights", stage),
        activations=("sigmoid",) * (len(layers) - 2),
        thresholds=tuple(stage.params.get("thresholds", ())),
        label_column=stage.set_params.get("labelCol"),
        params=spark_default_params() | known,
    )


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


def read_pipeline(pipeline: Stage) -> ModelDocument:
    stages = sort_stages(pipeline)
    document = read_classifier(stages.classifier)
    params = stages.classifier.params
    document = replace(
        document,
        labels=read_names(stages),
        label_column=None if stages.indexer else document.label_column,
    )
    if stages.indexer:
        document = replace(document, label_column=stages.indexer.params.get("inputCol"))
    features = params.get("featuresCol")
    if stages.scaler:
        check_column(stages.scaler, "outputCol", features)
        document = replace(document, scaler=read_scaler(stages.scaler))
        features = stages.scaler.params.get("inputCol")
    if stages.assembler:
        check_column(stages.assembler, "outputCol", features)
        names = tuple(stages.assembler.params.get("inputCols", ()))
        if len(names) == document.layers[0]:
            document = replace(document, feature_names=names)
    return document


def sort_stages(pipeline: Stage) -> Pipeline:
    """Reads the metadata of the stages of a pipeline."""
    uids = pipeline.params.get("stageUids", [])
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


def read_names(stages: Pipeline) -> tuple[str, ...]:
    """Returns the names of the classes, by IndexToString or else by StringIndexerModel."""
    names: Sequence[str] = ()
    if stages.indexer:
        check_column(stages.indexer, "outputCol", stages.classifier.params.get("labelCol"))
        row = read_row(stages.indexer)
        if "labelsArray" in row:
            names = value_of(row, "labelsArray", stages.indexer).as_py()[0]
        else:
            names = value_of(row, "labels", stages.indexer).as_py()
    if stages.namer:
        check_column(stages.namer, "inputCol", stages.classifier.params.get("predictionCol"))
        names = stages.namer.params.get("labels") or names
    return tuple(names)


def read_scaler(stage: Stage) -> tuple[np.ndarray, np.ndarray]:
    """Reads the mean and the deviation that StandardScalerModel applies."""
    row = read_row(stage)
    mean, deviation = to_vector(row, "mean", stage), to_vector(row, "std", stage)
    if not stage.params.get("withMean", False):
        mean = np.zeros_like(mean)
    if not stage.params.get("withStd", True):
        deviation = np.ones_like(deviation)
    return mean, deviation
