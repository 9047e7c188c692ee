# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings in one Spark task, with all its threads."""
from __future__ import annotations

import contextlib
import logging
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ... import _core, errors
from ..._progress import Iteration, Progress, make_callback
from .memory import (
    RUNNING,
    TaskMemory,
    memory_left,
    naming_setting,
    read_task_memory,
    require_memory,
    trainings_at_once,
    warn_of_memory,
)
from .plan import is_cached
from .reports import Recipient, report_to
from .request import FitRequest, FitResult
from .rows import HeldOut, RowBuffer, TrainingArrays
from .spread import keys_of_tasks
from .worker import Reply, collect, make_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["fit_arrays", "read_replies", "reply_model", "result_of", "train_one_task"]

LOGGER = logging.getLogger("mlp.spark")

OnIteration = Callable[[Iteration], object]
# Hyper-parameters that Spark's UI shows.
DESCRIBED = ("layers", "solver", "maxIter")
MODEL = "model"
# Trainings at the same time have a copy of the rows each. Copies above this take memory that a
# task may lack, and a training of so many rows has work for all threads by itself.
MAX_COPIED_BYTES = 1 << 30
NO_ROWS = "the training data must have at least 1 instance; got none"


def train_one_task(
    rows: DataFrame, requests: Sequence[FitRequest], num_tasks: int = 1,
    recipient: Recipient | None = None,
) -> list[FitResult]:
    """Trains once for each request, each time in one task.

    Parameters
    ----------
    num_tasks : int
        The number of tasks that share the requests. Each gets all rows; Spark computes
        them once. A task trains as many networks at the same time as it has threads,
        and fewer where the copies of the rows would be large.
    recipient : Recipient, optional
        Who gets the iterations.

    Raises
    ------
    MLPError
        What the library raised in a task.
    """
    fields = [asdict(request) for request in requests]
    with RUNNING.add(num_tasks) as at_once:
        memory = plan_memory(rows, requests, at_once)
        work = make_worker(
            "mlp.spark.training.one_task", "fit_rows",
            (fields, num_tasks, builtin(memory), builtin(recipient)),
        )
        gathered = gather(rows, num_tasks)
        description = f"mlp.spark: train {describe(requests)}, tasks: {num_tasks}"
        return read_replies(collect(gathered, work, description=description), len(requests))


def describe(requests: Sequence[FitRequest]) -> str:
    """Says what is trained, for Spark's UI."""
    first = requests[0].params
    text = ", ".join(f"{name} {first[name]}" for name in DESCRIBED if name in first)
    return text if len(requests) == 1 else f"{len(requests)} networks, the first with {text}"


def plan_memory(
    rows: DataFrame, requests: Sequence[FitRequest], num_tasks: int
) -> TaskMemory | None:
    """Returns the memory that each task has for its rows; None to keep all in memory.

    A GPU does not train from a file.

    Parameters
    ----------
    num_tasks : int
        Those that run at the same time, see `read_task_memory`.
    """
    if any(request.device != "cpu" for request in requests):
        return None
    memory = read_task_memory(rows.sparkSession, num_tasks)
    if memory.num_bytes is not None:
        warn_of_memory([make_settings(request, []) for request in requests], memory)
    return memory


def builtin(values: TaskMemory | Recipient | None) -> tuple[Any, ...] | None:
    """Returns what a task can read before it knows whether its Python has this package."""
    return None if values is None else tuple(values)


def gather(rows: DataFrame, num_tasks: int) -> DataFrame:
    """Returns all rows for each task; the column ``task`` has the number of several tasks.

    Rows that Spark does not hold yet are computed in as many tasks as they have partitions,
    and then moved to those that train.
    """
    from pyspark.sql import functions as F

    if num_tasks == 1:
        return rows.coalesce(1) if is_cached(rows) else rows.repartition(1)
    numbers = F.array(*[F.lit(task) for task in range(num_tasks)])
    keys = F.array(*[F.lit(key) for key in keys_of_tasks(num_tasks)])
    copies = rows.withColumn("task", F.explode(numbers))
    return copies.repartition(num_tasks, F.element_at(keys, F.col("task") + 1))


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
    log_notes(results.values())
    if len(results) != size:
        raise errors.MLPError(f"Spark must give {size} models; got {len(results)}")
    return [results[number] for number in range(size)]


def log_notes(results: Iterable[FitResult]) -> None:
    """Logs what tasks note of their rows, each sentence once."""
    for note in dict.fromkeys(result.note for result in results if result.note):
        LOGGER.warning("%s", note)


def reply_model(number: int, result: FitResult) -> Reply:
    """Returns the result of a training as a reply."""
    rest = result.warnings, result.checkpoint_failure, result.note
    return Reply(number, MODEL, result.model, pickle.dumps(rest))


