# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""JSON that other programs wrote."""
from __future__ import annotations

import json
from typing import Any

from ..errors import ModelError

__all__ = ["parse_json"]

# Metadata of models nest a few levels. Without a limit, deep nesting would exhaust the
# stack.
MAX_LEVELS = 32


def parse_json(text: str, place: str, expected: str = "JSON") -> Any:
    """Parses JSON.

    Parameters
    ----------
    text : str
    place : str
        Where it is from, with which messages start.
    expected : str
        What it must be, as messages name it.

    Raises
    ------
    ModelError
        If it is not JSON, or nests too deeply.
    """
    try:
        value = json.loads(text)
        levels = count_levels(value)
    except RecursionError:
        levels = MAX_LEVELS + 1
    except ValueError as error:
        raise ModelError(
            f"{place}: must be {expected}; got {text[:60]!r} ({type(error).__name__}: {error})"
        ) from error
    if levels > MAX_LEVELS:
        raise ModelError(
            f"{place}: must be {expected} that nests at most {MAX_LEVELS} levels; got {text[:60]!r}"
        )
    return value


def count_levels(value: Any) -> int:
    """Counts how many levels of arrays and objects contain each other; it stops at one
    more than are allowed."""
    levels, items = 0, [value]
    while levels <= MAX_LEVELS:
        containers = [item for item in items if isinstance(item, (dict, list))]
        if not containers:
            break
        levels += 1
        items = [
            item
            for container in containers
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    return levels
