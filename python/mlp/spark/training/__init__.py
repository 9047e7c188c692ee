# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on the tasks of Spark."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..._threads import num_threads
from .cluster import is_local, use_python_of_driver
from .one_task import train_one_task
from .request import FitRequest, FitResult
from .several_tasks import train_several_tasks
from .workers import choose_workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["train", "train_all"]


def train(rows: DataFrame, request: FitRequest) -> FitResult:
    """Trains on rows that `training_rows` selected.

    Raises
    ------
    MLPError
        What the library raised in a task.
    """
    return train_all(rows, [request])[0]


def train_all(rows: DataFrame, requests: Sequence[FitRequest]) -> list[FitResult]:
    """Trains once for each request. The rows are read once where one task trains.

    All requests have the same numbers of features and classes, and of workers.
    """
    session = rows.sparkSession
    use_python_of_driver(session)
    num_workers = choose_workers(rows, requests)
    ready = [with_workers(request, session, num_workers) for request in requests]
    if num_workers == 1:
        return train_one_task(rows, ready)
    return [train_several_tasks(rows, request) for request in ready]


def with_workers(request: FitRequest, session: SparkSession, num_workers: int) -> FitRequest:
    """Sets the workers, and in local mode, where Spark counts one core a task, the threads."""
    if request.threads is None and is_local(session):
        request = replace(request, threads=max(1, num_threads() // num_workers))
    return replace(request, num_workers=num_workers)
