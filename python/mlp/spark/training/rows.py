# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a training: their columns in Spark, and their arrays in a task.

A row carries its position in the input, from which a task rebuilds the partitions of
Spark. Spark's result depends on them, because blocks do not cross partitions.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, ShapeError
from .memory import Features, RowFeatures, TaskMemory

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = [
    "FEATURE_COLUMNS",
    "HeldOut",
    "RowBuffer",
    "TrainingArrays",
    "features_array",
    "quoted",
    "read_features",
    "training_rows",
]

# Spark's monotonically_increasing_id has the number of the partition above these bits.
POSITION_BITS = 33
# The columns that hold the features. Only sparse vectors have those after the first.
FEATURE_COLUMNS = ("features", "size", "indices")
# Of the features, zeros of sparse vectors too, that are copied at once. A larger copy would get
# new memory from the system each time, which takes longer than to fill it.
NUMBERS_AT_ONCE = 1 << 20

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


def training_rows(
    dataset: DataFrame,
    features_col: str,
    label_col: str,
    weight_col: str | None = None,
    validation_col: str | None = None,
    *,
    more: Mapping[str, Column] | None = None,
) -> DataFrame:
    """Selects the columns that a training reads.

    They are those of `more`, those of `features_as_stored`, ``id`` (the partition and the
    position of the row in it), ``label``, and ``weight`` and ``validation`` if
    their columns are given.
    """
    from pyspark.sql import functions as F

    named = {**(more or {}), **features_as_stored(dataset, features_col)}
    columns = [
        *(column.alias(name) for name, column in named.items()),
        F.monotonically_increasing_id().alias("id"),
        F.col(label_col).cast("double").alias("label"),
    ]
    if weight_col:
        columns.append(F.col(weight_col).cast("double").alias("weight"))
    if validation_col:
        columns.append(F.col(validation_col).cast("boolean").alias("validation"))
    return dataset.select(*columns)


def quoted(name: str) -> str:
    """Returns the name of a column as Spark's functions read it.

    Examples
    --------
    >>> quoted("store.id")
    '`store.id`'
    """
    return "`" + name.replace("`", "``") + "`"


def features_array(dataset: DataFrame, features_col: str) -> Column:
    """Returns a column of vectors or arrays as arrays of doubles."""
    # The worker processes of Spark import this module without pyspark.ml.
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    column = F.col(features_col)
    if has_vectors(dataset, features_col):
        # vector_to_array fails at null with a sentence of its own.
        return F.when(column.isNotNull(), vector_to_array(column))
    return column.cast("array<double>")


def features_as_stored(dataset: DataFrame, features_col: str) -> dict[str, Column]:
    """Returns the features as Spark stores them.

    They are ``features``, an array of doubles. Of a column of vectors this has the values, and
    there are ``size``, which is null for dense vectors, and ``indices``, which have none:
    vector_to_array would make an object of each vector, and send the zeros.
    """
    from pyspark.sql import functions as F

    column = F.col(features_col)
    if not has_vectors(dataset, features_col):
        return {"features": column.cast("array<double>")}
    vector = F.unwrap_udt(column)
    # Spark 4 computes the size of a batch of Arrow after each row, for which a list that is null
    # takes a pass over the rows before it, and so does a structure.
    indices = F.coalesce(vector["indices"], F.expr("cast(array() AS array<int>)"))
    return {"features": vector["values"], "size": vector["size"], "indices": indices}


def has_vectors(dataset: DataFrame, features_col: str) -> bool:
    """True for a column of vectors of Spark ML."""
    from pyspark.ml.linalg import VectorUDT

    return isinstance(dataset.select(features_col).schema[0].dataType, VectorUDT)


class HeldOut(NamedTuple):
    """The rows that a training only validates with."""

    X: Features  # [instances x features]
    y: Vector  # [instances]
    weights: Vector | None  # [instances]


class TrainingArrays(NamedTuple):
    """The rows of a task, in the order of the input."""

    X: Features  # [instances x features]
    y: Vector  # [instances]
    weights: Vector | None  # [instances]
    partition_sizes: list[int]  # instances in each partition that has any
    validation: HeldOut | None


