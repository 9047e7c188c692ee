# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on the tasks of Spark."""
from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._threads import num_threads
from .barrier import train_barrier
from .cluster import (
    MAX_RANKS,
    count_slots,
    has_dynamic_allocation,
    is_local,
    use_python_of_driver,
)
from .group import has_plugin, no_plugin
from .jobs import can_train_by_jobs, train_jobs
from .one_task import train_one_task
from .request import FitRequest, FitResult

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["choose_workers", "train", "train_all"]

LOGGER = logging.getLogger("mlp.spark")


def train(rows: DataFrame, request: FitRequest) -> FitResult:
    """Trains on rows that `training_rows` selected.

    Raises
    ------
    MLPError
        What the library raised in a task.
    """
    return train_all(rows, [request])[0]


def train_all(
    rows: DataFrame, requests: Sequence[FitRequest], is_stored: bool = False
) -> list[FitResult]:
    """Trains once for each request. The rows are read once where one task trains.

    All requests have the same numbers of features and classes, and of workers.

    Parameters
    ----------
    is_stored : bool
        Whether Spark stores the data already, as after ``cache()``.
    """
    session = rows.sparkSession
    use_python_of_driver(session)
    num_workers = choose_workers(session, requests[0])
    ready = [with_workers(request, session, num_workers) for request in requests]
    if num_workers == 1:
        return train_one_task(rows, ready, is_stored)
    train_on = train_jobs if has_dynamic_allocation(session) else train_barrier
    return [train_on(rows, request) for request in ready]


def choose_workers(session: SparkSession, request: FitRequest) -> int:
    """Returns the number of tasks that train together.

    It is what the request asks for; without that, 1 in local mode, where one task has all
    cores, and otherwise all slots of the cluster. Tasks that would need Gloo, which this
    package lacks, become one, with a warning.
    """
    if request.num_workers == 1:
        return 1
    is_dynamic = has_dynamic_allocation(session)
    if is_dynamic and not can_train_by_jobs(request):
        LOGGER.warning(
            "one task trains: with spark.dynamicAllocation.enabled=true Spark has no barrier "
            "stages, and this solver or network needs them on several tasks"
        )
        return 1
    num_workers = wanted_workers(session, request)
    if num_workers > 1 and not is_dynamic and not has_plugin():
        warnings.warn(
            f"one task trains instead of {num_workers}, and holds all rows: {no_plugin()}, or "
            "set numWorkers=1 to train in one task without this warning",
            RuntimeWarning, stacklevel=2,
        )
        return 1
    return num_workers


def wanted_workers(session: SparkSession, request: FitRequest) -> int:
    """Returns the number of tasks that would train if all were possible."""
    if request.num_workers is not None:
        return request.num_workers
    if is_local(session):
        return 1
    return min(count_slots(session) or 1, MAX_RANKS)


def with_workers(request: FitRequest, session: SparkSession, num_workers: int) -> FitRequest:
    """Sets the workers, and in local mode, where Spark counts one core a task, the threads."""
    if request.threads is None and is_local(session):
        request = replace(request, threads=max(1, num_threads() // num_workers))
    return replace(request, num_workers=num_workers)
