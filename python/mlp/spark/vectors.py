# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of Spark ML as columns of Arrow.

A vector is a struct: its type (dense or sparse), and for a sparse one its size and the
indices of its values.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ShapeError
from ..formats.spark_stage import DENSE, vector_fields
from .training.rows import read_features, refuse_null, to_numpy

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField, StructType

__all__ = ["column_of", "from_parts", "is_vector", "map_to_vectors", "rows_of", "to_parts"]


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


def map_to_vectors(
    rows: DataFrame, work: Callable[[Iterable[Any]], Iterator[Any]], schema: StructType
) -> DataFrame:
    """Returns ``rows.mapInArrow(work, schema)``, whose schema may have vectors.

    The Python part of Spark 3.4 does not know vectors there, but its JVM does.
    """
    import pyspark

    if not pyspark.__version__.startswith("3.4."):
        return rows.mapInArrow(work, schema)
    from pyspark.rdd import PythonEvalType
    from pyspark.sql import DataFrame
    from pyspark.sql.column import _to_java_column, _to_seq
    from pyspark.sql.types import StructType
    from pyspark.sql.udf import _wrap_function

    session = rows.sparkSession
    context = session.sparkContext
    # The task only looks whether the types that it is given exist in Arrow: it gets none.
    command = _wrap_function(context, work, StructType())
    kind = session._jsparkSession.parseDataType(schema.json())
    udf = context._jvm.org.apache.spark.sql.execution.python.UserDefinedPythonFunction(
        work.__name__, command, kind, PythonEvalType.SQL_MAP_ARROW_ITER_UDF, True
    )
    columns = _to_seq(context, [rows[name] for name in rows.columns], _to_java_column)
    return DataFrame(rows._jdf.pythonMapInArrow(udf.apply(columns).expr()), session)


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
