# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames, tables and arrays as the inputs of a model."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import column_names, is_sparse, is_table
from ._values import TEXT, Column, columns_of, refuse_kind, refuse_objects
from .errors import DataError

Values = Union[NDArray[np.float64], list[Union[str, None]]]
"""A column: numbers, NaN where missing; or texts, None where missing."""


class TableColumns(NamedTuple):
    """The columns of a table, read for a fit."""

    names: list[str]
    """Empty if the columns have no names."""
    values: list[Values]


def read_columns(X: Any) -> TableColumns | None:
    """Returns the columns of X if some are texts or lack values; None for numbers alone.

    Columns of texts and categories are categories, all others numbers.

    Raises
    ------
    DataError
        Naming a column that is neither, such as one of dates, or has both.
    """
    if is_sparse(X) or isinstance(X, np.ma.MaskedArray):
        return None
    if not is_table(X):
        arrays = list_array(X)
        if arrays is None:
            return None
        described = [describe_array(values, i) for i, values in enumerate(arrays)]
    else:
        if getattr(X, "ndim", 2) != 2:
            return None
        described = list(columns_of(X))
        if not described:
            X = read_stream(X)
            described = list(columns_of(X))
        arrays = list_columns(X)
    if not any(needs_encoding(column, values) for column, values in zip(described, arrays)):
        return None
    values = [read_column(column, values) for column, values in zip(described, arrays)]
    return TableColumns(text_names(X) or [], values)


