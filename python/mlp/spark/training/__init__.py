# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on the tasks of Spark."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._threads import num_threads
from .cluster import is_local, parallel_tasks, use_python_of_driver
from .one_task import train_one_task
from .reports import OnIterations, listen
from .request import FitRequest, FitResult
from .several_tasks import train_several_tasks
from .workers import choose_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["train", "train_all"]


def train(
    rows: DataFrame, request: FitRequest, on_iterations: OnIterations | None = None
) -> FitResult:
    """Trains on rows that `training_rows` selected.

    Raises
    ------
    MLPError
        What the library raised in a task.
    """
    return train_all(rows, [request], on_iterations)[0]


def train_all(
    rows: DataFrame, requests: Sequence[FitRequest], on_iterations: OnIterations | None = None
) -> list[FitResult]:
    """Trains once for each request. Where one task trains, the rows are read once.

    On a cluster several tasks then share the requests, if their memory suffices. All requests have the same numbers of features and classes, and of workers.
    """
    session = rows.sparkSession
    use_python_of_driver(session)
    num_workers, num_bytes = choose_workers(rows, requests)
    ready = [with_workers(request, session, num_workers) for request in requests]
    with listen(session, on_iterations) as recipient:
        if num_workers == 1:
            several = len(ready) > 1
            num_tasks = min(len(ready), parallel_tasks(session, num_bytes)) if several else 1
            return train_one_task(rows, ready, num_tasks, recipient)
        return [
            train_several_tasks(rows, request, recipient, number)
            for number, request in enumerate(ready)
        ]


def with_workers(request: FitRequest, session: SparkSession, num_workers: int) -> FitRequest:
    """Sets the workers, and in local mode, where Spark counts one core a task, the threads."""
    if request.threads is None and is_local(session):
        request = replace(request, threads=max(1, num_threads() // num_workers))
    return replace(request, num_workers=num_workers)
