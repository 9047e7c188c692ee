# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The columns that name the group of a row."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ParamError
from ..training.cluster import count_slots, has_dynamic_allocation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructField

__all__ = [
    "RESULT_NAMES", "gather_groups", "key_fields", "key_names", "num_tasks", "quoted",
]

# Tasks for each slot: some tasks have larger groups than others.
TASKS_PER_SLOT = 4
# The columns of a table of models, after those of the groups.
RESULT_NAMES = ("model", "metrics", "warnings", "error")


def key_names(by: str | Sequence[str]) -> list[str]:
    """Returns the names of the group columns.

    Raises
    ------
    ParamError
        Without a name, or for a name that a table of models has for something else.
    """
    names = [by] if isinstance(by, str) else list(by)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParamError(f"by must be the name of a column, or a list of names; got {by!r}")
    for name in names:
        if name in RESULT_NAMES or names.count(name) > 1:
            raise ParamError(
                f"the group columns must have different names, other than "
                f"{', '.join(RESULT_NAMES)}; got '{name}'; rename it with withColumnRenamed"
            )
    return names


def key_fields(dataset: DataFrame, names: Sequence[str]) -> list[StructField]:
    """Returns the fields of the group columns.

    Raises
    ------
    ParamError
        For a column that is an array, a map or a struct.
    """
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType, UserDefinedType

    fields = [dataset.select(quoted(name)).schema[0] for name in names]
    for field in fields:
        if isinstance(field.dataType, (ArrayType, MapType, StructType, UserDefinedType)):
            raise ParamError(
                f"group columns must have one value in each row, such as a number or a text; got "
                f"{field.name} of type {field.dataType.simpleString()}"
            )
    return [StructField(name, field.dataType) for name, field in zip(names, fields)]


def gather_groups(
    rows: DataFrame, keys: Sequence[Any], order: Sequence[str], num_partitions: int | None
) -> DataFrame:
    """Puts the rows of each group into one partition, one after the other.

    Parameters
    ----------
    keys : sequence of column
        What names the group of a row.
    order : sequence of str
        Columns that sort the rows of a group.
    num_partitions : int, optional
        The number of tasks; by default `num_tasks`, and where that is unknown, what Spark
        makes of the bytes of the rows.
    """
    size = num_partitions or num_tasks(rows.sparkSession)
    gathered = rows.repartition(*keys) if size is None else rows.repartition(size, *keys)
    return gathered.sortWithinPartitions(*keys, *order)


def num_tasks(session: SparkSession) -> int | None:
    """Returns into how many tasks the groups are divided.

    They are four for each slot, or ``spark.sql.shuffle.partitions`` if Spark adds slots.
    None if Spark does not tell its slots.
    """
    if has_dynamic_allocation(session):
        return int(session.conf.get("spark.sql.shuffle.partitions", "200"))
    slots = count_slots(session)
    return None if slots is None else max(1, TASKS_PER_SLOT * slots)


def quoted(name: str) -> str:
    """Returns the name of a column as Spark's functions read it.

    Examples
    --------
    >>> quoted("store.id")
    '`store.id`'
    """
    return "`" + name.replace("`", "``") + "`"