def list_array(X: Any) -> list[Any] | None:
    """Returns the columns of an array, or of a list of rows; None for anything else."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
    except (TypeError, ValueError):
        return None
    if array.ndim != 2 or array.dtype.kind not in "fO":
        return None
    if array.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(array.sum()) or not np.isnan(array).any():
                return None
    return list(array.T)


def describe_array(values: NDArray[Any], number: int) -> Column:
    objects = values if values.dtype.kind == "O" else None
    return Column(number, str(values.dtype), "", 0, objects)


def needs_encoding(column: Column, values: Any) -> bool:
    """True for a column of texts, or with missing values."""
    if column.kind == TEXT or column.num_missing:
        return True
    if column.values is not None:
        return any(isinstance(value, str) or is_missing(value) for value in column.values)
    is_float = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    return is_float and bool(np.isnan(values).any())


def read_column(column: Column, values: Any) -> Values:
    name = f"column {column.name!r}"
    if column.kind not in ("", TEXT):
        refuse_kind(name, column.kind, f"it has the type {column.type_name}")
    if column.kind == TEXT:
        return as_texts(values)
    if column.values is not None and has_texts(column.values, name):
        return as_texts(values)
    return as_floats(values, column.name)


def has_texts(values: Any, name: str) -> bool:
    """True if objects are texts, false if they are numbers."""
    present = [value for value in values if not is_missing(value)]
    refuse_objects(present, name, accepts_texts=True)
    text = next((value for value in present if isinstance(value, str)), None)
    other = next((value for value in present if not isinstance(value, str)), None)
    if text is not None and other is not None:
        raise DataError(
            f"{name} has both numbers, such as {other!r}, and texts, such as {text!r}; expected "
            "one kind; correct the column"
        )
    return text is not None


def take_inputs(core: _core.Model, X: Any) -> Any:
    """Returns the inputs of a model, in its order.

    The columns of a table with names are found by the names of the model's features, in any
    order; other columns are ignored. The columns of a model that encodes texts or missing
    values are those that it was trained on, and become features; an array may have them, too.
    Other arrays, and tables or models without names, stay as they are.

    Raises
    ------
    DataError
        If a column is missing or ambiguous, or if a text is not a category of the model and
        the model refuses unknown categories.
    """
    has_columns = core.has_columns
    if type(X) is np.ndarray and not has_columns:
        return X
    names = text_names(X) if core.feature_names else None
    if names is None:
        return encode_in_order(core, X) if has_columns else X
    columns, is_raw = core.match_columns(names)
    if is_raw:
        return encode_rows(core.column_encoding, X)
    if columns != list(range(len(names))) or core.missing_numbers:
        X = select_columns(X, columns)
    refuse_missing(core, X)
    return X


def encode_in_order(core: _core.Model, X: Any) -> Any:
    """Encodes columns that are found by their order. What has other columns stays."""
    encoding = core.column_encoding
    columns = columns_in_order(X)
    if columns is None or len(columns) != len(encoding.are_categories):
        return X
    are_numbers = all(getattr(values, "dtype", np.dtype("O")).kind in "biuf" for values in columns)
    is_encoded = len(columns) == core.num_features and any(encoding.are_categories) and are_numbers
    return X if is_encoded else encode_values(encoding, columns)


def encode_rows(encoding: _core.ColumnEncoding, X: Any) -> NDArray[np.float64]:
    """Returns the features that a model makes of the columns that it was trained on."""
    names = text_names(X) if encoding.column_names else None
    if names is not None:
        X = select_columns(X, encoding.match_columns(names))
    columns = columns_in_order(X)
    if columns is None or len(columns) != len(encoding.are_categories):
        raise DataError(
            f"X must have {len(encoding.are_categories)} columns, as in the training; "
            f"got {0 if columns is None else len(columns)}"
        )
    return encode_values(encoding, columns)


def columns_in_order(X: Any) -> list[Any] | None:
    """Returns the columns of a table or an array; None for anything else."""
    if is_sparse(X):
        return None
    if is_table(X):
        return list_columns(X)
    array = np.asarray(X)
    return list(array.T) if array.ndim == 2 else None


def encode_values(encoding: _core.ColumnEncoding, columns: list[Any]) -> NDArray[np.float64]:
    names: list[Any] = [*encoding.column_names] or [*range(len(columns))]
    return encoding.encode([
        as_texts(values) if is_category else as_floats(values, name, encoding.is_missing_text)
        for values, name, is_category in zip(columns, names, encoding.are_categories)
    ])


def refuse_missing(core: _core.Model, table: Any) -> None:
    """Refuses numbers that mean a missing value, for a model without columns."""
    if not core.missing_numbers:
        return
    for name, values in zip(column_names(table) or [], list_columns(table)):
        numbers = as_floats(values, name, core.column_encoding.is_missing_text)
        missing = np.flatnonzero(np.isin(numbers, core.missing_numbers))
        if missing.size:
            raise DataError(
                f"row {missing[0]}: expected a number in column '{name}', got "
                f"{numbers[missing[0]]:g}, which means a missing value; fill in the missing "
                "value or remove the row"
            )


def text_names(X: Any) -> list[str] | None:
    """Returns the names of the columns of a table; None if it has none that are texts."""
    if not is_table(X):
        return None
    names = column_names(X)
    if names is None or not any(isinstance(name, str) for name in names):
        return None
    return [str(name) for name in names]


def select_columns(X: Any, columns: list[int]) -> Any:
    """Returns a table with some columns, given by their indices."""
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[:, columns]
    if hasattr(X, "get_columns"):  # polars
        return X[:, columns]
    if not hasattr(X, "select") or not hasattr(X, "schema"):
        return select_columns(read_stream(X), columns)
    return X.select(columns)  # pyarrow


def read_stream(X: Any) -> Any:
    """Returns what exports an Arrow stream as a table of pyarrow."""
    import pyarrow

    return pyarrow.table(X)


def list_columns(table: Any) -> list[Any]:
    """Returns the columns of a table of pandas, polars or pyarrow as arrays or lists."""
    if hasattr(table, "iloc"):
        return [table.iloc[:, i].to_numpy() for i in range(table.shape[1])]
    if hasattr(table, "get_columns"):
        return [
            column.to_numpy() if column.dtype.is_numeric() else column.to_list()
            for column in table.get_columns()
        ]
    return [arrow_values(column) for column in table.columns]


def arrow_values(column: Any) -> Any:
    from pyarrow import types

    is_number = types.is_integer(column.type) or types.is_floating(column.type)
    if not is_number:
        return column.to_pylist()
    is_chunked = hasattr(column, "chunks")
    return column.to_numpy() if is_chunked else column.to_numpy(zero_copy_only=False)


def is_missing(value: Any) -> bool:
    """True for None, NaN, and what pandas stores for a missing value."""
    if value is None:
        return True
    is_equal = value == value
    return not isinstance(is_equal, (bool, np.bool_)) or not is_equal


def as_texts(values: Any) -> list[str | None]:
    """Returns categories as a data file has them: the integer 3 also if stored as 3.0."""
    return [None if is_missing(value) else as_text(value) for value in values]


def as_text(value: Any) -> str:
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def as_floats(
    values: Any, name: Any, is_missing_text: Callable[[str], bool] = lambda text: False
) -> NDArray[np.float64]:
    """Returns numbers, NaN where they are missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return values.astype(np.float64)

    def as_float(value: Any) -> float:
        is_text = isinstance(value, str) and is_missing_text(value)
        return math.nan if is_text or is_missing(value) else float(value)

    try:
        return np.array([as_float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"column {name!r} must be numbers; {error}") from error
