# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The content of a model file, as the converters read and make it."""
from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ModelError
from ..model import Model

__all__ = ["ModelDocument", "find_export_problem", "read_document", "to_model"]

SPARK_CLASS = "org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel"
SPARK_PARAMS = ("maxIter", "tol", "blockSize", "solver", "stepSize", "seed")
SPARK_SOLVERS = ("l-bfgs", "gd")
SOFTMAX, SQUARED_ERROR = "softmaxNll", "squaredError"

Vector = NDArray[np.float64]


def spark_default_params() -> dict[str, Any]:
    """Returns Spark's defaults of the hyper-parameters that every file has."""
    params = _core.Params()
    return {name: json.loads(params.get(name)) for name in SPARK_PARAMS}


def unknown_training() -> dict[str, Any]:
    """Returns the member `training` of a model whose training is not known."""
    return {
        "objectiveHistory": [],
        "totalIterations": 0,
        "evaluations": 0,
        "convergenceReason": "none",
        "rows": 0,
    }


@dataclass(frozen=True)
class ModelDocument:
    """The members of a model file; see docs/model-format.md for each.

    A document has no producer, uid and sha256: the C++ writer makes them.
    """

    layers: tuple[int, ...]
    weights: Vector  # [num_weights], in the order of the file
    activations: tuple[str, ...] = ()  # one per hidden layer
    loss: str = SOFTMAX
    residual: tuple[int, ...] = ()  # hidden layers, counted from 1
    batch_norm: tuple[int, ...] = ()  # hidden layers, counted from 1
    dropout: tuple[float, ...] = ()
    statistics: Vector = field(default_factory=lambda: np.empty(0))
    feature_names: tuple[str, ...] = ()
    scaler: tuple[Vector, Vector] | None = None  # mean, std  [num_features]
    label_column: Any = None
    columns: tuple[dict[str, Any], ...] = ()
    unknown: str = "refuse"  # what happens to a text that is no category
    missing_texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = ()
    params: dict[str, Any] = field(default_factory=spark_default_params)
    training: dict[str, Any] = field(default_factory=unknown_training)
    self_test: tuple[dict[str, Any], ...] = ()
    uid: str = "mlpc_000000000000"

    @property
    def label_name(self) -> Any:
        """The name of the label column; None if it is not known, or only its index is."""
        is_index = not self.feature_names and str(self.label_column).isdecimal()
        return None if is_index else self.label_column

    @property
    def is_regressor(self) -> bool:
        return self.loss == SQUARED_ERROR

    @property
    def hidden_layers(self) -> range:
        """The numbers of the hidden layers, from 1."""
        return range(1, len(self.layers) - 1)

    @property
    def class_names(self) -> tuple[str, ...]:
        """A name for each class; a class without a name has its index."""
        return self.labels + tuple(str(i) for i in range(len(self.labels), self.layers[-1]))


def find_export_problem(document: ModelDocument, format: str) -> str:
    """Returns why a format, spark or onnx, cannot express a model; empty if it can."""
    return _core.find_export_problem(
        format,
        is_regressor=document.is_regressor,
        has_columns=bool(document.columns),
        activations=list(document.activations),
        is_residual=bool(document.residual),
        num_weights=len(document.weights),
    )


def read_document(model: Model) -> ModelDocument:
    """Returns the document of a model, which the C++ library has checked."""
    members = json.loads(model.to_json())
    network = members.get("network", {"loss": SOFTMAX})
    source = members["input"]
    layers = tuple(members["layers"])
    names = members["activation"].split(",")
    num_hidden = len(layers) - 2
    return ModelDocument(
        layers=layers,
        weights=np.array(model.weights),
        activations=tuple(names if len(names) == num_hidden else names * num_hidden),
        loss=network["loss"],
        residual=tuple(network.get("residual", ())),
        batch_norm=tuple(network.get("batchNorm", ())),
        dropout=tuple(network.get("dropout", ())),
        statistics=to_array(network.get("statistics", ())),
        feature_names=tuple(source.get("featureNames", ())),
        scaler=(to_array(source["mean"]), to_array(source["std"])) if "mean" in source else None,
        label_column=source.get("label"),
        columns=tuple(source.get("columns", ())),
        unknown=source.get("unknown", "refuse"),
        missing_texts=tuple(source.get("missingTexts", ())),
        labels=tuple(members.get("labels", ())),
        thresholds=tuple(members.get("thresholds", ())),
        params=members["params"],
        training=members["training"],
        self_test=tuple(members["selfTest"]),
        uid=members["uid"],
    )


def to_array(numbers: Sequence[float]) -> Vector:
    """JSON has integers where the fractions of all numbers are 0."""
    return np.array(numbers, dtype=np.float64)


