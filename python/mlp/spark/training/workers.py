# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The number of tasks that train together."""
from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .choice import Cluster, Training, choose_num_workers, fewest_workers, num_bytes_of
from .cluster import context_of, has_dynamic_allocation, is_local, read_cluster
from .group import has_plugin, no_plugin
from .one_task import make_settings
from .plan import cached_size
from .request import FitRequest
from .rows import FEATURE_COLUMNS, POSITION_BITS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Workers", "choose_workers"]

LOGGER = logging.getLogger("mlp.spark")


class Workers(NamedTuple):
    """How many tasks train together, and what is known of the rows."""

    number: int
    num_bytes: float | None = None
    """Of all rows in memory, if a job has counted them."""


def choose_workers(rows: DataFrame, requests: Sequence[FitRequest]) -> Workers:
    """Returns the number of tasks that train together.

    It is what the requests ask for; without that, 1 in local mode, where one task has all
    cores, and otherwise what the size of the training gives. Tasks that would need Gloo,
    which this package lacks, become one, with a warning.
    """
    wanted = wanted_workers(rows, requests)
    if wanted.number == 1:
        return wanted
    session = rows.sparkSession
    if context_of(session) is None and has_dynamic_allocation(session):
        LOGGER.warning(
            "one task trains instead of %d: over Spark Connect several tasks need a barrier "
            "stage, and Spark has none with spark.dynamicAllocation.enabled=true", wanted.number
        )
        return wanted._replace(number=1)
    if not has_plugin():
        warnings.warn(
            f"one task trains instead of {wanted.number}, and holds all rows: {no_plugin()}, or "
            "set numWorkers=1 to train in one task without this warning",
            RuntimeWarning, stacklevel=2,
        )
        return wanted._replace(number=1)
    return wanted


def wanted_workers(rows: DataFrame, requests: Sequence[FitRequest]) -> Workers:
    """Returns the number of tasks that would train if all were possible.

    A job counts the rows where their number matters: for the choice, and for several
    trainings in one task each, which tasks share if their memory suffices. Cached rows are
    counted only if several tasks may train.
    """
    number = requests[0].num_workers
    is_shared = number == 1 and len(requests) > 1
    if is_local(rows.sparkSession) or (number is not None and not is_shared):
        return Workers(1 if number is None else number)
    cluster = read_cluster(rows.sparkSession)
    if cluster.max_workers == 1:
        return Workers(1)
    num_columns = num_columns_of(rows, requests)
    cached = cached_size(rows)
    # Empty partitions can only make this more tasks.
    if cached and (number or choose_by_size(cached, rows, requests, cluster)) == 1:
        return Workers(1, num_bytes_of(cached[0], num_columns))
    counted = count_rows(rows)
    if number is None:
        number = choose_by_size(counted, rows, requests, cluster)
    return Workers(number, num_bytes_of(counted[0], num_columns))


def num_columns_of(rows: DataFrame, requests: Sequence[FitRequest]) -> int:
    """Returns the numbers of a row in the memory of a task, zeros of sparse vectors too."""
    return len(set(rows.columns) - set(FEATURE_COLUMNS)) + requests[0].layers[0]


def choose_by_size(
    counted: tuple[int, int], rows: DataFrame, requests: Sequence[FitRequest], cluster: Cluster
) -> int:
    """Applies the rule to the numbers of rows and partitions, and logs its numbers.

    Partitions stay whole, so tasks beyond their number would have no rows. But the job that
    counts may have fewer than the training: it moves less between tasks, and Spark joins small
    partitions of a shuffle. So memory may need more tasks than this number.
    """
    num_rows, num_partitions = counted
    num_columns = num_columns_of(rows, requests)
    trainings = [training_of(request) for request in requests]
    most = max(num_partitions, fewest_workers(num_rows, num_columns, cluster))
    usable = cluster._replace(max_workers=min(cluster.max_workers, most))
    choice = choose_num_workers(num_rows, num_columns, trainings, usable)
    LOGGER.info(
        "%d of at most %d tasks train, in about %.3g s (one task: %.3g s): %d rows of %d numbers "
        "in %d partitions, %d weights, %d passes over the rows; repartition the dataset for more "
        "tasks than partitions",
        choice.num_workers, cluster.max_workers, choice.seconds, choice.seconds_alone, num_rows,
        num_columns, num_partitions, max(training.num_weights for training in trainings),
        sum(training.num_passes for training in trainings),
    )
    return choice.num_workers


def count_rows(rows: DataFrame) -> tuple[int, int]:
    """Returns the number of rows, and of the partitions that have some.

    No statistic of Spark bounds what a plan computes.
    """
    from pyspark.sql import functions as F

    partition = F.shiftright(F.col("id"), POSITION_BITS)
    [counted] = rows.agg(F.count("id"), F.size(F.collect_set(partition))).collect()
    return counted[0], counted[1]


def training_of(request: FitRequest) -> Training:
    """Returns what the rule reads of a request."""
    params = make_settings(request, []).params
    has_batches = json.loads(params.get("solver")) not in ("l-bfgs", "gd")
    batch_size = int(params.get("batchSize")) if has_batches else None
    num_passes = int(params.get("maxIter"))
    return Training(request.num_weights, num_passes, batch_size, request.device)
