# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of cases as frames of Spark."""
from __future__ import annotations

from typing import Any

from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql.types import BooleanType, DoubleType, StructField, StructType

from .case import BASE, Case, Table


def number(value: Any) -> float | None:
    return None if value is None else float(value)


def vector(row: Any) -> Any:
    """Returns a vector; a vector with a missing value is missing itself."""
    return None if None in row else Vectors.dense([float(x) for x in row])


def rows_of(table: Table, is_held_out: bool) -> list[tuple[Any, ...]]:
    found = []
    for i, row in enumerate(table.rows):
        label = 0.0 if table.labels is None else number(table.labels[i])
        weight = 1.0 if table.weights is None else number(table.weights[i])
        found.append((vector(row), label, weight, is_held_out))
    return found


def make_frame(session: Any, table: Table, validation: Table | None = None) -> Any:
    """Makes a frame of one partition with features, label, weight and isHeldOut."""
    rows = rows_of(table, False)
    rows += [] if validation is None else rows_of(validation, True)
    fields = [
        StructField("features", VectorUDT()),
        StructField("label", DoubleType()),
        StructField("weight", DoubleType()),
        StructField("isHeldOut", BooleanType()),
    ]
    return session.createDataFrame(rows, StructType(fields)).coalesce(1)


class Frames:
    """The frames of one session; equal tables have the same frame."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.made: dict[str, Any] = {}

    def of(self, case: Case) -> Any:
        key = repr((case.table, case.validation))
        if key not in self.made:
            frame = make_frame(self.session, case.table, case.validation)
            # Most cases have this table; stored rows need no shuffle.
            self.made[key] = frame.cache() if case.table == BASE else frame
        return self.made[key]