class RowBuffer:
    """Collects the rows that Spark sends to a task, and checks them.

    Parameters
    ----------
    num_features : int
        The first of the layers.
    num_classes : int or None
        The last of the layers; None for a regression.
    memory : TaskMemory, optional
        Of the task: features that exceed it are kept in a file. Without it they are in memory.
    """

    def __init__(
        self, num_features: int, num_classes: int | None, memory: TaskMemory | None = None
    ) -> None:
        self.num_features = num_features
        self.num_classes = num_classes
        self._features = RowFeatures(num_features, memory)
        self._columns: dict[str, list[NDArray[Any]]] = {"id": [], "label": []}

    def append(self, batch: Any) -> None:
        """Copies the rows of a ``pyarrow.RecordBatch``, a part after the other.

        Raises
        ------
        DataError, ShapeError
            For what Spark refuses, with Spark's sentence and the row; and for features
            of a wrong number, some of which Spark cuts off silently.
        """
        at_once = max(1, NUMBERS_AT_ONCE // self.num_features)
        for first in range(0, batch.num_rows, at_once):
            self._append(batch.slice(first, at_once))

    def _append(self, batch: Any) -> None:
        ids = to_numpy(batch.column("id"))
        features = read_features(batch, self.num_features, ids)
        check_finite(features, ids)
        columns = {"id": ids, "label": self._read_labels(batch.column("label"), ids)}
        names = batch.schema.names
        if "weight" in names:
            columns["weight"] = read_weights(batch.column("weight"), ids)
        if "validation" in names:
            columns["validation"] = read_mask(batch.column("validation"), ids)
        for name, values in columns.items():
            # A view would keep the memory of the whole batch.
            self._columns.setdefault(name, []).append(values.copy())
        self._features.append(features)

    @property
    def note(self) -> str:
        """Why the features are in a file, after `arrays`; empty if they are in memory."""
        return self._features.note

    def arrays(self) -> TrainingArrays:
        """Returns the rows in the order of the input. The buffer is empty afterwards."""
        columns = {name: join(parts) for name, parts in self._columns.items()}
        self._columns = {"id": [], "label": []}
        ids = columns["id"].astype(np.int64)
        places = np.argsort(ids, kind="stable") if np.any(ids[1:] < ids[:-1]) else None
        validation = None
        if "validation" in columns:
            mask = columns.pop("validation").astype(bool)
            places = np.arange(len(ids)) if places is None else places
            held_out, places = places[mask[places]], places[~mask[places]]
            X, held_out_X = self._features.take(places, held_out)
            validation = HeldOut(held_out_X, *select(columns, held_out))
        else:
            (X,) = self._features.take(places)
        sizes = partition_sizes(ids if places is None else ids[places])
        return TrainingArrays(X, *select(columns, places), sizes, validation)

    def _read_labels(self, column: Any, ids: NDArray[np.int64]) -> Vector:
        refuse_null(column, ids, "Labels MUST NOT be Null or NaN")
        labels: Vector = to_numpy(column)
        refuse(np.isnan(labels), labels, ids, "Labels MUST NOT be Null or NaN")
        if self.num_classes is None:
            refuse(np.isinf(labels), labels, ids, "Labels MUST NOT be Infinity")
        elif self.num_classes == 2:
            is_wrong = (labels != 0) & (labels != 1)
            refuse(is_wrong, labels, ids, "Labels MUST be in {0, 1}")
        else:
            is_wrong = (labels < 0) | (labels >= self.num_classes)
            refuse(is_wrong, labels, ids, f"Labels MUST be in [0, {self.num_classes})")
            refuse(labels != np.floor(labels), labels, ids, "Labels MUST be Integers")
        return labels


def read_features(batch: Any, num_features: int, ids: NDArray[np.int64] | None = None) -> Vector:
    """Returns the features of a batch   [instances x features], without a copy if all are dense.

    Raises
    ------
    DataError, ShapeError
        For null and for a wrong number of features, with the row if `ids` has it.
    """
    lists = batch.column("features")
    refuse_null(lists, ids, "Vectors MUST NOT be Null")
    lengths = np.diff(to_numpy(lists.offsets))
    names = batch.schema.names
    sizes = batch.column("size") if "size" in names else None
    if sizes is None or sizes.null_count == len(sizes):
        check_lengths(lengths, num_features, ids)
        return read_values(lists, lengths, ids).reshape(-1, num_features)
    is_sparse = ~is_null(sizes)
    check_lengths(np.where(is_sparse, to_numpy(sizes.fill_null(0)), lengths), num_features, ids)
    values = read_values(lists, lengths, ids)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    is_of_sparse = is_sparse[rows]
    X = np.zeros((len(lengths), num_features))
    X[~is_sparse] = values[~is_of_sparse].reshape(-1, num_features)
    X[rows[is_of_sparse], read_indices(batch, lengths, is_sparse, ids)] = values[is_of_sparse]
    return X


def read_indices(
    batch: Any,
    lengths: NDArray[np.int32],
    is_sparse: NDArray[np.bool_],
    ids: NDArray[np.int64] | None,
) -> NDArray[np.int32]:
    """Returns the indices of all sparse vectors, which Spark does not check."""
    lists = batch.column("indices")
    indices: NDArray[np.int32] = to_numpy(lists.flatten())
    counts = np.where(is_sparse, np.diff(to_numpy(lists.offsets)), lengths)
    sizes = np.repeat(to_numpy(batch.column("size").fill_null(0)), counts * is_sparse)
    wrong = np.flatnonzero(counts != lengths)
    if not len(wrong) and len(indices) == len(sizes):
        outside = np.flatnonzero((indices < 0) | (indices >= sizes))
        wrong = np.searchsorted(np.cumsum(counts * is_sparse), outside, side="right")
    if len(wrong):
        raise DataError(
            "sparse vectors must have one index below their size for each value"
            f"{place(ids, int(wrong[0]))}"
        )
    return indices


def read_values(lists: Any, lengths: NDArray[np.int32], ids: NDArray[np.int64] | None) -> Vector:
    """Returns the numbers of all lists."""
    values = lists.flatten()
    if values.null_count:
        place_of_null = np.flatnonzero(is_null(values))[0]
        row = int(np.searchsorted(np.cumsum(lengths), place_of_null, side="right"))
        raise DataError(f"Vectors MUST NOT be Null; got a null value{place(ids, row)}")
    numbers: Vector = to_numpy(values)
    return numbers


def check_lengths(
    lengths: NDArray[np.int32], num_features: int, ids: NDArray[np.int64] | None
) -> None:
    wrong = np.flatnonzero(lengths != num_features)
    if len(wrong):
        raise ShapeError(
            f"features must have {num_features} values, the first of the layers; got "
            f"{lengths[wrong[0]]}{place(ids, wrong[0])}"
        )


def check_finite(features: Vector, ids: NDArray[np.int64]) -> None:
    # A sum is fast to compute, and it is not finite if a value is not.
    with np.errstate(over="ignore", invalid="ignore"):
        total = features.sum()
    if not np.isfinite(total):
        refuse_infinite(features, ids)


def read_weights(column: Any, ids: NDArray[np.int64]) -> Vector:
    refuse_null(column, ids, "Weights MUST NOT be Null or NaN")
    weights: Vector = to_numpy(column)
    refuse(np.isnan(weights), weights, ids, "Weights MUST NOT be Null or NaN")
    is_wrong = (weights < 0) | np.isinf(weights)
    refuse(is_wrong, weights, ids, "Weights MUST NOT be Negative or Infinity")
    return weights


def read_mask(column: Any, ids: NDArray[np.int64]) -> Mask:
    refuse_null(column, ids, "The validation indicator MUST NOT be Null")
    mask: Mask = to_numpy(column)
    return mask


def refuse_null(column: Any, ids: NDArray[np.int64] | None, sentence: str) -> None:
    if column.null_count:
        row = np.flatnonzero(is_null(column))[0]
        raise DataError(f"{sentence}; got null{place(ids, row)}")


def refuse(is_wrong: Mask, values: Vector, ids: NDArray[np.int64], sentence: str) -> None:
    """Raises a sentence of Spark with the first wrong value, as Java writes it."""
    rows = np.flatnonzero(is_wrong)
    if len(rows):
        value = java_text(values[rows[0]])
        raise DataError(f"{sentence}, but got {value}{place(ids, rows[0])}")


def refuse_infinite(features: Vector, ids: NDArray[np.int64]) -> None:
    rows, columns = np.nonzero(~np.isfinite(features))
    if len(rows):
        value = java_text(features[rows[0], columns[0]])
        raise DataError(
            f"Vector values MUST NOT be NaN or Infinity, but got {value} at index "
            f"{columns[0]}{place(ids, rows[0])}"
        )


def java_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def place(ids: NDArray[np.int64] | None, row: int) -> str:
    """Says where a row is in the input, if that is known."""
    if ids is None:
        return ""
    partition, position = ids[row] >> POSITION_BITS, ids[row] & ((1 << POSITION_BITS) - 1)
    return f" (row {position} of partition {partition})"


def to_numpy(column: Any) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return array


def is_null(column: Any) -> Mask:
    return to_numpy(column.is_null())


def join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0)


def select(
    columns: dict[str, NDArray[Any]], places: NDArray[np.int64] | None
) -> tuple[Vector, Vector | None]:
    """Returns the labels and the weights at places, or all for None."""
    if places is not None:
        columns = {name: column[places] for name, column in columns.items()}
    return columns["label"], columns.get("weight")


def partition_sizes(ids: NDArray[np.int64]) -> list[int]:
    """Returns the numbers of rows in each partition that has any, in order."""
    sizes: list[int] = np.unique(ids >> POSITION_BITS, return_counts=True)[1].tolist()
    return sizes
