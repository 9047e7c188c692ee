# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses values of arrays and tables that are not numbers.

A conversion to float64 would take them silently: the numbers below a mask, the count of
days in a date, the number that a text shows.
"""
from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import DataError

__all__ = [
    "describe_arrow", "is_arrow_text", "refuse_column", "refuse_surrogates", "refuse_values",
    "refuse_vector",
]

TEXT_ADVICE = (
    "make one feature of each text, with pandas.get_dummies, with mlp.read_csv(..., "
    "one_hot='auto') or with --one-hot auto of the program; without layers, mlp.MLPClassifier and "
    "mlp.MLPRegressor do it"
)
TIME_ADVICE = "make numbers of it, for example the seconds since a date"
MISSING_ADVICE = "leave these rows out, or replace the missing values"
FEATURE_ADVICE = (
    f"{MISSING_ADVICE}; without layers, mlp.MLPClassifier and mlp.MLPRegressor take them"
)
TEXT, TIME, COMPLEX, OTHER = "text", "time", "complex", "other"
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
MAX_SHOWN = 40


class Column(NamedTuple):
    """A column of a table: what its type says."""

    name: Any
    type_name: str
    kind: str  # TEXT, TIME, OTHER; empty for numbers and for objects
    num_missing: int
    values: Any  # the objects, if only these tell; else None


def refuse_values(X: Any) -> None:
    """Refuses features that are not real numbers. Objects of unknown types pass.

    Raises
    ------
    DataError
        Naming the column.
    """
    if type(X) is np.ndarray and X.dtype.kind in "fbiu":
        return
    if isinstance(X, np.ndarray):
        refuse_array(X, "X")
    elif isinstance(X, (list, tuple)):
        refuse_rows(X)
    else:
        columns = list(columns_of(X))
        for column in columns:
            refuse_column(column)
        if not columns and hasattr(X, "__array__"):
            refuse_values(np.asarray(X))


def refuse_rows(X: Any) -> None:
    for number, row in enumerate(X):
        if isinstance(row, np.ma.MaskedArray):
            refuse_mask(row, f"row {number} of X")
    try:
        array = np.asarray(X)
    except ValueError:  # rows of several lengths
        return
    if array.dtype.kind in "US":  # NumPy made texts of numbers too
        array = np.asarray(X, dtype=object)
    refuse_values(array)


def refuse_vector(values: Any, name: str, accepts_texts: bool = False) -> None:
    """Refuses labels or weights that are not real numbers; labels may be texts."""
    if type(values) is np.ndarray and values.dtype.kind in "fbiu":
        return
    if isinstance(values, np.ndarray):
        refuse_array(values, name, accepts_texts)
    elif isinstance(values, (list, tuple)):
        refuse_objects(values, name, accepts_texts)
    else:
        columns = describe_series(values, name) or list(columns_of(values))
        for column in columns:
            refuse_column(column, accepts_texts, name)
        if not columns and hasattr(values, "__array__"):
            refuse_array(np.asarray(values), name, accepts_texts)


def refuse_array(array: NDArray[Any], name: str, accepts_texts: bool = False) -> None:
    if isinstance(array, np.ma.MaskedArray):
        refuse_mask(array, name)
    kind = {"U": TEXT, "S": TEXT, "M": TIME, "m": TIME, "c": COMPLEX, "V": OTHER}.get(
        array.dtype.kind, ""
    )
    if kind == TEXT and not accepts_texts:
        place = f"column 0 of {name}" if array.ndim == 2 else name
        refuse_kind(place, TEXT, f"got {shown(array.flat[0]) if array.size else array.dtype}")
    elif kind not in ("", TEXT):
        refuse_kind(name, kind, f"it has the type {array.dtype}")
    if array.dtype.kind != "O":
        return
    if array.ndim == 2:
        for number, column in enumerate(array.T):
            refuse_objects(column, f"column {number} of {name}", accepts_texts)
    else:
        refuse_objects(array.ravel(), name, accepts_texts)


def is_utf8(text: str) -> bool:
    """True if UTF-8 can store a text: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_surrogates(texts: Sequence[str | None], place: Callable[[int], str]) -> None:
    """Refuses texts that UTF-8 cannot store, as model files do.

    Parameters
    ----------
    place : callable
        Returns what messages call the text with this number.
    """
    if is_utf8("".join(text for text in texts if text)):
        return
    number, wrong = next((i, text) for i, text in enumerate(texts) if text and not is_utf8(text))
    raise DataError(
        f"{place(number)}: expected a text that UTF-8 can store; got {wrong!r}, which has a lone "
        "surrogate; read the data with their own encoding, or replace the text"
    )


def refuse_mask(array: Any, name: str) -> None:
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return
    raise DataError(
        f"{name} has {int(mask.sum())} masked entries, the first one at "
        f"{tuple(int(index) for index in np.argwhere(mask)[0])}; a network needs all numbers; "
        f"{MISSING_ADVICE}, for example with filled()"
    )


