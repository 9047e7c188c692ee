# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The number of tasks that train together."""
from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .choice import Cluster, Training, choose_num_workers
from .cluster import context_of, has_dynamic_allocation, is_local, read_cluster
from .group import has_plugin, no_plugin
from .one_task import make_settings
from .request import FitRequest
from .rows import POSITION_BITS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["choose_workers"]

LOGGER = logging.getLogger("mlp.spark")


def choose_workers(rows: DataFrame, requests: Sequence[FitRequest]) -> int:
    """Returns the number of tasks that train together.

    It is what the requests ask for; without that, 1 in local mode, where one task has all
    cores, and otherwise what the size of the training gives. Tasks that would need Gloo,
    which this package lacks, become one, with a warning.
    """
    if requests[0].num_workers == 1:
        return 1
    num_workers = wanted_workers(rows, requests)
    if num_workers == 1:
        return 1
    session = rows.sparkSession
    if context_of(session) is None and has_dynamic_allocation(session):
        LOGGER.warning(
            "one task trains instead of %d: over Spark Connect several tasks need a barrier "
            "stage, and Spark has none with spark.dynamicAllocation.enabled=true", num_workers
        )
        return 1
    if not has_plugin():
        warnings.warn(
            f"one task trains instead of {num_workers}, and holds all rows: {no_plugin()}, or "
            "set numWorkers=1 to train in one task without this warning",
            RuntimeWarning, stacklevel=2,
        )
        return 1
    return num_workers


def wanted_workers(rows: DataFrame, requests: Sequence[FitRequest]) -> int:
    """Returns the number of tasks that would train if all were possible."""
    if requests[0].num_workers is not None:
        return requests[0].num_workers
    if is_local(rows.sparkSession):
        return 1
    cluster = read_cluster(rows.sparkSession)
    return 1 if cluster.max_workers == 1 else choose_by_size(rows, requests, cluster)


def choose_by_size(rows: DataFrame, requests: Sequence[FitRequest], cluster: Cluster) -> int:
    """Applies the rule, and logs its numbers.

    A job counts the rows: no statistic of Spark bounds what a plan computes. Partitions stay
    whole, so tasks beyond their number would have no rows.
    """
    num_columns = len(rows.columns) - 1 + requests[0].layers[0]
    trainings = [training_of(request) for request in requests]
    num_rows, num_partitions = count_rows(rows)
    usable = cluster._replace(max_workers=max(1, min(cluster.max_workers, num_partitions)))
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
    """Returns the number of rows, and of the partitions that have some."""
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
