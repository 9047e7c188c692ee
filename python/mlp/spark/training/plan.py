# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark knows of the rows of a frame before it reads them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["PlanFacts", "read_plan"]

# A relation that Spark caches, and the operators that neither add nor remove rows.
CACHE = "InMemoryRelation"
PROJECT = "Project"


class PlanFacts(NamedTuple):
    """What the optimised plan of a frame says."""

    num_rows: int | None = None
    """None if unknown."""
    num_bytes: int | None = None
    """Of what the plan reads; None if unknown."""
    is_cached: bool = False
    """Whether Spark holds all rows, after ``cache()`` and an action."""


def read_plan(rows: DataFrame) -> PlanFacts:
    """Reads the statistics of a frame. Nothing is known where there is no JVM to ask.

    The sizes are those of the sources: Spark's estimates of what comes out of a projection
    take an array for one value.
    """
    try:
        plan = rows._jdf.queryExecution().optimizedPlan()
        source = plan
        while name_of(source) == PROJECT:
            source = source.child()
        if name_of(source) == CACHE and not source.cacheBuilder().isCachedColumnBuffersLoaded():
            return PlanFacts()
        count = source.stats().rowCount()
        num_rows = int(count.get()) if count.isDefined() else None
        return PlanFacts(num_rows, num_bytes(rows, plan), name_of(source) == CACHE)
    except Exception:  # Spark Connect has no JVM, and some platforms let nobody ask it
        return PlanFacts()


def name_of(node: Any) -> str:
    name: str = node.getClass().getSimpleName()
    return name


def num_bytes(rows: DataFrame, plan: Any) -> int | None:
    """Returns the bytes of the sources, or of the rows if these are more, as in a join."""
    sources = plan.collectLeaves()
    nodes = [sources.apply(number) for number in range(sources.size())]
    sizes = [int(node.stats().sizeInBytes()) for node in nodes]
    size = max(sum(sizes), int(plan.stats().sizeInBytes()))
    unknown = int(rows.sparkSession._jsparkSession.sessionState().conf().defaultSizeInBytes())
    return size if size < unknown else None
