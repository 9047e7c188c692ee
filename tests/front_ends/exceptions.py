# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions of Python, and warnings, as results."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import mlp

from .result import Result

# An exception of mlp has one code. Those of Python come from scikit-learn's checks, and from
# the interpreter for a wrong keyword.
CODES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ParamError", ("param",)),
    ("ShapeError", ("data",)),
    ("DataError", ("data",)),
    ("ModelError", ("model",)),
    ("DivergedError", ("diverged",)),
    ("ResourceError", ("resource",)),
    ("InvalidParameterError", ("param",)),
    ("OSError", ("resource",)),
    ("TypeError", ("param", "data")),
    ("ValueError", ("param", "data")),
)


def result_of(error: BaseException) -> Result:
    """Returns an exception as a refusal, or as trouble if it has no code."""
    names = [kind.__name__ for kind in type(error).__mro__]
    for name, codes in CODES:
        if name in names:
            return Result(codes, str(error))
    return Result(trouble=f"{type(error).__name__}: {error}")


def attempt(work: Callable[[], dict[str, Any]]) -> Result:
    """Calls work, which returns the other attributes of a result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = work()
        except Exception as error:  # noqa: BLE001  each exception is a result
            return result_of(error)
    return Result(warnings=codes_of(caught), **found)


def codes_of(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Returns the codes of the warnings of mlp."""
    kind = getattr(mlp, "ConvergenceWarning", ())
    return tuple(
        str(entry.message.code)  # type: ignore[union-attr]
        for entry in caught if isinstance(entry.message, kind)
    )
