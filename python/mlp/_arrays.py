# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data of many kinds as the arrays that the C++ library reads."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DataError, ShapeError

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def as_rows(X: Any) -> NDArray[Any]:
    """Returns features as a float64 or float32 array of two dimensions.

    A NumPy array of these types is returned as it is, in any layout: the library reads
    row-major float64 in place and copies the others part by part.

    Raises
    ------
    ShapeError
        Unless X has two dimensions.
    DataError
        If X has objects or texts that are no numbers.
    """
    if type(X) is np.ndarray and X.dtype in FLOATS and X.ndim == 2:
        return X
    return convert(X)


def convert(X: Any) -> NDArray[Any]:
    """Converts data frames, tables, sparse matrices, lists and other arrays."""
    if is_sparse(X):
        X = X.toarray()
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


def is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def is_table(X: Any) -> bool:
    """True for data frames and tables, of any library."""
    return hasattr(X, "__arrow_c_stream__") or (hasattr(X, "columns") and hasattr(X, "dtypes"))


def table_to_array(X: Any) -> NDArray[Any]:
    """Returns the columns of a data frame or table as an array [rows x columns]."""
    if hasattr(X, "to_numpy"):
        return np.asarray(X.to_numpy())
    columns = [np.asarray(column) for column in X.to_pydict().values()]
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
        If the values are no numbers.
    """
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} must be numbers; {error}") from error
    if array.shape != (size,):
        raise ShapeError(f"{name} must have the shape ({size},); got {array.shape}")
    return array
