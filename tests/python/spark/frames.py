# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data in Spark, and the recorded fits of Spark on it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from conftest import ROOT, read_iris

GOLDEN = ROOT / "tests" / "golden" / "spark-3.5"
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
# Leading entries of the history that agree, of those that agree in Spark's own runs.
SHARE = 0.9


def make_frame(
    session: Any, X: np.ndarray, y: np.ndarray, partition_sizes: list[int] | None = None
) -> Any:
    """Makes a frame with the columns features and label, in partitions of these sizes."""
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.types import DoubleType, StructField, StructType

    bounds = np.cumsum([0, *(partition_sizes or [len(y)])])
    rows = [(Vectors.dense(row), float(label)) for row, label in zip(X.tolist(), y)]
    # A partition of Spark has one element of this list.
    partitions = [rows[begin:end] for begin, end in zip(bounds, bounds[1:])]
    collection = session.sparkContext.parallelize(partitions, len(partitions))
    fields = [StructField("features", VectorUDT()), StructField("label", DoubleType())]
    return session.createDataFrame(collection.flatMap(list), StructType(fields))


def iris_frame(session: Any, partition_sizes: list[int] | None = None) -> Any:
    return make_frame(session, *read_iris(), partition_sizes)


def read_golden(name: str) -> dict[str, Any]:
    """Reads a fit of Spark 3.5."""
    fit: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return fit


def check_history(history: Any, fit: dict[str, Any]) -> None:
    """Compares a history with the one of Spark, as far as Spark's own runs agree."""
    expected = np.array([float(entry) for entry in fit["objectiveHistory"]])
    assert len(history) == len(expected)
    agreeing = fit.get("agreement", {}).get("entries", {}).get("1e-9", min(len(expected), 100))
    count = max(1, int(SHARE * agreeing))
    np.testing.assert_allclose(history[:count], expected[:count], rtol=1e-9, equal_nan=True)
