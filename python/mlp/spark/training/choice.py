# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The rule that chooses how many tasks train, from the size of the training.

One task reads all rows, and needs no other. Several tasks read and compute faster, but start
later, and sum their gradients in each evaluation, as docs/scaling.md describes.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "Choice", "Cluster", "Training", "choose_num_workers", "fewest_workers", "num_bytes_of",
]

# Rows through Arrow into the Python of one task: 10,000 rows of 784 numbers in 0.3 s.
LOAD_BYTES_PER_SECOND = 200e6
# What two tasks take beyond one for Iris in local-cluster mode, by `bench/spark/fits.py --on
# cluster start`: a median of 0.50 s (0.36 to 0.65) in seven pairs, on two cores with other
# load. The exchange of the first bytes is a small part of it.
START_SECONDS = 0.5
# Of one thread, or of a GPU. An evaluation takes six operations for each weight and row.
OPERATIONS_PER_SECOND = {"cpu": 30e9, "cuda": 3e12}
OPERATIONS_PER_WEIGHT = 6.0
# What a row of a very small network takes in one thread.
SECONDS_PER_ROW = 50e-9
# The slowest link and the time of a message in docs/scaling.md.
LINK_BYTES_PER_SECOND = 0.941 * 125e6
MESSAGE_SECONDS = 150e-6
BYTES_PER_NUMBER = 8
# Estimates are inexact: more tasks must be expected to save a sixth of the time.
WORTHWHILE = 1.2


class Training(NamedTuple):
    """What one training computes."""

    num_weights: int
    num_passes: int
    """Over the rows: evaluations of the objective, or epochs."""
    batch_size: int | None = None
    """Rows of a task in each sum; None for one sum in each pass."""
    device: str = "cpu"


class Cluster(NamedTuple):
    """What a cluster gives the tasks."""

    max_workers: int
    """Tasks at the same time."""
    num_threads: int
    """Of each task."""
    task_bytes: float
    """Rows that one task may hold."""


class Choice(NamedTuple):
    """A number of tasks, with the estimates that led to it."""

    num_workers: int
    seconds: float
    seconds_alone: float
    """In one task."""


def choose_num_workers(
    num_rows: int, num_columns: int, trainings: Sequence[Training], cluster: Cluster
) -> Choice:
    """Returns the fewest tasks that are about as fast as any number of them.

    One task that may not hold all rows is no choice, unless the cluster runs only one.

    Parameters
    ----------
    num_columns : int
        Numbers in a row.
    trainings : sequence of Training
        They follow each other; one task reads the rows once for all of them.
    """
    row_bytes = BYTES_PER_NUMBER * num_columns
    fewest = fewest_workers(num_rows, num_columns, cluster)
    seconds = {
        count: estimate_seconds(num_rows / count, row_bytes, trainings, cluster, count)
        for count in {1, *range(fewest, cluster.max_workers + 1)}
    }
    allowed = range(fewest, max(seconds) + 1)
    bound = WORTHWHILE * min(seconds[count] for count in allowed)
    chosen = next(count for count in allowed if seconds[count] <= bound)
    return Choice(chosen, seconds[chosen], seconds[1])


def fewest_workers(num_rows: int, num_columns: int, cluster: Cluster) -> int:
    """Returns the fewest tasks that may hold all rows, or as many as the cluster runs."""
    needed = math.ceil(num_bytes_of(num_rows, num_columns) / cluster.task_bytes)
    return max(1, min(cluster.max_workers, needed))


def num_bytes_of(num_rows: int, num_columns: int) -> float:
    """Returns the bytes of rows in the memory of a task."""
    return float(BYTES_PER_NUMBER * num_rows * num_columns)


def estimate_seconds(
    rows_per_task: float, row_bytes: int, trainings: Sequence[Training], cluster: Cluster,
    num_workers: int,
) -> float:
    """Returns the seconds that all trainings take on a number of tasks."""
    load = rows_per_task * row_bytes / LOAD_BYTES_PER_SECOND
    computing = sum(
        training.num_passes * pass_seconds(rows_per_task, training, cluster.num_threads)
        for training in trainings
    )
    if num_workers == 1:
        return load + computing
    summing = sum(
        training.num_passes * num_sums(rows_per_task, training)
        * sum_seconds(training.num_weights, num_workers)
        for training in trainings
    )
    return computing + summing + len(trainings) * (START_SECONDS + load)


def pass_seconds(num_rows: float, training: Training, num_threads: int) -> float:
    is_device = training.device.startswith("cuda")
    rate = OPERATIONS_PER_SECOND["cuda" if is_device else "cpu"]
    seconds_per_row = OPERATIONS_PER_WEIGHT * training.num_weights / rate
    if is_device:
        return num_rows * seconds_per_row
    return num_rows * (seconds_per_row + SECONDS_PER_ROW) / num_threads


def num_sums(num_rows: float, training: Training) -> float:
    """Returns the sums of one pass."""
    return 1.0 if training.batch_size is None else max(1.0, num_rows / training.batch_size)


def sum_seconds(num_weights: int, num_workers: int) -> float:
    """Returns the seconds of one sum, in a ring or by halving: see docs/scaling.md."""
    transfer = BYTES_PER_NUMBER * num_weights / LINK_BYTES_PER_SECOND
    ring = 2 * (num_workers - 1) * (transfer / num_workers + MESSAGE_SECONDS)
    num_bits = num_workers.bit_length() - 1
    base = 1 << num_bits
    halving = 2 * (num_bits * MESSAGE_SECONDS + (base - 1) / base * transfer)
    if base != num_workers:
        halving += 2 * (MESSAGE_SECONDS + transfer)
    return min(ring, halving)