def to_model(document: ModelDocument) -> Model:
    """Makes a model, which the C++ library checks.

    A document without a self-test gets one, so that the file of the model can be
    verified elsewhere.

    Raises
    ------
    ModelError
        Naming the first member that is not valid.
    """
    model = Model.from_json(write_text(document))
    if document.self_test:
        return model
    return Model.from_json(write_text(replace(document, self_test=make_self_test(model))))


def make_self_test(model: Model) -> tuple[dict[str, Any], ...]:
    """Scores three made-up instances, near the means if the model has a scaler."""
    num_features = model.layers[0]
    mean, deviation = model._core.scaler or (np.zeros(num_features), np.ones(num_features))
    steps = np.arange(num_features) % 3 - 1.0
    X = np.stack([mean, mean + deviation * steps, mean - deviation * steps])
    raw = model.decision_function(X)
    if not np.isfinite(raw).all():
        return ()
    probability = [[]] * len(X) if model.is_regressor else model.predict_proba(X).tolist()
    index = np.zeros(len(X)) if model.is_regressor else model._core.predict_index(X)
    return tuple(
        {
            "features": features,
            "rawPrediction": outputs,
            "probability": probabilities,
            "prediction": int(prediction),
        }
        for features, outputs, probabilities, prediction in zip(
            X.tolist(), raw.reshape(len(X), -1).tolist(), probability, index
        )
    )


def write_text(document: ModelDocument) -> str:
    """Writes a document as a model file that the C++ library can read."""
    members = describe(document)
    try:
        text = json.dumps(members, ensure_ascii=False, allow_nan=False)
        body = (text.removesuffix("}") + ",\n").encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"names must be UTF-8; {error}") from error
    except ValueError as error:
        raise ModelError(f"the numbers of a model must be finite; {error}") from error
    digits = hashlib.sha256(body).hexdigest()
    return f'{body.decode()}  "sha256": "{digits}"\n}}\n'


def describe(document: ModelDocument) -> dict[str, Any]:
    """Returns the members of a model file, but for sha256."""
    is_spark = is_spark_network(document)
    is_first_version = (
        is_spark
        and set(document.params) <= set(SPARK_PARAMS)
        and document.params["solver"] in SPARK_SOLVERS
        and not (document.columns or document.missing_texts)
        and document.unknown == "refuse"
    )
    members: dict[str, Any] = {
        "format": "mlp-model",
        "formatVersion": 1 if is_first_version else 2,
        "producer": f"mlp {_core.__version__}",
        "uid": document.uid,
    }
    if is_spark:
        members["sparkClass"] = SPARK_CLASS
    members["params"] = document.params
    members["layers"] = list(document.layers)
    members["activation"] = describe_activations(document.activations)
    if not is_spark:
        members["network"] = describe_network(document)
    members["input"] = describe_input(document)
    if document.labels:
        members["labels"] = list(document.labels)
    if document.thresholds:
        members["thresholds"] = list(document.thresholds)
    members["weights"] = describe_weights(document)
    members["training"] = document.training
    members["selfTest"] = list(document.self_test)
    return members


def is_spark_network(document: ModelDocument) -> bool:
    """True if Spark can train and score the network as it is."""
    return (
        not document.is_regressor
        and set(document.activations) <= {"sigmoid"}
        and not document.residual
        and not document.batch_norm
        and not any(document.dropout)
        and not document.params.get("labelSmoothing")
    )


def describe_activations(names: tuple[str, ...]) -> str:
    """Returns the activation of all hidden layers, or one for each."""
    return ",".join(names if len(set(names)) > 1 else names[:1]) or "sigmoid"


def describe_network(document: ModelDocument) -> dict[str, Any]:
    network: dict[str, Any] = {
        "loss": document.loss,
        "residual": list(document.residual),
        "batchNorm": list(document.batch_norm),
        "statistics": document.statistics.tolist(),
    }
    if document.dropout:
        network["dropout"] = list(document.dropout)
    return network


def describe_input(document: ModelDocument) -> dict[str, Any]:
    source: dict[str, Any] = {}
    if document.feature_names:
        source["featureNames"] = list(document.feature_names)
    if document.scaler is not None:
        mean, deviation = document.scaler
        source["mean"], source["std"] = mean.tolist(), deviation.tolist()
    if document.label_column:
        source["label"] = document.label_column
    if document.columns:
        source["columns"] = list(document.columns)
    if document.unknown != "refuse":
        source["unknown"] = document.unknown
    if document.missing_texts:
        source["missingTexts"] = list(document.missing_texts)
    return source


def describe_weights(document: ModelDocument) -> dict[str, Any]:
    pairs = list(zip(document.layers, document.layers[1:]))
    has_projection = any(pairs[k - 1][0] != pairs[k - 1][1] for k in document.residual)
    has_extra = has_projection or bool(document.batch_norm)
    data = base64.b64encode(np.asarray(document.weights, dtype="<f8").tobytes())
    return {
        "layout": "mlp-flat" if has_extra else "spark-flat",
        "count": len(document.weights),
        "encoding": "base64",
        "data": data.decode(),
    }
