# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What batches become."""
from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Gathered"]


class Gathered(NamedTuple):
    """All instances of a training."""

    rows: Any
    """[instances x features], or a table."""
    labels: Any
    weights: Any
    names: list[str]
    """Of the features; empty without names."""
