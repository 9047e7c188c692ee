# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on the tasks of Spark."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .._threads import num_threads
from .one_task import train_one_task
from .request import FitRequest, FitResult

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

    All requests have the same numbers of features and classes.
    """
    session = rows.sparkSession
    return train_one_task(rows, [with_threads(request, session) for request in requests])


def with_threads(request: FitRequest, session: SparkSession) -> FitRequest:
    """Gives a training all cores in local mode, where Spark counts one for each task."""
    if request.threads is not None or not is_local(session):
        return request
    return replace(request, threads=num_threads())


def is_local(session: SparkSession) -> bool:
    """True if the tasks run on the machine of the driver, in one process of Spark."""
    master = session.conf.get("spark.master", "")
    return master is not None and (master == "local" or master.startswith("local["))
