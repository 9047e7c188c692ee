# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores inside Spark, computed by the C++ library in tasks of Python."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..model import Model
from .training.cluster import use_python_of_driver
from .training.rows import features_array, read_features

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

__all__ = ["append_columns", "score_columns"]

Vector = NDArray[np.float64]
DENSE = 1  # the type of a vector whose values are all stored


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
        (vector_field(raw_prediction_col, size), "decision_function"),
        (vector_field(probability_col, size), "predict_proba"),
        (number_field(prediction_col, size), "predict_index"),
    ]
    named = [(field, method) for field, method in columns if field.name]
    return append_columns(dataset, model, features_col, named)


def append_columns(
    dataset: DataFrame, model: Model, features_col: str, columns: Sequence[tuple[StructField, Any]]
) -> DataFrame:
    """Appends columns to a dataset in one pass.

    Parameters
    ----------
    columns : list of (StructField, method)
        The type of each column, and the name of the method of ``mlp.Model``, or that and
        the number of a hidden layer.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if not columns:
        return dataset
    for field, _ in columns:
        refuse_existing(dataset, field.name)
    use_python_of_driver(dataset.sparkSession)
    text = model.to_json()
    methods = [method for _, method in columns]
    names = [*dataset.columns, *(field.name for field, _ in columns)]

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        from mlp.spark.scoring import score_batches

        return score_batches(batches, text, methods, names)

    fields = [*dataset.schema.fields, *(field for field, _ in columns)]
    features = features_array(dataset, features_col)
    return dataset.select("*", features.alias(f"{features_col}_as_array")).mapInArrow(
        work, StructType(fields)
    )


def refuse_existing(dataset: DataFrame, name: str) -> None:
    from pyspark.errors import IllegalArgumentException

    if name in dataset.columns:
        raise IllegalArgumentException(f"requirement failed: Column {name} already exists.")


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


MODELS: dict[str, Model] = {}


def load_once(text: str) -> Model:
    """Returns the model of a text. A process keeps the last one."""
    if text not in MODELS:
        MODELS.clear()
        MODELS[text] = Model.from_json(text)
    return MODELS[text]


def score_batches(
    batches: Iterable[Any], text: str, methods: list[Any], names: list[str]
) -> Iterator[Any]:
    """Replaces the last column of each batch, the features, by the outputs."""
    import pyarrow

    model = load_once(text)
    for batch in batches:
        *columns, features = batch.columns
        rows = read_features(features, model.layers[0])
        for method in methods:
            output = compute(model, method, rows)
            is_vector = output.ndim == 2
            columns.append(to_vectors(output) if is_vector else pyarrow.array(output))
        yield pyarrow.RecordBatch.from_arrays(columns, names)


def compute(model: Model, method: Any, rows: Vector) -> Vector:
    if not isinstance(method, str):
        return model.transform(rows, method[1])
    if method == "predict_index":
        return model._core.predict_index(rows, 1)
    output: Vector = getattr(model, method)(rows, n_jobs=1)
    return output


def to_vectors(matrix: Vector) -> Any:
    """Returns the rows of a matrix as dense vectors of Spark, without a copy."""
    import pyarrow

    size = len(matrix)
    ends = np.arange(size + 1, dtype=np.int32) * np.int32(matrix.shape[1])
    lists = pyarrow.list_(pyarrow.field("element", pyarrow.float64(), nullable=False))
    values = pyarrow.Array.from_buffers(
        lists, size, [None, pyarrow.py_buffer(ends)],
        children=[pyarrow.array(np.ascontiguousarray(matrix).ravel())],
    )
    indices = pyarrow.list_(pyarrow.field("element", pyarrow.int32(), nullable=False))
    fields = [
        pyarrow.field("type", pyarrow.int8(), nullable=False),
        pyarrow.field("size", pyarrow.int32()),
        pyarrow.field("indices", indices),
        pyarrow.field("values", lists),
    ]
    columns = [
        pyarrow.array(np.full(size, DENSE, np.int8)),
        pyarrow.nulls(size, pyarrow.int32()),
        pyarrow.nulls(size, indices),
        values,
    ]
    return pyarrow.StructArray.from_arrays(columns, fields=fields)
