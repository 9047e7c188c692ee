# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Batches that are cut at the ends of groups."""

from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
from mlp.spark.by_group.cut import cut_groups  # noqa: E402


def cut(columns: list[list[Any]], batch_rows: int) -> list[tuple[bool, int]]:
    """Cuts rows of these group columns; returns whether each part is a first one, and its rows."""
    names = [f"key{number}" for number in range(len(columns))]
    batch = pyarrow.RecordBatch.from_arrays([pyarrow.array(keys) for keys in columns], names)
    batches = [batch.slice(begin, batch_rows) for begin in range(0, batch.num_rows, batch_rows)]
    return [(is_first, rows.num_rows) for is_first, rows in cut_groups(batches, len(columns))]


def test_cuts_where_a_column_of_the_group_changes() -> None:
    parts = cut([["a", "a", "b", "b", "b"], [1, 2, 2, 2, 2]], 10)

    assert parts == [(True, 1), (True, 1), (True, 3)]


def test_a_group_goes_on_in_the_next_batches() -> None:
    assert cut([[1, 2, 2, 2, 2, 3]], 2) == [
        (True, 1), (True, 1), (False, 2), (False, 1), (True, 1)
    ]


def test_a_group_may_begin_with_a_batch() -> None:
    assert cut([[1, 1, 2, 2]], 2) == [(True, 2), (True, 2)]


def test_null_and_nan_are_two_groups() -> None:
    assert cut([[None, None, float("nan"), float("nan"), 1.0]], 3) == [
        (True, 2), (True, 1), (False, 1), (True, 1)
    ]
    assert cut([["a", None, None]], 2) == [(True, 1), (True, 1), (False, 1)]


def test_batches_without_rows_are_left_out() -> None:
    empty = pyarrow.RecordBatch.from_pydict({"key0": pyarrow.array([], pyarrow.int64())})
    batch = pyarrow.RecordBatch.from_pydict({"key0": [1, 1]})

    parts = list(cut_groups([empty, batch, empty, batch], 1))

    assert [is_first for is_first, _ in parts] == [True, False]
