# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings in one Spark task, with all its threads."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, errors
from .._progress import Progress, make_callback
from .request import FitRequest, FitResult
from .rows import HeldOut, RowBuffer, TrainingArrays

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["REPLY", "fit_arrays", "make_worker", "read_replies", "train_one_task"]

# The columns of what a task sends back: the number of the training, "model" or the name
# of an exception, and the text of the model or of the exception.
REPLY = "number int, kind string, text string"
MODEL = "model"

Reply = tuple[int, str, str]


def train_one_task(rows: DataFrame, requests: Sequence[FitRequest]) -> list[FitResult]:
    """Trains once for each request, in one task that reads the rows once.

    Raises
    ------
    MLPError
        What the library raised in the task.
    """
    work = make_worker(requests, "mlp.spark.one_task", "fit_rows")
    replies = rows.coalesce(1).mapInArrow(work, REPLY).collect()
    return read_replies(replies, len(requests))


def make_worker(
    requests: Sequence[FitRequest], module: str, function: str
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns what a task runs: `function` of `module`, on batches and requests.

    The function gives tuples of the columns `REPLY`. An exception of mlp becomes a reply
    too, so that Spark neither repeats the task nor hides the sentence in a stack trace.
    """
    version = _core.__version__
    fields = [asdict(request) for request in requests]

    # Spark sends a nested function by value, so that it can name a package that is missing.
    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import importlib
        import platform
        import sys

        import pyarrow

        try:
            import mlp

            found = mlp.__version__
        except ImportError as error:
            found = f"none: {error}"
        if found != version:
            raise RuntimeError(
                f"the Python of each executor needs the package spark-mlp {version}, which "
                f"the driver has; {sys.executable} on host {platform.node()} has {found}; "
                "PYSPARK_PYTHON chooses the Python"
            )
        replies = importlib.import_module("mlp.spark.one_task").guard(
            getattr(importlib.import_module(module), function), batches, fields
        )
        columns = [pyarrow.array(column) for column in zip(*replies)]
        if columns:
            columns[0] = columns[0].cast(pyarrow.int32())
            yield pyarrow.RecordBatch.from_arrays(columns, ["number", "kind", "text"])

    return work


def guard(
    function: Callable[[Iterable[Any], list[FitRequest]], Iterable[Reply]],
    batches: Iterable[Any],
    fields: list[dict[str, Any]],
) -> list[Reply]:
    """Calls a function in a task, and replies an exception of mlp."""
    try:
        return list(function(batches, [FitRequest(**values) for values in fields]))
    except errors.MLPError as error:
        return [(0, type(error).__name__, str(error))]


def read_replies(replies: Iterable[Any], size: int) -> list[FitResult]:
    """Returns the models of all tasks, in order; raises what a task replied instead."""
    texts: dict[int, str] = {}
    for number, kind, text in replies:
        if kind != MODEL:
            raise getattr(errors, kind)(text)
        texts[number] = text
    if len(texts) != size:
        raise errors.MLPError(f"Spark must give {size} models; got {len(texts)}")
    return [FitResult(texts[number]) for number in range(size)]


def fit_rows(batches: Iterable[Any], requests: list[FitRequest]) -> Iterator[Reply]:
    """Reads the rows of a task, and trains once for each request."""
    buffer = RowBuffer(requests[0].layers[0], requests[0].num_classes)
    for batch in batches:
        buffer.append(batch)
    arrays = buffer.arrays()
    for number, request in enumerate(requests):
        yield number, MODEL, fit_arrays(arrays, on_this_task(request)).model


def on_this_task(request: FitRequest) -> FitRequest:
    """Fills in the threads and the GPU that Spark gives the task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is None:
        return request
    gpus = context.resources().get("gpu")
    if request.device == "cuda" and gpus is not None:
        request = replace(request, device=f"cuda:{gpus.addresses[0]}")
    return request if request.threads else replace(request, threads=context.cpus())


def fit_arrays(arrays: TrainingArrays, request: FitRequest) -> FitResult:
    """Trains in this process.

    Raises
    ------
    DataError
        Without an instance.
    """
    if len(arrays.y) == 0:
        raise errors.DataError("the training data must have at least 1 instance; got none")
    X, y, weights, _, validation = arrays
    settings = make_settings(request, arrays.partition_sizes)
    progress = Progress(int(settings.params.get("maxIter"))) if request.verbose else None
    try:
        outcome = _core.fit(
            settings,
            _core.Instances(X, y, weights),
            make_validation(validation),
            None,
            make_callback(None, progress),
        )
    finally:
        if progress is not None:
            progress.close()
    return FitResult(outcome.model.to_json())


def make_settings(request: FitRequest, partition_sizes: list[int]) -> _core.Settings:
    """Makes what the C++ library reads besides the data."""
    params = _core.Params()
    params.set("task", request.task)
    for name, text in request.params.items():
        params.set(name, text)
    if request.initial_weights is not None:
        params.set_initial_weights(np.array(request.initial_weights, dtype=np.float64))
    settings = _core.Settings()
    settings.params = params
    settings.partition_sizes = partition_sizes
    settings.precision = request.precision
    settings.device = request.device
    settings.threads = request.threads or len(os.sched_getaffinity(0))
    return settings


def make_validation(held_out: HeldOut | None) -> _core.Instances | None:
    if held_out is None or len(held_out.y) == 0:
        return None
    return _core.Instances(held_out.X, held_out.y, held_out.weights)
