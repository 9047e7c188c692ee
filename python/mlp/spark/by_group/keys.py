# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The columns that name the group of a row."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ParamError
from ..training.cluster import count_slots, has_dynamic_allocation, is_local
from ..training.rows import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructField

__all__ = [
    "RESULT_NAMES", "gather_groups", "key_fields", "key_names", "key_text", "num_tasks",
]

# Tasks for each slot: some tasks have larger groups than others.
TASKS_PER_SLOT = 4
# The collation that compares bytes.
BINARY = "UTF8_BINARY"
# The columns of a table of models, after those of the groups.
RESULT_NAMES = ("model", "metrics", "warnings", "error")


def key_names(by: str | Sequence[str]) -> list[str]:
    """Returns the names of the group columns.

    Raises
    ------
    ParamError
        Without a name, or for a name that a table of models has for something else. As in
        Spark, case does not make names different.
    """
    names = [by] if isinstance(by, str) else list(by)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParamError(f"by must be the name of a column, or a list of names; got {by!r}")
    lowered = [name.lower() for name in names]
    for name, low in zip(names, lowered):
        if low in RESULT_NAMES or lowered.count(low) > 1:
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
        For a column that is an array, a map or a struct, that has no type, or whose texts have
        a collation.
    """
    from pyspark.sql import types as T

    nested = (T.ArrayType, T.MapType, T.StructType, T.UserDefinedType)
    fields = [dataset.select(quoted(name)).schema[0] for name in names]
    for field in fields:
        if isinstance(field.dataType, (*nested, T.NullType)):
            raise ParamError(
                f"group columns must have one value in each row, such as a number or a text; got "
                f"{field.name} of type {field.dataType.simpleString()}"
            )
        refuse_collation(field)
    return [T.StructField(name, field.dataType) for name, field in zip(names, fields)]


def refuse_collation(field: StructField) -> None:
    """Refuses texts that Spark 4 compares by other rules than their bytes, as tasks do."""
    collation = getattr(field.dataType, "collation", BINARY)
    if collation != BINARY:
        raise ParamError(
            f"group columns of texts must have the collation {BINARY}; got {field.name} of "
            f"{collation}; use collate({field.name}, '{BINARY}'), of lower({field.name}) if case "
            f"does not matter"
        )


def key_text(name: str, kind: DataType) -> Column:
    """Returns a group column as a text.

    Texts are equal where ``groupBy`` has one group: -0.0 is 0.0, and NaN is NaN. The text of a
    time would not tell the two hours at the end of daylight saving time apart.
    """
    from pyspark.sql import functions as F

    made = {
        "binary": "hex({})", "timestamp": "unix_micros({})", "float": "{} + 0D", "double": "{} + 0D",
    }
    value = made.get(kind.simpleString(), "{}").format(quoted(name))
    return F.expr(f"CAST({value} AS string)")


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

    They are four for each slot, and on a cluster, where executors may still start, at least
    ``spark.sql.shuffle.partitions``. None if Spark does not tell its slots.
    """
    slots = count_slots(session)
    if slots is None and not has_dynamic_allocation(session):
        return None
    shuffled = int(session.conf.get("spark.sql.shuffle.partitions", "200"))
    return max(1 if is_local(session) else shuffled, TASKS_PER_SLOT * (slots or 0))
