# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Features of rows in memory and in a file."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
from mlp import ResourceError, ShapeError, _core  # noqa: E402
from mlp.spark.training.memory import RowFeatures, TaskMemory, as_array, row_features  # noqa: E402

NUM_FEATURES = 3
BATCH = np.arange(300.0).reshape(-1, NUM_FEATURES)
MEMORY = TaskMemory(1, 1e6, "spark.executor.memoryOverhead")


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder that Spark gives a task, which may have a batch of rows in memory."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    size = row_features.COPIES * BATCH.nbytes
    monkeypatch.setattr(row_features, "allowed_bytes", lambda left: size)
    monkeypatch.setattr(row_features, "SMALL_BYTES", 0)
    return tmp_path


def filled(count: int, memory: TaskMemory | None = MEMORY) -> RowFeatures:
    rows = RowFeatures(NUM_FEATURES, memory)
    for number in range(count):
        rows.append(BATCH + number)
    return rows


@pytest.mark.parametrize("memory", [None, MEMORY])
def test_rows_that_fit_stay_in_memory(memory: TaskMemory | None, folder: Any) -> None:
    rows = filled(1, memory)

    (found,) = rows.take(None)

    assert isinstance(found, np.ndarray) and np.array_equal(found, BATCH)
    assert rows.note == ""


def test_few_rows_are_not_compared_with_the_memory(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TaskMemory] = []
    monkeypatch.setattr(row_features, "SMALL_BYTES", row_features.COPIES * BATCH.nbytes)
    monkeypatch.setattr(row_features, "memory_left", asked.append)

    filled(1)
    assert not asked
    filled(2)
    assert asked == [MEMORY]


def test_rows_that_do_not_fit_are_in_a_file(folder: pathlib.Path) -> None:
    rows = filled(3)
    names = os.listdir(folder)
    (found,) = rows.take(None)

    assert isinstance(found, _core.StoredFeatures) and found.shape == (300, NUM_FEATURES)
    assert np.array_equal(as_array(found), np.concatenate([BATCH, BATCH + 1, BATCH + 2]))
    assert names == os.listdir(folder) == []
    assert rows.note.startswith("the 300 rows of a task need ")
    assert f"kept in a file in {folder}" in rows.note
    assert rows.note.endswith("raise spark.executor.memoryOverhead")


@pytest.mark.parametrize("count", [1, 4])
def test_takes_rows_in_an_order(count: int, folder: Any) -> None:
    rows = filled(count)
    everything = np.concatenate([BATCH + number for number in range(count)])
    order = np.random.default_rng(1).permutation(len(everything))

    first, rest = rows.take(order[:70], order[70:])

    assert np.array_equal(as_array(first), everything[order[:70]])
    assert np.array_equal(as_array(rest), everything[order[70:]])


def test_tries_the_folders_one_after_another(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"/nowhere,/dev/shm,{folder}")

    rows = filled(2)
    rows.take(None)

    assert f"in a file in {folder} " in rows.note


def test_rows_stay_in_memory_without_a_folder(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/nowhere")

    rows = filled(3)
    (found,) = rows.take(None)

    assert isinstance(found, np.ndarray) and len(found) == 300
    assert rows.note.startswith("the rows stay in memory, although they are large: no folder")
    assert "/nowhere" in rows.note


def test_a_full_disk_names_the_setting_of_the_folders(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDisk:
        def __init__(self, folder: str, num_features: int) -> None: ...

        def append(self, rows: Any) -> None:
            raise ResourceError("/data: a file cannot be written: No space left on device")

    monkeypatch.setattr(_core, "FeatureFile", FullDisk)

    with pytest.raises(ResourceError, match="No space left on device; rows that .* spark.local.dir"):
        filled(2)


def test_the_file_refuses_rows_of_another_width_and_places_beyond_it(
    folder: pathlib.Path
) -> None:
    file = _core.FeatureFile(str(folder), NUM_FEATURES)
    file.append(BATCH)

    with pytest.raises(ShapeError, match="rows must have 3 features; got 2"):
        file.append(np.zeros((1, 2)))
    with pytest.raises(ShapeError, match=r"places must be 0..99; got 100"):
        file.select(np.array([0, 100]))
    with pytest.raises(ShapeError, match="there are 100 instances; got 99 and 2 more"):
        file.all().read(99, 2)
