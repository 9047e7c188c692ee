# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data of many kinds as the arrays that the C++ library reads."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._values import refuse_values, refuse_vector
from .errors import DataError, ShapeError

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def as_rows(X: Any) -> NDArray[Any]:
    """Returns features as a float64 or float32 array of two dimensions.

    A NumPy array of these types is returned as it is, in any layout. Scoring reads rows
    that lie one after another in place and gathers the others in small parts; training
    reads row-major float64 in place and copies the others.

    Raises
    ------
    ShapeError
        Unless X has two dimensions.
    DataError
        If X has objects or texts that are not numbers.
    """
    if type(X) is np.ndarray and X.dtype in FLOATS and X.ndim == 2:
        return as_readable(X)
    return as_readable(convert(X))


def as_readable(array: NDArray[Any]) -> NDArray[Any]:
    """Returns an array of which the library reads each number at a multiple of its size.

    A field of packed records is copied.
    """
    return array if has_whole_strides(array) else array.copy(order="C")


def has_whole_strides(array: NDArray[Any]) -> bool:
    size = array.itemsize
    return array.flags.aligned and all(stride % size == 0 for stride in array.strides)


def as_features(X: Any) -> NDArray[Any] | _core.Columns:
    """Returns features to score: the columns of a table where they lie, else an array.

    Raises
    ------
    ShapeError, DataError
        As as_rows() does.
    """
    if type(X) is not np.ndarray and is_table(X):
        refuse_values(X)
        columns = find_columns(X)
        if columns is not None:
            return columns
    return as_rows(X)


def find_columns(X: Any) -> _core.Columns | None:
    """Returns the columns of a table that can be read where they lie.

    None if a column is not of floats or integers, has missing values or would be copied, and
    for a data frame of pandas whose numbers are one array anyway.
    """
    if getattr(X, "ndim", 2) != 2:  # a pandas.Series
        return None
    try:
        if hasattr(X, "to_batches"):  # pyarrow.Table
            batches = [arrow_columns(batch) for batch in X.to_batches()]
        elif hasattr(X, "to_struct_array"):  # pyarrow.RecordBatch
            batches = [arrow_columns(X)]
        elif hasattr(X, "get_columns"):  # polars.DataFrame
            batches = [[column.to_numpy(allow_copy=False) for column in X.get_columns()]]
        elif hasattr(X, "iloc") and not is_one_array(X):
            batches = [[X.iloc[:, i].to_numpy() for i in range(X.shape[1])]]
        else:
            return None
    except (RuntimeError, TypeError, ValueError):
        return None
    has_columns = bool(batches) and bool(batches[0])
    if not has_columns or not all(is_readable(column) for batch in batches for column in batch):
        return None
    return _core.Columns(batches)


def arrow_columns(batch: Any) -> list[NDArray[Any]]:
    return [column.to_numpy(zero_copy_only=True) for column in batch.columns]


def is_one_array(frame: Any) -> bool:
    """True for a data frame of pandas that is a view of one array of floats."""
    first = frame.iloc[:1]
    if first.shape[1] == 0:
        return False
    array = first.to_numpy()
    column = first.iloc[:, 0].to_numpy()
    return array.dtype in FLOATS and np.may_share_memory(array, column)


def is_readable(column: NDArray[Any]) -> bool:
    """True for numbers that the library reads."""
    kind = column.dtype
    is_number = kind in FLOATS or (kind.kind in "iu" and kind.itemsize <= 8)
    if column.ndim != 1 or not kind.isnative or not is_number:
        return False
    return column.flags.aligned and column.strides[0] % kind.itemsize == 0


def convert(X: Any) -> NDArray[Any]:
    """Converts data frames, tables, sparse matrices, lists and other arrays."""
    refuse_values(X)
    if is_sparse(X):
        X = densify(X)
    elif is_table(X):
        X = table_to_array(X)
    try:
        array = np.asarray(X)
        if np.iscomplexobj(array):
            raise DataError("Complex data not supported: features must be real numbers")
        if array.dtype not in FLOATS:
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"features must be numbers; {error}") from error
    if array.ndim != 2:
        raise ShapeError(
            f"Expected 2D array, got {array.ndim}D array instead: features must have the "
            "shape (instances, features). Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    return array


def densify(X: Any) -> NDArray[Any]:
    """Returns a sparse matrix as the only array of its rows: numbers are converted before."""
    if X.dtype.kind in "biu":
        X = X.astype(np.float64)
    array: NDArray[Any] = X.toarray(order="C")
    return array


def is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def exceeds_memory(X: Any) -> bool:
    """True for a sparse matrix that with its zeros takes more memory than data may take."""
    if not is_sparse(X) or X.ndim != 2:
        return False
    return _core.stays_sparse(X.shape[0], X.shape[1], X.nnz)


def as_sparse(X: Any) -> _core.StoredFeatures:
    """Returns the rows of a sparse matrix, whose zeros take no memory."""
    refuse_values(X)
    if X.dtype.kind not in "biuf":
        raise DataError(f"features must be real numbers; got {X.dtype}")
    rows = X.tocsr()
    return _core.StoredFeatures.of_sparse(
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        np.ascontiguousarray(rows.data, dtype=np.float64),
        X.shape[1],
    )


def is_table(X: Any) -> bool:
    """True for data frames and tables, of any library."""
    return hasattr(X, "__arrow_c_stream__") or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def as_known_table(X: Any) -> Any:
    """Returns other tables as those of pandas, polars or pyarrow; all other data stay as they are.

    Other tables are lazy frames of polars, data sets and record batches of pyarrow, and what
    exports an Arrow stream, such as a relation of DuckDB. A stream is read once.
    """
    if type(X) is np.ndarray or hasattr(X, "iloc"):
        return X
    if hasattr(X, "collect_schema") and not hasattr(X, "get_columns"):  # polars.LazyFrame
        return X.collect()
    if hasattr(X, "to_table") and hasattr(X, "scanner"):  # pyarrow.dataset.Dataset
        return X.to_table()
    is_stream = hasattr(X, "__arrow_c_stream__") or hasattr(X, "to_struct_array")
    if not is_stream or hasattr(X, "get_columns") or hasattr(X, "to_batches"):
        return X
    if hasattr(X, "null_count"):  # one column of pyarrow or polars
        return X
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"X is a {type(X).__name__}, which is read by pyarrow; install spark-mlp[arrow]"
        ) from error
    if hasattr(X, "to_struct_array"):
        return pyarrow.Table.from_batches([X])
    return X.read_all() if hasattr(X, "read_all") else pyarrow.table(X)


def table_to_array(X: Any) -> NDArray[Any]:
    """Returns the columns of a data frame or table as an array [rows x columns]."""
    if hasattr(X, "to_numpy"):
        return np.asarray(X.to_numpy())
    columns = [np.asarray(column) for column in X.columns]  # pyarrow.RecordBatch
    return np.column_stack(columns) if columns else np.empty((0, 0))


def column_names(X: Any) -> list[Any] | None:
    """Returns the names of the columns of a data frame or table; None without names."""
    names = getattr(X, "column_names", None)
    if names is None:
        names = getattr(X, "columns", None)
    return None if names is None else list(names)


def as_numbers(values: Any, name: str, size: int) -> NDArray[np.float64]:
    """Returns one float64 per instance.

    Raises
    ------
    ShapeError
        Unless there are `size` numbers in one dimension.
    DataError
        If the values are not numbers.
    """
    refuse_vector(values, name)
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers; {error}") from error
    if array.shape != (size,):
        raise ShapeError(f"{name} must have the shape ({size},); got {array.shape}")
    return array
