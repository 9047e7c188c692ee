# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns whose values repeat: each different value is looked at once, not in each row."""
from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._values import is_utf8
from ..errors import DataError

__all__ = [
    "Coded", "Values", "as_floats", "as_texts", "code_objects", "is_missing", "keep_used",
]


class Coded(NamedTuple):
    """The values of a column, each different one once."""

    values: list[Any]
    """In the order of the first row of each; missing ones as None or as the library has them."""
    codes: NDArray[np.int64]
    """Of each row, the place of its value   [instances]."""
    rows: NDArray[np.int64]
    """The first row of each value."""

Values = Union[NDArray[Any], Coded]
"""A column: numbers or truth values, NaN where missing; or all other values."""

# Of equal values of these types, all are the same text and the same number. True equals 1, but
# is another text.
ALIKE = (frozenset((str, int, float)), frozenset((str, bool)))
MISSING_TYPES = ("NoneType", "NAType", "NaTType")


def code_objects(objects: Sequence[Any]) -> Coded:
    """Codes objects of Python, such as the texts of a column."""
    kinds = {kind for kind in set(map(type, objects)) if kind.__name__ not in MISSING_TYPES}
    if not any(kinds <= alike for alike in ALIKE):
        codes = np.arange(len(objects))
        return Coded(list(objects), codes, codes)
    values = list(dict.fromkeys(objects))
    places = dict(zip(values, range(len(values))))
    codes = np.fromiter(map(places.__getitem__, objects), dtype=np.int64, count=len(objects))
    return keep_used(values, codes)


def keep_used(values: list[Any], codes: NDArray[Any]) -> Coded:
    """Codes rows without the values that no row has.

    Parameters
    ----------
    codes
        Of each row, the place of its value; below 0 where it is missing.
    """
    values = [*values, None]
    places = np.where(codes < 0, len(values) - 1, codes).astype(np.int64)
    first = np.full(len(values), -1)
    # The last one of several assignments stays: that of the first row.
    first[places[::-1]] = np.arange(len(places))[::-1]
    used = np.flatnonzero(first >= 0)
    used = used[np.argsort(first[used])]
    number = np.zeros(len(values), dtype=np.int64)
    number[used] = np.arange(len(used))
    return Coded([values[at] for at in used], number[places], first[used])


def is_missing(value: Any) -> bool:
    """True for None, NaN, and what pandas stores for a missing value."""
    if value is None or type(value).__name__ in MISSING_TYPES:
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(value != value)


def as_texts(values: Values) -> Coded:
    """Returns the texts of categories: that of the integer 3 also if it is stored as 3.0. None
    is missing."""
    if not isinstance(values, Coded):
        values = code_objects(values.tolist())
    texts = [None if is_missing(value) else as_text(value) for value in values.values]
    return values._replace(values=texts)


def as_text(value: Any) -> str:
    if isinstance(value, (float, np.floating)) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def as_floats(
    values: Values, name: Any, is_missing_text: Callable[[str], bool] = lambda text: False
) -> NDArray[np.float64]:
    """Returns numbers, NaN where they are missing. Texts are read as those of a file."""
    if not isinstance(values, Coded):
        return values.astype(np.float64)

    def as_float(value: Any) -> float:
        if isinstance(value, str):
            return text_as_float(value, is_missing_text)
        return math.nan if is_missing(value) else float(value)

    try:
        numbers = np.array([as_float(value) for value in values.values], dtype=np.float64)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise DataError(f"column {name!r} must be numbers; {error}") from error
    return numbers[values.codes]


def text_as_float(text: str, is_missing_text: Callable[[str], bool]) -> float:
    number = None
    if is_utf8(text):
        if is_missing_text(text):
            return math.nan
        number = _core.number_of(text)
    if number is None:
        raise ValueError(f"could not convert string to float: {text!r}")
    return number
