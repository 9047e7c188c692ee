# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames, tables and arrays as the inputs of a model."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import as_known_table, column_names, is_sparse, is_table
from ._values import (
    OTHER,
    TEXT,
    Column,
    columns_of,
    is_utf8,
    refuse_kind,
    refuse_object,
    refuse_surrogates,
    refuse_values,
)
from .errors import ColumnWarning, DataError
from .tables.coded_values import Coded, Values, as_floats, as_texts, is_missing
from .tables.columns import array_values, list_columns


def as_feature_table(X: Any) -> Any:
    """Returns what as_known_table() does, without the columns of row names.

    pandas stores them in Arrow tables and Parquet files. They are no features, as in a file.
    """
    X = as_known_table(X)
    if type(X) is np.ndarray or not is_table(X) or getattr(X, "ndim", 2) != 2:
        return X
    names = column_names(X) or []
    kept = [at for at, name in enumerate(names) if not is_stored_index(name)]
    return X if len(kept) == len(names) else select_columns(X, kept)


def is_stored_index(name: Any) -> bool:
    return isinstance(name, str) and is_utf8(name) and _core.is_stored_index(name)


class TableColumns(NamedTuple):
    """The columns of a table or an array."""

    names: list[str]
    """Empty if the columns have no names."""
    columns: list[Column]
    """What the type of each says."""
    arrays: list[Values]
    """The values of each."""

    @property
    def num_rows(self) -> int:
        first = self.arrays[0]
        return len(first.codes if isinstance(first, Coded) else first)

    def take(self, places: list[int]) -> TableColumns:
        return TableColumns(
            [self.names[i] for i in places] if self.names else [],
            [self.columns[i] for i in places],
            [self.arrays[i] for i in places],
        )


def table_columns(X: Any) -> TableColumns | None:
    """Returns the columns of a data frame, a table, an array or a list of rows.

    None for what has no columns of its own: sparse matrices, arrays with a mask or of another
    number of dimensions, and arrays of texts, dates or complex numbers. A table is one that
    as_known_table() returned.
    """
    if is_sparse(X):
        return None
    if not is_table(X):
        arrays = list_array(X)
        if arrays is None:
            return None
        columns = [describe_array(array, i) for i, array in enumerate(arrays)]
        return TableColumns([], columns, list(map(array_values, arrays)))
    if getattr(X, "ndim", 2) != 2:
        return None
    return TableColumns(text_names(X) or [], list(columns_of(X)), list_columns(X))


def list_array(X: Any) -> list[Any] | None:
    """Returns the columns of an array of numbers or objects, or of a list of such rows."""
    if isinstance(X, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in X):
        return None
    try:
        array = X if isinstance(X, np.ndarray) else as_objects(np.asarray(X), X)
    except (TypeError, ValueError):
        return None
    is_plain = not isinstance(array, np.ma.MaskedArray) and array.dtype.kind in "biufO"
    return list(array.T) if array.ndim == 2 and is_plain else None


def as_objects(array: NDArray[Any], rows: Any) -> NDArray[Any]:
    """Returns the values of a list as they are if NumPy made texts of its numbers."""
    return np.asarray(rows, dtype=object) if array.dtype.kind in "US" else array


def describe_array(values: NDArray[Any], number: int) -> Column:
    objects = values if values.dtype.kind == "O" else None
    return Column(number, str(values.dtype), "", 0, objects)


def may_need_encoding(table: TableColumns) -> bool:
    """True if a column has texts, lacks values or has a name of row numbers."""
    if any(name.lower() in _core.row_number_names for name in table.names):
        return True
    return any(map(needs_encoding, table.columns, table.arrays))


def needs_encoding(column: Column, values: Values) -> bool:
    """True for a column of texts, or with missing values."""
    if column.kind == TEXT or column.num_missing:
        return True
    if isinstance(values, Coded):
        return any(isinstance(value, str) or is_missing(value) for value in values.values)
    return values.dtype.kind == "f" and bool(np.isnan(values).any())


def read_to_fit(
    table: TableColumns,
) -> tuple[list[NDArray[np.float64] | _core.CodedTexts], list[bool]]:
    """Returns the values of columns, and which are chosen as categories by their type.

    Raises
    ------
    DataError
        Naming a column that has neither numbers nor texts, such as one of dates.
    """
    check_kinds(table)
    values = [
        read_texts(column, array) if is_text(column) else as_floats(array, column.name)
        for column, array in zip(table.columns, table.arrays)
    ]
    return values, [is_category(column) for column in table.columns]


def is_text(column: Column) -> bool:
    """True for a type of texts, and for objects with a text among them."""
    if column.kind or column.values is None:
        return column.kind != ""
    return any(isinstance(value, str) for value in column.values)


def check_kinds(table: TableColumns) -> None:
    """Refuses columns that have neither numbers nor texts."""
    for column, values in zip(table.columns, table.arrays):
        name = f"column {column.name!r}"
        if column.kind not in ("", TEXT):
            refuse_kind(name, column.kind, f"it has the type {column.type_name}")
        if not isinstance(values, Coded):
            continue
        for value, row in zip(values.values, values.rows):
            if column.values is not None and not is_missing(value):
                refuse_object(value, int(row), name, accepts_texts=True)
            if isinstance(value, bytes):
                refuse_kind(name, OTHER, "got bytes")


