# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of Spark ML as columns of Arrow.

A vector is a struct: its type (dense or sparse), and for a sparse one its size and the
indices of its values.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ShapeError
from ..formats.spark_stage import DENSE, vector_fields
from .training.rows import read_features, refuse_null, to_numpy

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructField

__all__ = ["column_of", "from_parts", "is_vector", "rows_of", "to_parts"]


def is_vector(field: StructField) -> bool:
    """True for a column of vectors."""
    from pyspark.ml.linalg import VectorUDT

    return isinstance(field.dataType, VectorUDT)


def column_of(name: str) -> Column:
    """Returns a column whose name may have any characters."""
    from pyspark.sql import functions as F

    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")


def to_parts(name: str) -> Column:
    """Returns a column of vectors as structs that Spark sends to Python fast.

    Spark 4 needs ten times as long for the indices of dense vectors, which are null: they
    are empty instead.
    """
    from pyspark.sql import functions as F

    vector = column_of(name)
    parts = F.unwrap_udt(vector)
    nothing = F.array().cast("array<int>")
    struct = F.struct(
        parts.getField("type").alias("type"),
        parts.getField("size").alias("size"),
        F.coalesce(parts.getField("indices"), nothing).alias("indices"),
        parts.getField("values").alias("values"),
    )
    return F.when(vector.isNotNull(), struct)


def from_parts(column: Any) -> Any:
    """Returns the vectors of `to_parts` as Spark stores them: dense ones have no indices."""
    import pyarrow
    import pyarrow.compute

    kind, size, indices, values = (column.field(name) for name in vector_fields().names)
    is_sparse = to_numpy(kind) != DENSE
    if not is_sparse.any():
        indices = pyarrow.nulls(len(column), indices.type)
    else:
        indices = pyarrow.compute.if_else(is_sparse, indices, pyarrow.scalar(None, indices.type))
    mask = column.is_null() if column.null_count else None
    return pyarrow.StructArray.from_arrays(
        [kind, size, indices, values], names=vector_fields().names, mask=mask
    )


def rows_of(column: Any, num_features: int) -> NDArray[np.float64]:
    """Returns vectors of `to_parts` as rows [instances x features]; dense ones in place.

    Raises
    ------
    DataError, ShapeError
        For null, and for a wrong number of features.
    """
    refuse_null(column, None, "Vectors MUST NOT be Null")
    is_dense = to_numpy(column.field("type")) == DENSE
    values = column.field("values")
    if is_dense.all():
        return read_features(values, num_features)
    lengths = np.diff(to_numpy(values.offsets))
    sizes = np.where(is_dense, lengths, to_numpy(column.field("size").fill_null(0)))
    for wrong in sizes[sizes != num_features]:
        raise ShapeError(f"features must have {num_features} values; got {int(wrong)}")
    starts = np.cumsum(lengths) - lengths
    places = np.arange(lengths.sum()) - np.repeat(starts, lengths)
    places[np.repeat(~is_dense, lengths)] = to_numpy(column.field("indices").flatten())
    rows = np.zeros((len(column), num_features))
    rows[np.repeat(np.arange(len(column)), lengths), places] = to_numpy(values.flatten())
    return rows
