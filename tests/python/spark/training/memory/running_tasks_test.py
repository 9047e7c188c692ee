# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings that a driver runs at the same time share the memory of an executor."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training import one_task, train, train_all  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402
from mlp.spark.training.memory import RUNNING, TaskMemory  # noqa: E402
from mlp.spark.training.memory.running_tasks import TaskCount  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402

from spark.frames import iris_frame  # noqa: E402

REQUEST = FitRequest("classification", {"layers": "4,3", "maxIter": "2", "seed": "1"}, num_workers=1)
NEEDS_GLOO = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


def test_counts_tasks_until_their_training_ends() -> None:
    tasks = TaskCount()

    with tasks.add(2) as first:
        with pytest.raises(ValueError):
            with tasks.add(3) as second:
                raise ValueError
        with tasks.add(1) as third:
            pass
    with tasks.add(4) as last:
        pass

    assert (first, second, third, last) == (2, 5, 3, 4)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of tasks that share the memory, one for each training that was planned."""
    found: list[int] = []

    def read(session: Any, num_tasks: int) -> TaskMemory:
        found.append(num_tasks)
        return TaskMemory(num_tasks)

    monkeypatch.setattr(one_task, "read_task_memory", read)
    return found


@pytest.mark.parametrize("num_workers", [1, pytest.param(2, marks=NEEDS_GLOO)])
def test_a_training_shares_the_memory_with_those_that_run(
    num_workers: int, session: Any, counts: list[int]
) -> None:
    rows = training_rows(iris_frame(session), "features", "label")
    request = dataclasses.replace(REQUEST, num_workers=num_workers)

    train(rows, request)
    with RUNNING.add(3):
        train(rows, request)
    train(rows, request)

    assert counts == [num_workers, num_workers + 3, num_workers]


def test_trainings_of_one_task_are_one(session: Any, counts: list[int]) -> None:
    rows = training_rows(iris_frame(session), "features", "label")

    results = train_all(rows, [REQUEST, REQUEST, REQUEST])

    assert counts == [1] and len({result.model for result in results}) == 1
