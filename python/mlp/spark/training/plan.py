# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark knows of the rows of a frame before it reads them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["cached_size", "is_cached"]

# A relation that Spark caches, and the operators that neither add nor remove rows.
CACHE = "InMemoryRelation"
PROJECT = "Project"


def is_cached(rows: DataFrame) -> bool:
    """True if Spark holds all rows, after ``cache()`` and an action."""
    return cached_size(rows) is not None


def cached_size(rows: DataFrame) -> tuple[int, int] | None:
    """Returns the number of rows and of partitions if Spark holds them all, and None otherwise.

    Rows that were computed twice count twice, and partitions may be empty. None where there is
    no JVM to ask.
    """
    try:
        source = rows._jdf.queryExecution().optimizedPlan()
        while name_of(source) == PROJECT:
            source = source.child()
        if name_of(source) != CACHE:
            return None
        builder = source.cacheBuilder()
        if not builder.isCachedColumnBuffersLoaded():
            return None
        num_rows = int(str(source.computeStats().rowCount().get()))  # a BigInt of Scala
        return num_rows, int(builder.cachedColumnBuffers().getNumPartitions())
    except Exception:  # Spark Connect has no JVM, and some platforms let nobody ask it
        return None


def name_of(node: Any) -> str:
    name: str = node.getClass().getSimpleName()
    return name
