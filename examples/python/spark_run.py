# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A model of your own on the tasks of Spark: logistic regression in NumPy.

Each task has a part of the instances and computes its part of the gradient; `allreduce`
gives all of them the sum, so that they take the same steps.

Run it with: spark-submit examples/python/spark_run.py
"""
from __future__ import annotations

import numpy as np
from pyspark.sql import SparkSession

import mlp.spark

NUM_STEPS = 200
STEP_SIZE = 0.5


def make_data() -> tuple[np.ndarray, np.ndarray]:
    """Makes instances of two classes that a line separates well."""
    generator = np.random.default_rng(7)
    X = generator.normal(size=(600, 2))
    y = (X @ [2.0, -1.0] + 0.3 * generator.normal(size=600) > 0.5).astype(float)
    return X, y


def train(rank: mlp.spark.Rank | None, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Trains on the instances of all ranks; without a rank, in this process alone."""
    if rank is not None:
        X, y = X[rank.rank :: rank.size], y[rank.rank :: rank.size]
    rows = np.column_stack([X, np.ones(len(X))])
    weights = np.zeros(3)
    for _ in range(NUM_STEPS):
        errors = 1 / (1 + np.exp(-rows @ weights)) - y
        sums = np.append(rows.T @ errors, len(rows))
        if rank is not None:
            sums = rank.allreduce(sums)
        weights -= STEP_SIZE * sums[:3] / sums[3]
    return weights


def main(spark: SparkSession) -> tuple[np.ndarray, float]:
    """Returns the weights, and the share of instances that they classify rightly."""
    X, y = make_data()
    weights = mlp.spark.run(train, num_workers=2, spark=spark, args=[X, y])[0]
    is_right = (np.column_stack([X, np.ones(len(X))]) @ weights > 0) == (y > 0)
    return weights, float(is_right.mean())


if __name__ == "__main__":
    session = SparkSession.builder.master("local[2]").getOrCreate()
    found, accuracy = main(session)
    print(f"weights {np.round(found, 3).tolist()}, accuracy {accuracy:.3f}")
    session.stop()