def refuse_objects(values: Any, name: str, accepts_texts: bool = False) -> None:
    """Refuses the first object that is not a number. Objects of unknown types pass."""
    for row, value in enumerate(values):
        refuse_object(value, row, name, accepts_texts)


def refuse_object(value: Any, row: int, name: str, accepts_texts: bool = False) -> None:
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        raise DataError(f"{name} has no value in row {row}; {missing_advice(name)}")
    if isinstance(value, (str, bytes)) and not accepts_texts:
        refuse_kind(name, TEXT, f"got {shown(value)}")
    if isinstance(value, TIMES):
        refuse_kind(name, TIME, f"got {type(value).__name__} in row {row}")
    if isinstance(value, (complex, np.complexfloating)):
        refuse_kind(name, COMPLEX, f"got {value} in row {row}")


def refuse_column(column: Column, accepts_texts: bool = False, place: str = "") -> None:
    """Refuses a column by its type. `place` is what messages call it."""
    name = place or f"column {column.name!r}"
    if column.kind and not (accepts_texts and column.kind == TEXT):
        refuse_kind(name, column.kind, f"it has the type {column.type_name}")
    if column.num_missing:
        raise DataError(f"{name} has {column.num_missing} missing values; {missing_advice(name)}")
    if column.values is not None:
        refuse_objects(column.values, name, accepts_texts)


def refuse_kind(name: str, kind: str, got: str) -> None:
    if kind == COMPLEX:
        raise DataError(f"Complex data not supported: {name} must be real numbers; {got}")
    advice = {TEXT: TEXT_ADVICE, TIME: TIME_ADVICE}.get(kind, "convert it")
    if name == "sample_weight":
        advice = "convert it"
    elif name == "y" and kind == TEXT:
        advice = "texts are classes, which MLPClassifier predicts"
    raise DataError(f"{name} must be numbers; {got}; {advice}")


def missing_advice(name: str) -> str:
    return MISSING_ADVICE if name.endswith(("y", "sample_weight")) else FEATURE_ADVICE


def shown(value: Any) -> str:
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
    return f"the text {text[:MAX_SHOWN]!r}"


def columns_of(X: Any) -> Iterator[Column]:
    """Returns the columns of a data frame or table; none for another object."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:  # pandas
        for number, name in enumerate(X.columns):
            yield describe_pandas(X.iloc[:, number], name)
    elif hasattr(X, "get_columns"):  # polars
        for series in X.get_columns():
            yield describe_polars(series, series.name)
    elif hasattr(X, "schema") and hasattr(X, "column_names"):  # Arrow
        for number, name in enumerate(X.column_names):
            yield describe_arrow(X.column(number), name)


def describe_series(values: Any, name: str) -> list[Column]:
    """Returns the column of a table; nothing for another object."""
    if hasattr(values, "iloc") and getattr(values, "ndim", 0) == 1:
        return [describe_pandas(values, name)]
    if hasattr(values, "null_count") and hasattr(values, "type"):
        return [describe_arrow(values, name)]
    if hasattr(values, "null_count") and hasattr(values, "dtype"):
        return [describe_polars(values, name)]
    return []


def describe_pandas(series: Any, name: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        kind = {"M": TIME, "m": TIME, "c": COMPLEX, "V": OTHER}.get(dtype.kind, "")
        objects = series.to_numpy() if dtype.kind == "O" else None
        return Column(name, str(dtype), kind, 0, objects)
    text = str(dtype)
    is_text = text == "str" or text.startswith(("string", "dictionary", "large_string"))
    if dtype.name == "category" or is_text:
        kind = TEXT
    elif dtype.kind in "Mm" or text.startswith(("period", "interval", "date", "time", "duration")):
        kind = TIME
    else:
        kind = "" if dtype.kind in "biuf" or text.startswith("decimal") else OTHER
    return Column(name, text, kind, 0 if kind == OTHER else int(series.isna().sum()), None)


def describe_polars(series: Any, name: Any) -> Column:
    dtype = series.dtype
    text = str(dtype)
    kind = ""
    if text.startswith(("String", "Utf8", "Categorical", "Enum")):
        kind = TEXT
    elif dtype.is_temporal():
        kind = TIME
    elif text == "Object":
        return Column(name, text, "", 0, series.to_list())
    elif not (dtype.is_numeric() or text in ("Boolean", "Null")):
        kind = OTHER
    return Column(name, text, kind, int(series.null_count()), None)


def describe_arrow(column: Any, name: Any) -> Column:
    from pyarrow import types

    arrow_type = column.type
    text = str(arrow_type)
    kind = ""
    if types.is_dictionary(arrow_type) or is_arrow_text(arrow_type):
        kind = TEXT
    elif types.is_temporal(arrow_type):
        kind = TIME
    elif not (
        types.is_integer(arrow_type) or types.is_floating(arrow_type)
        or types.is_decimal(arrow_type) or types.is_boolean(arrow_type)
        or types.is_null(arrow_type)
    ):
        kind = OTHER
    return Column(name, text, kind, int(column.null_count), None)


def is_arrow_text(arrow_type: Any) -> bool:
    return str(arrow_type) in ("string", "large_string", "string_view")
