# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Random trainings by our class and by Spark's, on the same rows.

Usage: PYTHONPATH=tests/python python -m spark.parity.random_fits NUM_FITS [MAX_ITER]
Prints how many histories have the same length and the same entries, and each that has not.
With MAX_ITER, all trainings are long ones by l-bfgs on rows that can be separated.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from typing import Any

import numpy as np

from spark.frames import make_frame

# Rows are made once for so many trainings: that takes longer than a training.
FITS_PER_TABLE = 10
# Of Spark's, at the same time: most of their time is that of jobs that start.
NUM_THREADS = 4
CLOSE = 1e-6


@dataclass(frozen=True)
class Table:
    """Rows in partitions of these sizes."""

    X: np.ndarray
    y: np.ndarray
    num_classes: int
    partition_sizes: list[int]
    is_separable: bool
    """Whether a network without hidden layers can be right for all rows."""


@dataclass(frozen=True)
class Pair:
    """The two models of one training."""

    number: int
    params: dict[str, Any]
    is_separable: bool
    ours: Any
    theirs: Any

    @property
    def histories(self) -> tuple[np.ndarray, np.ndarray]:
        theirs = self.theirs.summary().objectiveHistory
        return np.asarray(self.ours.objectiveHistory), np.asarray(list(theirs))

    @property
    def num_close(self) -> int:
        """The leading entries that agree to `CLOSE`."""
        ours, theirs = self.histories
        size = min(len(ours), len(theirs))
        is_far = ~np.isclose(ours[:size], theirs[:size], rtol=CLOSE, atol=0, equal_nan=True)
        return int(np.argmax(is_far)) if is_far.any() else size

    @property
    def has_same_length(self) -> bool:
        ours, theirs = self.histories
        return len(ours) == len(theirs)

    def __str__(self) -> str:
        ours, theirs = self.histories
        kind = "separable" if self.is_separable else "random labels"
        return (
            f"training {self.number}, {kind}: {len(ours) - 1} iterations, Spark's {len(theirs) - 1}; "
            f"{self.num_close} entries agree to {CLOSE:g}; the last ones are {ours[-1]:.3g} and "
            f"{theirs[-1]:.3g}; {self.params}"
        )


def random_table(number: int, is_separable: bool = False) -> Table:
    random = np.random.default_rng(number)
    num_features, num_classes = int(random.integers(1, 9)), int(random.integers(2, 6))
    sizes = [int(size) for size in random.integers(0, 60, size=random.integers(1, 4))]
    sizes[0] += 2
    is_separable = bool(random.random() < 0.5) or is_separable
    X = random.normal(size=(sum(sizes), num_features))
    y = random.integers(0, num_classes, size=len(X))
    if is_separable:
        scores = X @ random.normal(size=(num_features, num_classes))
        y = np.argmax(scores, axis=1)
    return Table(X, y, num_classes, sizes, is_separable)


def random_params(random: np.random.Generator, table: Table) -> dict[str, Any]:
    hidden = [int(size) for size in random.integers(1, 9, size=random.integers(0, 3))]
    # Long trainings are few: Spark needs a job for each evaluation.
    max_iter = int(random.integers(0, 100 if random.random() < 0.1 else 20))
    return {
        "layers": [table.X.shape[1], *hidden, table.num_classes],
        "blockSize": int(random.choice([1, 2, 7, 30, 128])),
        "seed": int(random.integers(-(2**63), 2**63 - 1)),
        "maxIter": max_iter,
        "tol": float(random.choice([0.0, 1e-6, 1e-3])),
        "solver": "gd" if random.random() < 0.25 else "l-bfgs",
    }


def long_params(random: np.random.Generator, table: Table, max_iter: int) -> dict[str, Any]:
    """Returns Params with which l-bfgs converges, or ends after so many iterations."""
    return random_params(random, table) | {"maxIter": max_iter, "tol": 1e-6, "solver": "l-bfgs"}


def train_pairs(
    session: Any, first: int, count: int, max_iter: int | None = None
) -> Iterator[Pair]:
    """Trains `count` networks from number `first` on, each by both classes.

    With `max_iter` they are long trainings on rows that can be separated.

    Ours are trained by `fitMultiple`, which gives the models of `fit` and reads the rows once.
    """
    import pyspark.ml.classification as spark
    from mlp.spark import MultilayerPerceptronClassifier

    ours, theirs = MultilayerPerceptronClassifier(), spark.MultilayerPerceptronClassifier()
    for number in range(first, first + count, FITS_PER_TABLE):
        table = random_table(number, is_separable=max_iter is not None)
        random = np.random.default_rng([number, 1])
        params = [
            random_params(random, table) if max_iter is None else long_params(random, table, max_iter)
            for _ in range(min(FITS_PER_TABLE, first + count - number))
        ]
        frame = make_frame(session, table.X, table.y, table.partition_sizes).cache()
        models = dict(ours.fitMultiple(frame, [to_map(ours, each) for each in params]))
        with ThreadPool(NUM_THREADS) as pool:
            expected = pool.map(lambda each: theirs.fit(frame, to_map(theirs, each)), params)
        for index, each in enumerate(params):
            yield Pair(number + index, each, table.is_separable, models[index], expected[index])
        frame.unpersist()


def to_map(estimator: Any, params: dict[str, Any]) -> dict[Any, Any]:
    return {estimator.getParam(name): value for name, value in params.items()}


def main(num_fits: int, max_iter: int | None = None) -> None:
    from pyspark.sql import SparkSession

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    counts = {"equal length": 0, "all entries close": 0, "separable": 0}
    for pair in train_pairs(session, 0, num_fits, max_iter):
        is_close = pair.num_close == min(map(len, pair.histories))
        counts["equal length"] += pair.has_same_length
        counts["all entries close"] += is_close
        counts["separable"] += pair.is_separable
        if not (pair.has_same_length and is_close):
            print(pair, flush=True)
    print(f"Spark {session.version}: {num_fits} trainings, {counts}")
    session.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
