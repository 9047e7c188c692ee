# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a training on tasks, with whole partitions."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.rows import POSITION_BITS, training_rows  # noqa: E402
from mlp.spark.training.spread import keys_of_tasks, spark_hash, spread  # noqa: E402

from spark.frames import iris_frame  # noqa: E402


def test_the_hash_is_the_one_of_spark(session: Any) -> None:
    numbers = session.range(-3, 100).selectExpr("cast(id as int) n", "hash(cast(id as int)) h")

    assert all(spark_hash(row.n) == row.h for row in numbers.collect())


@pytest.mark.parametrize("num_tasks", [1, 2, 7, 64])
def test_has_a_key_for_each_task(num_tasks: int) -> None:
    keys = keys_of_tasks(num_tasks)

    assert [spark_hash(key) % num_tasks for key in keys] == list(range(num_tasks))


@pytest.mark.parametrize("num_tasks", [2, 3])
def test_each_task_has_whole_partitions_in_turn(num_tasks: int, session: Any) -> None:
    rows = training_rows(iris_frame(session, [10, 0, 90, 20, 30]), "features", "label")

    from pyspark.sql import functions as F

    found = (
        spread(rows, num_tasks)
        .select(F.spark_partition_id().alias("task"), F.shiftright("id", POSITION_BITS).alias("p"))
        .groupBy("task", "p").count().collect()
    )

    assert sorted((row.p, row.task, row["count"]) for row in found) == [
        (p, p % num_tasks, size) for p, size in enumerate([10, 0, 90, 20, 30]) if size
    ]