def result_of(reply: Reply) -> FitResult:
    """Returns the result of a training that `reply_model` sent."""
    return FitResult(reply.text, *pickle.loads(reply.payload))


def raise_failure(reply: Reply) -> NoReturn:
    """Raises the exception of mlp that a task replied."""
    raise getattr(errors, reply.kind)(reply.text)


def fit_rows(
    batches: Iterable[Any], fields: list[dict[str, Any]], num_tasks: int,
    memory: tuple[Any, ...] | None, recipient: tuple[Any, ...] | None,
) -> Iterator[Reply]:
    """Reads the rows of a task, and trains once for each of its requests."""
    requests = [FitRequest(**values) for values in fields]
    task = 0

    def noting_task() -> Iterator[Any]:
        nonlocal task
        for batch in batches:
            if num_tasks > 1:
                task = batch.column("task")[0].as_py()
            yield batch

    share = None if memory is None else TaskMemory(*memory)
    with naming_setting(share):
        arrays, note = load(noting_task(), requests, share)
        own = list(range(task, len(requests), num_tasks))
        with report_to(recipient, task) as report:
            trainings = [(on_this_task(requests[number]), report(number)) for number in own]
            for number, outcome in zip(own, fit_each(arrays, trainings, share)):
                yield reply_model(number, FitResult.of(outcome, note))


def load(
    batches: Iterable[Any], requests: Sequence[FitRequest], memory: TaskMemory | None
) -> tuple[TrainingArrays, str]:
    """Reads the rows of a task; returns them, and what is noted of their memory.

    Raises
    ------
    ResourceError
        If the memory of the task does not suffice for a training.
    """

    def check(num_stored: int = 0) -> None:
        left = None if memory is None else memory_left(memory)
        if left is not None and left.is_enforced:
            require_memory([make_settings(each, []) for each in requests], left, num_stored)

    check()
    buffer = RowBuffer(requests[0].layers[0], requests[0].num_classes, memory)
    for batch in batches:
        buffer.append(batch)
    arrays = buffer.arrays()
    if not isinstance(arrays.X, np.ndarray):
        check(len(arrays.y))
    return arrays, buffer.note


def fit_each(
    arrays: TrainingArrays, trainings: Sequence[tuple[FitRequest, OnIteration | None]],
    memory: TaskMemory | None = None,
) -> Iterator[_core.Outcome]:
    """Trains once for each request, several at the same time if there are several threads.

    Parameters
    ----------
    memory : TaskMemory, optional
        Of the task, which all of them share.
    """
    requests = [request for request, _ in trainings]
    threads = requests[0].threads or 1
    # The memory of a GPU is for one training, and so is the line of the progress.
    is_alone = any(request.device != "cpu" or request.verbose for request in requests)
    at_once = 1 if is_alone else min(threads, num_at_once(arrays, requests, memory))
    shared = max(1, threads // at_once)

    def train(training: tuple[FitRequest, OnIteration | None]) -> _core.Outcome:
        request, on_iteration = training
        return fit_arrays(arrays, replace(request, threads=shared), on_iteration)

    if at_once == 1:
        yield from map(train, trainings)
        return
    with ThreadPoolExecutor(max_workers=at_once) as executor:
        yield from executor.map(train, trainings)


def num_at_once(
    arrays: TrainingArrays, requests: Sequence[FitRequest], memory: TaskMemory | None
) -> int:
    """Returns how many trainings may have a copy of the rows at the same time."""
    held_out = () if arrays.validation is None else (arrays.validation.X,)
    num_bytes = 0
    for features in (arrays.X, *held_out):
        if not isinstance(features, np.ndarray):
            return 1  # one pass over a file at a time
        num_bytes += features.nbytes
    copies = min(len(requests), max(1, MAX_COPIED_BYTES // max(1, num_bytes)))
    if memory is None or copies == 1:
        return copies
    settings = [make_settings(request, []) for request in requests]
    return min(copies, trainings_at_once(settings, memory_left(memory), num_bytes))


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


def fit_arrays(
    arrays: TrainingArrays, request: FitRequest, on_iteration: OnIteration | None = None
) -> _core.Outcome:
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
    with make_progress(request, settings, True, on_iteration) as callback:
        return _core.fit(
            settings, _core.Instances(X, y, weights), make_validation(validation), None, callback
        )


@contextlib.contextmanager
def make_progress(
    request: FitRequest, settings: _core.Settings, is_writer: bool,
    on_iteration: OnIteration | None = None,
) -> Iterator[Any]:
    """Yields the function that the library calls after each iteration; None without one."""
    if not request.verbose or not is_writer:
        yield make_callback(on_iteration, None)
        return
    progress = Progress(int(settings.params.get("maxIter")))
    try:
        yield make_callback(on_iteration, progress)
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
