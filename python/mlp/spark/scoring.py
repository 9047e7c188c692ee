# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores inside Spark, computed by the C++ library in tasks of Python."""
from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, ParamError
from ..formats.spark_stage import dense_vectors
from ..model import Model
from .training.cluster import use_python_of_driver
from .training.rows import features_array, read_features
from .vectors import column_of, from_parts, is_vector, map_to_vectors, rows_of, to_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

__all__ = [
    "SentModel",
    "append_columns",
    "compute",
    "load_once",
    "network_of",
    "prefers_spark",
    "score_columns",
    "send",
]

Vector = NDArray[np.float64]


def network_of(model: Any) -> Model:
    """Returns the network of a model of mlp.spark, an mlp.Model, or a model file's path.

    Raises
    ------
    ParamError
        If it is none of them.
    ModelError
        If the network reads the columns of a data file.
    """
    network = getattr(model, "model", model)
    if isinstance(network, (str, os.PathLike)):
        network = Model.load(network)
    if not isinstance(network, Model):
        raise ParamError(
            f"model must be an mlp.Model, a model of mlp.spark or the path of a model file; got "
            f"{model!r}"
        )
    if network._core.has_encoding:
        raise ModelError(
            "a model in Spark reads a vector of features; this one encodes the columns of its "
            "data file"
        )
    return network


def score_columns(
    dataset: DataFrame,
    model: Model,
    features_col: str,
    prediction_col: str,
    raw_prediction_col: str = "",
    probability_col: str = "",
) -> DataFrame:
    """Appends the outputs of a model, in Spark's order; an empty name leaves one out."""
    size = 0 if model.is_regressor else model.layers[-1]
    columns = [
        (vector_field(raw_prediction_col, size), "raw"),
        (vector_field(probability_col, size), "probability"),
        (number_field(prediction_col, size), "prediction"),
    ]
    return append_columns(dataset, model, features_col, [pair for pair in columns if pair[0].name])


# The native path starts a process of Python in each task and sends all columns of a row
# there and back. That costs more than it saves for few rows and for wide ones:
# bench/spark/scoring.py, and the search of bench/spark/fits.py.
MIN_BYTES = 1 << 25
MAX_FEATURES = 64
MAX_COLUMNS = 8


def prefers_spark(model: Model, dataset: DataFrame) -> bool:
    """True if Spark's own model is expected to score a dataset at least as fast."""
    is_wide = model.num_features > MAX_FEATURES or len(dataset.columns) > MAX_COLUMNS
    return is_wide or size_of(dataset) < MIN_BYTES


def size_of(dataset: DataFrame) -> int:
    """Returns the bytes of a dataset as Spark estimates them; 0 where it does not know."""
    from pyspark.sql.utils import is_remote

    if is_remote():
        return 0
    plan = dataset._jdf.queryExecution().optimizedPlan()
    size = int(plan.stats().sizeInBytes())
    unknown = int(dataset.sparkSession._jsparkSession.sessionState().conf().defaultSizeInBytes())
    return size if size < unknown else 0


