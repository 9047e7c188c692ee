# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that Spark sends to a task, as arrays."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

arrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
from mlp import DataError, MLPError, ShapeError  # noqa: E402
from mlp.spark.training import rows  # noqa: E402
from mlp.spark.training.rows import RowBuffer  # noqa: E402

SECOND_PARTITION = 1 << 33


def make_batch(ids: list[int], features: list[Any], label: list[Any], **others: Any) -> Any:
    columns = {
        "id": arrow.array(ids, arrow.int64()),
        "features": arrow.array(features, arrow.list_(arrow.float64())),
        "label": arrow.array(label, arrow.float64()),
    }
    return arrow.RecordBatch.from_pydict(columns | others)


def test_sorts_rows_and_counts_partitions() -> None:
    buffer = RowBuffer(2, 2)
    third = 3 * SECOND_PARTITION
    buffer.append(make_batch([third, 1], [[5.0, 6.0], [3.0, 4.0]], [1.0, 1.0]))
    buffer.append(make_batch([0], [[1.0, 2.0]], [0.0]))

    X, y, weights, sizes, validation = buffer.arrays()

    assert X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert y.tolist() == [0, 1, 1]
    assert sizes == [2, 1]
    assert weights is None and validation is None


def test_reads_a_slice_of_a_batch() -> None:
    batch = make_batch([0, 1, 2], [[1.0], [2.0], [3.0]], [0.0, 1.0, 0.0])
    buffer = RowBuffer(1, 2)

    buffer.append(batch.slice(1, 2))

    assert buffer.arrays().X.tolist() == [[2], [3]]


def vectors_batch(vectors: list[Any]) -> Any:
    """Makes a batch of lists, and of pairs of indices and numbers of which there are 3."""
    sparse = [vector if isinstance(vector, tuple) else None for vector in vectors]
    values = [vector[1] if isinstance(vector, tuple) else vector for vector in vectors]
    return make_batch(
        list(range(len(vectors))), values, [0.0] * len(vectors),
        size=arrow.array([each and 3 for each in sparse], arrow.int32()),
        indices=arrow.array([each[0] if each else [] for each in sparse], arrow.list_(arrow.int32())),
    )


@pytest.mark.parametrize("at_once", [1, 3, 1 << 20])
def test_reads_sparse_and_dense_vectors(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "NUMBERS_AT_ONCE", at_once)
    batch = vectors_batch([([0], [9.0]), ([1, 2], [1.0, 2.0]), [3.0, 4.0, 5.0], ([], [])])
    buffer = RowBuffer(3, 2)

    buffer.append(batch.slice(1, 3))

    assert buffer.arrays().X.tolist() == [[0, 1, 2], [3, 4, 5], [0, 0, 0]]


def test_reads_dense_vectors() -> None:
    buffer = RowBuffer(2, 2)

    buffer.append(vectors_batch([[1.0, 2.0], [3.0, 4.0]]))

    assert buffer.arrays().X.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("num_features, vectors, sentence", [
    (4, [([1], [1.0])], "features must have 4 values, the first of the layers; got 3 (row 0"),
    (3, [([1], [1.0]), [1.0]], "the first of the layers; got 1 (row 1 of"),
    (3, [([], []), ([0, 2], [1.0, float("nan")])], "but got NaN at index 2 (row 1 of"),
    (3, [([], []), ([0, 2], [1.0, None])], "got a null value (row 1 of"),
    (3, [([], []), None], "Vectors MUST NOT be Null; got null (row 1 of"),
    (3, [([0], [1.0]), ([1, 2], [1.0])], "one index below their size for each value (row 1 of"),
    (3, [([0], [1.0]), ([-1], [1.0])], "one index below their size for each value (row 1 of"),
    (3, [([], []), [1.0, 2.0, 3.0], ([3], [1.0])], "for each value (row 2 of"),
])
def test_refuses_sparse_vectors(num_features: int, vectors: list[Any], sentence: str) -> None:
    with pytest.raises(MLPError, match=re.escape(sentence)):
        RowBuffer(num_features, 2).append(vectors_batch(vectors))


