# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings in one Spark task, with all its threads."""
from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ... import _core, errors
from ..._progress import Progress, make_callback
from .plan import read_plan
from .request import FitRequest, FitResult
from .rows import HeldOut, RowBuffer, TrainingArrays
from .worker import Reply, collect, make_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["fit_arrays", "read_replies", "reply_model", "result_of", "train_one_task"]

MODEL = "model"
NO_ROWS = "the training data must have at least 1 instance; got none"


def train_one_task(rows: DataFrame, requests: Sequence[FitRequest]) -> list[FitResult]:
    """Trains once for each request, in one task that reads the rows once.

    Rows that Spark does not hold yet are computed in as many tasks as they have partitions,
    and then moved to the one that trains.

    Raises
    ------
    MLPError
        What the library raised in the task.
    """
    fields = [asdict(request) for request in requests]
    work = make_worker("mlp.spark.training.one_task", "fit_rows", (fields,))
    gathered = rows.coalesce(1) if read_plan(rows).is_cached else rows.repartition(1)
    return read_replies(collect(gathered, work), len(requests))


def read_replies(replies: Iterable[Reply], size: int) -> list[FitResult]:
    """Returns the models of all tasks, in order; raises what a task replied instead."""
    results: dict[int, FitResult] = {}
    for reply in replies:
        if reply.kind != MODEL:
            raise_failure(reply)
        results[reply.number] = result_of(reply)
    if not results:
        # Spark 3.5 runs no task on rows that a shuffle found to be none.
        raise errors.DataError(NO_ROWS)
    if len(results) != size:
        raise errors.MLPError(f"Spark must give {size} models; got {len(results)}")
    return [results[number] for number in range(size)]


def reply_model(number: int, result: FitResult) -> Reply:
    """Returns the result of a training as a reply."""
    return Reply(
        number, MODEL, result.model, pickle.dumps((result.warnings, result.checkpoint_failure))
    )


def result_of(reply: Reply) -> FitResult:
    """Returns the result of a training that `reply_model` sent."""
    return FitResult(reply.text, *pickle.loads(reply.payload))


def raise_failure(reply: Reply) -> NoReturn:
    """Raises the exception of mlp that a task replied."""
    raise getattr(errors, reply.kind)(reply.text)


def fit_rows(batches: Iterable[Any], fields: list[dict[str, Any]]) -> Iterator[Reply]:
    """Reads the rows of a task, and trains once for each request."""
    requests = [FitRequest(**values) for values in fields]
    buffer = RowBuffer(requests[0].layers[0], requests[0].num_classes)
    for batch in batches:
        buffer.append(batch)
    arrays = buffer.arrays()
    for number, request in enumerate(requests):
        outcome = fit_arrays(arrays, on_this_task(request))
        yield reply_model(number, FitResult.of(outcome))


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


def fit_arrays(arrays: TrainingArrays, request: FitRequest) -> _core.Outcome:
    """Trains in this process.

    Raises
    ------
    DataError
        Without an instance.
    """
    if len(arrays.y) == 0:
        raise errors.DataError(NO_ROWS)
    X, y, weights, _, validation = arrays
    settings = make_settings(request, arrays.partition_sizes)
    with make_progress(request, settings, True) as callback:
        return _core.fit(
            settings, _core.Instances(X, y, weights), make_validation(validation), None, callback
        )


@contextlib.contextmanager
def make_progress(
    request: FitRequest, settings: _core.Settings, is_writer: bool
) -> Iterator[Any]:
    """Yields the function that the library calls after each iteration; None without one."""
    if not request.verbose or not is_writer:
        yield None
        return
    progress = Progress(int(settings.params.get("maxIter")))
    try:
        yield make_callback(None, progress)
    finally:
        progress.close()


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
    settings.keeps_diverged = request.on_divergence == "model"
    settings.precision = request.precision
    settings.device = request.device
    settings.threads = request.threads or len(os.sched_getaffinity(0))
    return settings


def make_validation(held_out: HeldOut | None) -> _core.Instances | None:
    if held_out is None or len(held_out.y) == 0:
        return None
    return _core.Instances(held_out.X, held_out.y, held_out.weights)
