# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames and tables as the inputs of a model, found by name."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import column_names, is_table
from .errors import DataError


def take_inputs(core: _core.Model, X: Any) -> Any:
    """Returns the inputs of a model, in its order.

    The columns of a table with names are found by the names of the model's features, in any
    order; other columns are ignored. The columns of a model that encodes texts or missing
    values are those that it was trained on, and become features. Arrays, and tables or
    models without names, stay as they are.

    Raises
    ------
    DataError
        If a column is missing or ambiguous, or if a text is not a category of the model and
        the model refuses unknown categories.
    """
    if type(X) is np.ndarray or not core.feature_names:
        return X
    names = text_names(X)
    if names is None:
        return X
    columns, is_raw = core.match_columns(names)
    if is_raw:
        return encode(core, X, columns)
    if columns != list(range(len(names))) or core.missing_numbers:
        X = select_columns(X, columns)
    refuse_missing(core, X)
    return X


def refuse_missing(core: _core.Model, table: Any) -> None:
    """Refuses numbers that mean a missing value, for a model without columns."""
    if not core.missing_numbers:
        return
    for name, values in zip(column_names(table) or [], list_columns(table)):
        numbers = as_floats(core, values, name)
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


def encode(core: _core.Model, X: Any, columns: list[int]) -> NDArray[np.float64]:
    """Returns the features that a model makes of the columns that it was trained on."""
    table = select_columns(X, columns)
    names = column_names(table) or []
    values: list[Any] = list_columns(table)
    for i, is_category in enumerate(core.category_columns):
        values[i] = as_texts(values[i]) if is_category else as_floats(core, values[i], names[i])
    return core.encode(values)


def list_columns(table: Any) -> list[Any]:
    """Returns the columns of a table of pandas, polars or pyarrow as arrays or lists."""
    if hasattr(table, "iloc"):
        return [table.iloc[:, i].to_numpy() for i in range(table.shape[1])]
    if hasattr(table, "get_columns"):
        return [column.to_list() for column in table.get_columns()]
    return [column.to_pylist() for column in table.columns]


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


def as_floats(core: _core.Model, values: Any, name: str) -> NDArray[np.float64]:
    """Returns numbers, NaN where they are missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return values.astype(np.float64)

    def as_float(value: Any) -> float:
        is_text = isinstance(value, str) and core.is_missing_text(value)
        return math.nan if is_text or is_missing(value) else float(value)

    try:
        return np.array([as_float(value) for value in values], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"column {name!r} must be numbers; {error}") from error