def test_keeps_no_memory_of_a_batch() -> None:
    buffer = RowBuffer(1000, 2)
    before = arrow.total_allocated_bytes()

    for number in range(20):
        features = arrow.ListArray.from_arrays(
            arrow.array([0, 1000], arrow.int32()), arrow.array(np.ones(1000))
        )
        batch = make_batch([number], [[0.0]], [1.0]).set_column(1, "features", features)
        sink = arrow.BufferOutputStream()
        with arrow.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        buffer.append(next(iter(arrow.ipc.open_stream(sink.getvalue()))))
        del batch, sink, writer, features

    assert arrow.total_allocated_bytes() - before < 20 * 1000
    assert buffer.arrays().X.shape == (20, 1000)


def test_separates_the_rows_of_the_validation() -> None:
    buffer = RowBuffer(1, 2)
    others = {"weight": [1.0, 2.0, 3.0], "validation": [False, True, False]}
    buffer.append(make_batch([0, 1, 2], [[1.0], [2.0], [3.0]], [0.0, 1.0, 0.0], **others))

    X, y, weights, sizes, held_out = buffer.arrays()

    assert X.tolist() == [[1], [3]] and y.tolist() == [0, 0] and sizes == [2]
    assert weights is not None and weights.tolist() == [1, 3]
    assert held_out is not None and held_out.weights is not None
    assert (held_out.X.tolist(), held_out.y.tolist(), held_out.weights.tolist()) == ([[2]], [1], [2])


def test_has_no_rows_without_a_batch() -> None:
    arrays = RowBuffer(3, 2).arrays()

    assert arrays.X.shape == (0, 3)
    assert arrays.partition_sizes == []


NAN, INF = float("nan"), float("inf")
REFUSED = [
    (2, [[1.0, 2.0]], [2.0], "Labels MUST be in {0, 1}, but got 2.0 (row 7 of partition 1)"),
    (3, [[1.0, 2.0]], [-1.0], "Labels MUST be in [0, 3), but got -1.0"),
    (3, [[1.0, 2.0]], [3.0], "Labels MUST be in [0, 3), but got 3.0"),
    (3, [[1.0, 2.0]], [1.5], "Labels MUST be Integers, but got 1.5"),
    (3, [[1.0, 2.0]], [None], "Labels MUST NOT be Null or NaN"),
    (3, [[1.0, 2.0]], [NAN], "Labels MUST NOT be Null or NaN"),
    (None, [[1.0, 2.0]], [-INF], "Labels MUST NOT be Infinity, but got -Infinity"),
    (3, [None], [1.0], "Vectors MUST NOT be Null"),
    (3, [[1.0, None]], [1.0], "Vectors MUST NOT be Null; got a null value (row 7"),
    (3, [[1.0, NAN]], [1.0], "Vector values MUST NOT be NaN or Infinity, but got NaN at index 1"),
    (3, [[1.0]], [1.0], "features must have 2 values, the first of the layers; got 1 (row 7"),
    (3, [[1.0] * 3], [1.0], "features must have 2 values, the first of the layers; got 3"),
]


@pytest.mark.parametrize("num_classes, features, label, sentence", REFUSED)
def test_refuses_what_spark_refuses(
    num_classes: int | None, features: list[Any], label: list[Any], sentence: str
) -> None:
    batch = make_batch([SECOND_PARTITION + 7], features, label)

    with pytest.raises(MLPError, match=re.escape(sentence)) as caught:
        RowBuffer(2, num_classes).append(batch)

    assert isinstance(caught.value, ShapeError if "first of" in sentence else DataError)


@pytest.mark.parametrize("weight", [None, NAN, INF, -1.0])
def test_refuses_weights(weight: float | None) -> None:
    batch = make_batch([0], [[1.0]], [0.0], weight=arrow.array([weight], arrow.float64()))

    with pytest.raises(DataError, match="Weights MUST NOT be"):
        RowBuffer(1, 2).append(batch)


def test_finite_features_whose_sum_is_infinite_are_accepted() -> None:
    buffer = RowBuffer(2, 2)
    buffer.append(make_batch([0], [[1.7e308, 1.7e308]], [0.0]))

    assert np.isfinite(buffer.arrays().X).all()
