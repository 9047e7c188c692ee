# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Where trainings run."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark import training  # noqa: E402
from mlp.spark.training import cluster as cluster_module  # noqa: E402
from mlp.spark.training.request import FitRequest, FitResult  # noqa: E402
from mlp.spark.training.workers import Workers  # noqa: E402

REQUEST = FitRequest("classification", {"layers": "4,5,3"})


class Conf:
    def __init__(self, settings: dict[str, str]) -> None:
        self.settings = settings

    def get(self, name: str, default: str) -> str:
        return self.settings.get(name, default)


class Context:
    pythonExec = "python3"


class Session:
    """The settings of a session, and no cluster."""

    def __init__(self, master: str, is_dynamic: bool) -> None:
        self.sparkContext = Context()
        dynamic = "true" if is_dynamic else "false"
        self.conf = Conf({"spark.master": master, "spark.dynamicAllocation.enabled": dynamic})


class Rows:
    def __init__(self, session: Session) -> None:
        self.sparkSession = session


@pytest.mark.parametrize("num_workers, expected", [(1, "one task"), (12, "12 tasks")])
def test_trains_on_the_number_of_tasks_that_was_chosen(
    num_workers: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "choose_workers", lambda rows, requests: Workers(num_workers))
    monkeypatch.setattr(
        training, "train_one_task", lambda rows, all, *more: [FitResult("one task")] * len(all)
    )
    monkeypatch.setattr(
        training, "train_several_tasks",
        lambda rows, one, *more: FitResult(f"{one.num_workers} tasks"),
    )
    rows: Any = Rows(Session("yarn", False))

    results = training.train_all(rows, [REQUEST, REQUEST])

    assert [result.model for result in results] == [expected] * 2


@pytest.mark.parametrize("num_bytes, expected", [(2.0**27, 5), (2.0**29, 2), (None, 1)])
def test_tasks_share_trainings_if_their_memory_suffices(
    num_bytes: float | None, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def train(rows: Any, requests: Any, num_tasks: int, recipient: Any) -> list[FitResult]:
        found.append(num_tasks)
        return [FitResult("")] * len(requests)

    monkeypatch.setattr(training, "choose_workers", lambda rows, requests: Workers(1, num_bytes))
    monkeypatch.setattr(training, "train_one_task", train)
    monkeypatch.setattr(cluster_module, "count_slots", lambda session: 32)
    monkeypatch.setattr(cluster_module, "count_free_slots", lambda session: 32)
    session = Session("yarn", False)
    session.conf.settings |= {"spark.executor.memory": "2g", "spark.executor.cores": "4"}
    rows: Any = Rows(session)

    training.train_all(rows, [REQUEST] * 5)

    assert found == [expected]


def test_tasks_of_one_machine_share_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "num_threads", lambda: 8)
    session: Any = Session("local[8]", False)

    assert training.with_workers(REQUEST, session, 3).threads == 2
    assert training.with_workers(replace(REQUEST, threads=5), session, 3).threads == 5
    cluster: Any = Session("yarn", False)
    assert training.with_workers(REQUEST, cluster, 3).threads is None


@pytest.mark.parametrize("master, chosen, expected", [
    ("local[2]", None, sys.executable),
    ("local[2]", "/opt/python", "python3"),
    ("yarn", None, "python3"),
])
def test_tasks_of_local_mode_run_in_the_python_of_the_driver(
    master: str, chosen: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if chosen is not None:
        monkeypatch.setenv("PYSPARK_PYTHON", chosen)
    session = Session(master, False)

    training.use_python_of_driver(session)

    assert session.sparkContext.pythonExec == expected