def append_columns(
    dataset: DataFrame, model: Model, features_col: str, columns: Sequence[tuple[StructField, Any]]
) -> DataFrame:
    """Appends columns to a dataset in one pass.

    Parameters
    ----------
    columns : list of (StructField, output)
        The type of each column, and what it has: "raw", "probability", "prediction", or the
        number of a hidden layer.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if not columns:
        return dataset
    for field, _ in columns:
        refuse_existing(dataset, field.name)
    require_existing(dataset, features_col)
    use_python_of_driver(dataset.sparkSession)
    sent = send(model)
    outputs = [output for _, output in columns]
    names = [*dataset.columns, *(field.name for field, _ in columns)]

    given = dataset.schema.fields
    vectors = [number for number, field in enumerate(given) if is_vector(field)]
    selected = [
        to_parts(field.name) if number in vectors else column_of(field.name)
        for number, field in enumerate(given)
    ]
    features = dataset.columns.index(features_col)
    if features not in vectors:
        selected.append(features_array(dataset, features_col))
    # mapInArrow cannot read names with dots and other characters.
    plain = [column.alias(f"c{number}") for number, column in enumerate(selected)]

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        from mlp.spark.scoring import score_batches

        return score_batches(batches, sent, outputs, names, vectors, features)

    fields = [*given, *(field for field, _ in columns)]
    return map_to_vectors(dataset.select(*plain), work, StructType(fields))


def refuse_existing(dataset: DataFrame, name: str) -> None:
    from pyspark.errors import IllegalArgumentException

    if name in dataset.columns:
        raise IllegalArgumentException(f"requirement failed: Column {name} already exists.")


def require_existing(dataset: DataFrame, name: str) -> None:
    from pyspark.errors import IllegalArgumentException

    if name not in dataset.columns:
        raise IllegalArgumentException(
            f"{name} does not exist. Available: {', '.join(dataset.columns)}"
        )


def vector_field(name: str, size: int) -> StructField:
    """Returns the field of a column of vectors, with Spark's metadata."""
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import StructField

    return StructField(name, VectorUDT(), True, {"ml_attr": {"num_attrs": size}})


def number_field(name: str, num_classes: int = 0) -> StructField:
    """Returns the field of a column of predictions, with Spark's metadata."""
    from pyspark.sql.types import DoubleType, StructField

    nominal = {"ml_attr": {"type": "nominal", "num_vals": num_classes}}
    return StructField(name, DoubleType(), False, nominal if num_classes else {})


# A model as tasks get it: the digest of the pickled bytes, and these bytes. The types are
# built-in types, so that Spark can send them without this package.
SentModel = tuple[bytes, bytes]


def send(model: Model) -> SentModel:
    """Returns what tasks load a model from. A model is pickled once."""
    sent: SentModel | None = vars(model).get("_sent")
    if sent is None:
        data = pickle.dumps(model)
        sent = hashlib.sha256(data).digest(), data
        vars(model)["_sent"] = sent
    return sent


MAX_MODELS = 8
MODELS: dict[bytes, Model] = {}


def load_once(sent: SentModel) -> Model:
    """Returns a model that was sent. A process keeps the last ones, by their digests."""
    digest, data = sent
    if digest not in MODELS:
        if len(MODELS) == MAX_MODELS:
            del MODELS[next(iter(MODELS))]
        MODELS[digest] = pickle.loads(data)
    return MODELS[digest]


def score_batches(
    batches: Iterable[Any],
    sent: SentModel,
    outputs: list[Any],
    names: list[str],
    vectors: list[int],
    features: int,
) -> Iterator[Any]:
    """Appends the outputs to each batch.

    Parameters
    ----------
    vectors : list of int
        The columns that are vectors, as `to_parts` makes them.
    features : int
        The column of the features. If it is not a vector, one more column has its arrays.
    """
    import pyarrow

    model = load_once(sent)
    for batch in batches:
        columns = batch.columns
        if features in vectors:
            rows = rows_of(columns[features], model.num_features)
        else:
            rows = read_features(columns.pop(), model.num_features)
        found = compute(model, rows, outputs)
        for number in vectors:
            columns[number] = from_parts(columns[number])
        for output in outputs:
            is_vector = found[output].ndim == 2
            columns.append(
                dense_vectors(found[output]) if is_vector else pyarrow.array(found[output])
            )
        yield pyarrow.RecordBatch.from_arrays(columns, names)


def compute(model: Model, rows: Vector, outputs: Sequence[Any]) -> dict[Any, Vector]:
    """Returns outputs by name, and those of hidden layers by number. One thread computes."""
    found = {layer: model.transform(rows, layer) for layer in outputs if isinstance(layer, int)}
    if len(found) == len(outputs):
        return found
    # Features that are NaN give NaN, as in Spark.
    results = model._core.score(rows, 1)
    return dict(zip(("raw", "probability", "prediction"), results)) | found