def is_category(column: Column) -> bool:
    """True for a type of categories, such as pandas' category and Arrow's dictionary."""
    return column.type_name.lower().startswith(("category", "categorical", "enum", "dictionary"))


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
    X = as_known_table(X)
    names = text_names(X) if core.feature_names else None
    if names is None:
        X = as_feature_table(X)
        return encode_in_order(core, X) if has_columns else read_numbers_like(core, X)
    columns, is_raw = core.match_columns(names)
    if is_raw:
        return encode_rows(core.column_encoding, X)
    if columns != list(range(len(names))) or core.missing_numbers:
        X = select_columns(X, columns)
    if not core.missing_numbers:
        return read_numbers_like(core, X)
    filled = fill_in(core, X)
    if filled is None:
        refuse_missing(core, X)
    return X if filled is None else filled


def no_text_is_missing(_text: str) -> bool:
    return False


def read_numbers(X: Any, is_missing_text: Callable[[str], bool] = no_text_is_missing) -> Any:
    """Returns features that are no encoded columns.

    Columns of texts that are all numbers become numbers, as in a file. A table without
    such columns stays, and so does one with other texts or with categories, which are refused.
    """
    columns = list(columns_of(X)) if is_table(X) else []
    if not any(map(is_text, columns)) or any(map(is_category, columns)):
        return X
    table = table_columns(X)
    if table is None:
        return X
    try:
        return as_numbers_of(table, is_missing_text)
    except DataError:
        return X


def read_numbers_like(core: _core.Model, X: Any) -> Any:
    return read_numbers(X, core.column_encoding.is_missing_text)


def as_numbers_of(
    table: TableColumns, is_missing_text: Callable[[str], bool] = no_text_is_missing
) -> NDArray[np.float64]:
    """Returns columns of numbers as rows, NaN where a value is missing."""
    check_kinds(table)
    return np.column_stack([
        as_floats(array, column.name, is_missing_text)
        for array, column in zip(table.arrays, table.columns)
    ])


def fill_in(core: _core.Model, X: Any) -> NDArray[np.float64] | None:
    """Returns features in which the means of the training replace missing values.

    None if no value is missing, or the model has no means or has columns, which
    take_inputs() encodes.
    """
    table = table_columns(X)
    if table is None or core.has_columns or len(table.arrays) != core.num_features:
        return None
    lacks_values = core.missing_numbers or any(map(needs_encoding, table.columns, table.arrays))
    encoding = core.scoring_encoding
    if not lacks_values or not encoding.are_categories or any(map(is_text, table.columns)):
        return None
    return encode_values(encoding, table)


def encode_in_order(core: _core.Model, X: Any) -> Any:
    """Encodes columns that are found by their order. What has other columns stays."""
    encoding = core.column_encoding
    table = table_columns(X)
    if table is None or len(table.arrays) != len(encoding.are_categories):
        return X
    are_numbers = all(column.values is None and column.kind == "" for column in table.columns)
    is_encoded = len(table.arrays) == core.num_features and any(encoding.are_categories)
    return X if is_encoded and are_numbers else encode_values(encoding, table)


def encode_rows(encoding: _core.ColumnEncoding, X: Any) -> NDArray[np.float64]:
    """Returns the features that a model makes of the columns that it was trained on."""
    table = require_columns(X)
    if table.names and encoding.column_names:
        table = table.take(encoding.match_columns(table.names))
    if len(table.arrays) != len(encoding.are_categories):
        raise DataError(
            f"X must have {len(encoding.are_categories)} columns, as in the training; "
            f"got {len(table.arrays)}"
        )
    return encode_values(encoding, table)


def require_columns(X: Any) -> TableColumns:
    """Returns the columns of X.

    Raises
    ------
    DataError
        If it has none, such as an array with a mask.
    """
    table = table_columns(X)
    if table is None:
        refuse_values(X)
        raise DataError(
            "X must be a data frame, a table or an array of two dimensions, as in the training; "
            f"got {type(X).__name__}"
        )
    return table


def encode_values(encoding: _core.ColumnEncoding, table: TableColumns) -> NDArray[np.float64]:
    check_kinds(table)
    features, notes = encoding.encode([
        read_texts(column, array)
        if is_category else as_floats(array, column.name, encoding.is_missing_text)
        for array, column, is_category in zip(table.arrays, table.columns, encoding.are_categories)
    ])
    warn_of_columns(f"X: {note}" for note in notes)
    return features


def read_texts(column: Column, values: Values) -> _core.CodedTexts:
    """Returns the texts of a column of categories."""
    texts, codes, rows = as_texts(values)
    refuse_surrogates(texts, lambda at: f"row {rows[at]} of column {column.name!r}")
    return texts, codes


def refuse_missing(core: _core.Model, table: Any) -> None:
    """Refuses numbers that mean a missing value, for a model without columns and means."""
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
    texts = [str(name) for name in names]
    refuse_surrogates(texts, lambda number: f"the name of column {number}")
    return texts


def select_columns(X: Any, columns: list[int]) -> Any:
    """Returns a table with some columns, given by their indices."""
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[:, columns]
    if hasattr(X, "get_columns"):  # polars
        return X[:, columns]
    return X.select(columns)  # pyarrow


def warn_of_columns(sentences: Iterable[str]) -> None:
    warn_outside(sentences, ColumnWarning)


def warn_outside(sentences: Iterable[str], category: type[Warning]) -> None:
    """Gives a warning of each sentence, at the first frame outside of the package."""
    sentences = list(sentences)
    if not sentences:
        return
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("mlp."):
        frame = frame.f_back
        level += 1
    for sentence in sentences:
        warnings.warn(sentence, category, stacklevel=level)
