# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a training on a number of tasks, with Spark's partitions whole."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .rows import POSITION_BITS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["keys_of_tasks", "spread"]

SEED = 42
MASK = 0xFFFFFFFF


def spread(rows: DataFrame, num_tasks: int) -> DataFrame:
    """Gives each task whole partitions of the input, as many as the others.

    Partition p goes to task p modulo `num_tasks`. The rows of a task have no order.
    """
    from pyspark.sql import functions as F

    partition = F.shiftright(F.col("id"), POSITION_BITS)
    keys = F.array(*[F.lit(key) for key in keys_of_tasks(num_tasks)])
    key = F.element_at(keys, (partition % num_tasks + 1).cast("int"))
    return rows.repartition(num_tasks, key)


def keys_of_tasks(num_tasks: int) -> list[int]:
    """Returns integers that Spark's hash partitioning sends to task 0, 1, 2, and so on.

    Examples
    --------
    >>> [spark_hash(key) % 4 for key in keys_of_tasks(4)]
    [0, 1, 2, 3]
    """
    keys: dict[int, int] = {}
    key = 0
    while len(keys) < num_tasks:
        keys.setdefault(spark_hash(key) % num_tasks, key)
        key += 1
    return [keys[task] for task in range(num_tasks)]


def spark_hash(number: int) -> int:
    """Returns what Spark's function ``hash`` returns for an int: Murmur3, 32 bits.

    Examples
    --------
    >>> spark_hash(1)
    -559580957
    """
    k = number * 0xCC9E2D51 & MASK
    k = (k << 15 | k >> 17) * 0x1B873593 & MASK
    h = SEED ^ k
    h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
    h ^= 4  # the bytes of an int
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
