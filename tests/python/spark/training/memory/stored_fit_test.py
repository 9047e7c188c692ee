# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on rows that exceed the memory of their task have the bits of those in memory."""

from __future__ import annotations

import dataclasses
import logging
import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.training import one_task, train, train_all  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402
from mlp.spark.training.memory import TaskMemory  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402

from spark.training.clusters.sine_rows import sine_frame  # noqa: E402

# Twice this is above the 64 MB that rows may always take: 36 MB in each of two tasks.
NUM_ROWS, NUM_FEATURES = 36_000, 250
LITTLE = TaskMemory(2, 1e6, "spark.executor.memoryOverhead", 2)
REQUEST = FitRequest(
    "classification", {"layers": f"{NUM_FEATURES},4,2", "maxIter": "3", "seed": "1"}, num_workers=1
)
NEEDS_GLOO = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


@pytest.fixture(scope="module")
def rows(session: Any) -> Any:
    """Rows in two partitions, which no task gets in the order of the input."""
    frame = sine_frame(session, NUM_ROWS, NUM_FEATURES, 2).selectExpr(
        "features", "label", "1 + id % 3 AS weight", "id % 10 = 0 AS held_out"
    ).cache()
    frame.count()
    yield frame
    frame.unpersist()


def fit(rows: Any, request: FitRequest) -> mlp.Model:
    return mlp.Model.from_json(train(rows, request).model)


def check_same_bits(
    rows: Any, request: FitRequest, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compares a training in memory with one that has little of it."""
    expected = fit(rows, request)
    assert "kept in a file" not in caplog.text
    monkeypatch.setattr(one_task, "read_task_memory", lambda *arguments: LITTLE)

    with caplog.at_level(logging.WARNING, "mlp.spark"):
        model = fit(rows, request)

    assert "so they are kept in a file in " in caplog.text
    assert model.weights.tobytes() == expected.weights.tobytes()
    assert model.objective_history.tobytes() == expected.objective_history.tobytes()
    assert model.validation_history.tobytes() == expected.validation_history.tobytes()
    folder = caplog.text.partition("kept in a file in ")[2].partition(" while")[0]
    assert pathlib.Path(folder).is_dir() and not list(pathlib.Path(folder).glob(".mlp*"))


@pytest.mark.parametrize("num_workers", [1, pytest.param(2, marks=NEEDS_GLOO)])
def test_full_batches(
    num_workers: int, rows: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = dataclasses.replace(REQUEST, num_workers=num_workers)

    check_same_bits(training_rows(rows, "features", "label"), request, caplog, monkeypatch)


@pytest.mark.parametrize("num_workers", [1, pytest.param(2, marks=NEEDS_GLOO)])
def test_weights_and_rows_that_only_validate(
    num_workers: int, rows: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    selected = training_rows(rows, "features", "label", "weight", "held_out")
    request = dataclasses.replace(REQUEST, num_workers=num_workers)

    check_same_bits(selected, request, caplog, monkeypatch)


def test_several_trainings_read_one_file(
    rows: Any, caplog: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    selected = training_rows(rows, "features", "label")
    requests = [
        dataclasses.replace(REQUEST, params=REQUEST.params | {"seed": seed}) for seed in "12"
    ]
    expected = [result.model for result in train_all(selected, requests)]
    monkeypatch.setattr(one_task, "read_task_memory", lambda *arguments: LITTLE)

    found = train_all(selected, requests)

    weights = [mlp.Model.from_json(text).weights.tolist() for text in expected]
    assert [mlp.Model.from_json(each.model).weights.tolist() for each in found] == weights
    assert caplog.text.count("kept in a file in ") == 1
