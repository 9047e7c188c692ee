# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings by one job of Spark for each evaluation of the objective.

They need no tasks that run at the same time, but they are slow: the driver runs the
optimiser, and each job reads all rows again.
"""
from __future__ import annotations

import logging
import math
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ...errors import DataError
from .one_task import make_progress, make_settings, make_validation, on_this_task, raise_failure
from .request import FitRequest, FitResult
from .rows import HeldOut, RowBuffer, TrainingArrays
from .worker import Reply, collect, make_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["can_train_by_jobs", "train_jobs"]

LOGGER = logging.getLogger("mlp.spark")
PART = "part"

Vector = NDArray[np.float64]


def can_train_by_jobs(request: FitRequest) -> bool:
    """True if the solver evaluates all rows at once, which sums over jobs can do."""
    has_batch_norm = request.params.get("batchNorm", "false") == "true"
    return request.params.get("solver", "l-bfgs") in ("l-bfgs", "gd") and not has_batch_norm


def train_jobs(rows: DataFrame, request: FitRequest) -> FitResult:
    """Trains on the driver; each job sums objective and gradient over the partitions.

    Raises
    ------
    MLPError
        What the library raised in a task.
    """
    LOGGER.warning(
        "Spark has no barrier stages with spark.dynamicAllocation.enabled=true: the training "
        "runs one job for each evaluation of the objective, and each takes tenths of a second "
        "or more; numWorkers=1 trains in one task instead"
    )
    rows = rows.persist()
    try:
        return minimize(rows, request)
    finally:
        rows.unpersist()


def minimize(rows: DataFrame, request: FitRequest) -> FitResult:
    found = survey(rows, request)
    if found.num_instances == 0:
        raise DataError("the training data must have at least 1 instance; got none")
    # The driver evaluates the rows that only validate, and the tasks all others.
    settings = make_settings(replace(request, device="cpu"), [])

    def objective(weights: Vector) -> tuple[float, Vector]:
        return evaluate(rows, request, weights)

    with make_progress(request, settings, True) as callback:
        outcome = _core.minimize(
            settings, found.num_instances, objective, make_validation(found.validation), callback,
            found.target_means,
        )
    return FitResult.of(outcome)


def run_job(rows: DataFrame, function: str, arguments: tuple[Any, ...]) -> list[Any]:
    """Runs a function in a task for each partition, and returns what it gives, in order."""
    work = make_worker("mlp.spark.training.jobs", function, arguments)
    replies = collect(rows, work)
    for reply in replies:
        if reply.kind != PART:
            raise_failure(reply)
    return [pickle.loads(reply.payload) for reply in sorted(replies)]


class Survey(NamedTuple):
    """Facts about the rows that the driver needs."""

    num_instances: int
    """To train on."""
    validation: HeldOut | None
    """The rows that only validate."""
    target_means: tuple[float, ...]
    """The mean label of a regression, by the weights of the rows."""


def survey(rows: DataFrame, request: FitRequest) -> Survey:
    """Counts the rows, and collects those that only validate.

    The mean label is the one that a training in one process starts at, up to the rounding
    of another order of additions.
    """
    found = run_job(rows, "survey_rows", (asdict(request),))
    weight_sum = sum(weight for _, weight, _, _ in found)
    label_sum = sum(label for _, _, label, _ in found)
    has_mean = request.task == "regression" and weight_sum > 0.0 and math.isfinite(label_sum)
    means = (label_sum / weight_sum,) if has_mean else ()
    validation = HeldOut.join(held_out for *_, held_out in found)
    return Survey(sum(count for count, *_ in found), validation, means)


def evaluate(rows: DataFrame, request: FitRequest, weights: Vector) -> tuple[float, Vector]:
    """Returns the objective of all rows, and its gradient.

    The objective of a partition is the mean over its blocks, or by the weights of its
    rows; that of all rows is the mean of those by the share of each partition.
    """
    parts = run_job(rows, "evaluate_rows", (asdict(request), weights.tobytes()))
    total = sum(share for share, _, _ in parts)
    if total == 0.0:
        raise DataError("the weights of the instances must not be all zero")
    value, gradient = 0.0, np.zeros_like(weights)
    for share, part, part_gradient in parts:
        value += share / total * part
        gradient += share / total * part_gradient
    return value, gradient


def survey_rows(batches: Iterable[Any], fields: dict[str, Any]) -> Iterator[Reply]:
    arrays, number = load(batches, FitRequest(**fields))
    weights = np.ones(len(arrays.y)) if arrays.weights is None else arrays.weights
    part = (len(arrays.y), float(weights.sum()), float(weights @ arrays.y), arrays.validation)
    yield Reply(number, PART, "", pickle.dumps(part))


def evaluate_rows(
    batches: Iterable[Any], fields: dict[str, Any], weights: bytes
) -> Iterator[Reply]:
    request = on_this_task(FitRequest(**fields))
    arrays, number = load(batches, request)
    share = share_of(arrays, int(request.params.get("blockSize", "128")))
    if share > 0.0:
        settings = make_settings(request, arrays.partition_sizes)
        instances = _core.Instances(arrays.X, arrays.y, arrays.weights)
        value, gradient = _core.evaluate(settings, instances, np.frombuffer(weights))
        yield Reply(number, PART, "", pickle.dumps((share, value, gradient)))


def load(batches: Iterable[Any], request: FitRequest) -> tuple[TrainingArrays, int]:
    """Returns the rows of a task, and the number of the task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    buffer = RowBuffer(request.layers[0], request.num_classes)
    for batch in batches:
        buffer.append(batch)
    return buffer.arrays(), 0 if context is None else context.partitionId()


def share_of(arrays: TrainingArrays, block_size: int) -> float:
    """Returns what a task counts in the mean over all: its blocks, or its weights."""
    if arrays.weights is not None:
        return float(arrays.weights.sum())
    return float(sum(-(-size // block_size) for size in arrays.partition_sizes))
