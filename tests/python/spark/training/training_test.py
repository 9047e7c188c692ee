# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Where trainings run."""

from __future__ import annotations

import logging
import pathlib
import sys
import warnings
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark import training  # noqa: E402
from mlp.spark.training.request import FitRequest, FitResult  # noqa: E402

REQUEST = FitRequest("classification", {"layers": "4,5,3"})
ADAM = replace(REQUEST, params=REQUEST.params | {"solver": "adam"})


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


def replace_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has trainings on 12 slots return their names."""
    monkeypatch.setattr(training, "count_slots", lambda session: 12)
    monkeypatch.setattr(
        training, "train_one_task", lambda rows, all, is_stored: [FitResult("one task")] * len(all)
    )
    for name in ("barrier", "jobs"):
        monkeypatch.setattr(
            training, f"train_{name}",
            lambda rows, one, name=name: FitResult(f"{name} of {one.num_workers}"),
        )


@pytest.mark.parametrize("master, is_dynamic, request_, expected", [
    ("local[8]", False, REQUEST, "one task"),
    ("local", True, REQUEST, "one task"),
    ("local[8]", False, replace(REQUEST, num_workers=3), "barrier of 3"),
    ("spark://host", False, REQUEST, "barrier of 12"),
    ("local-cluster[2,1,1024]", False, REQUEST, "barrier of 12"),
    ("yarn", False, replace(REQUEST, num_workers=1), "one task"),
    ("yarn", True, REQUEST, "jobs of 12"),
    ("yarn", True, ADAM, "one task"),
    ("yarn", False, ADAM, "barrier of 12"),
    ("yarn", True, replace(REQUEST, num_workers=1), "one task"),
])
def test_chooses_by_the_cluster_and_the_request(
    master: str, is_dynamic: bool, request_: FitRequest, expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replace_trainings(monkeypatch)
    monkeypatch.setattr(training, "has_plugin", lambda: True)
    rows: Any = Rows(Session(master, is_dynamic))

    assert training.train(rows, request_).model == expected


@pytest.mark.parametrize("master, is_dynamic, request_, expected, num_warnings", [
    ("yarn", False, REQUEST, "one task", 1),
    ("yarn", False, ADAM, "one task", 1),
    ("yarn", False, replace(REQUEST, num_workers=4), "one task", 1),
    ("local[8]", False, replace(REQUEST, num_workers=4), "one task", 1),
    ("yarn", False, replace(REQUEST, num_workers=1), "one task", 0),
    ("local[8]", False, REQUEST, "one task", 0),
    ("yarn", True, REQUEST, "jobs of 12", 0),
    ("yarn", False, replace(REQUEST, num_workers=0), "barrier of 0", 0),
])
def test_one_task_trains_with_a_warning_where_there_is_no_gloo(
    master: str, is_dynamic: bool, request_: FitRequest, expected: str, num_warnings: int,
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    replace_trainings(monkeypatch)
    monkeypatch.setattr(training.group, "plugin_file", lambda: tmp_path / "libmlp_gloo.so")
    rows: Any = Rows(Session(master, is_dynamic))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = training.train_all(rows, [request_, request_])

    assert [result.model for result in results] == [expected] * 2
    assert [warning.category for warning in caught] == [RuntimeWarning] * num_warnings
    for warning in caught:
        number = request_.num_workers or 12
        assert str(warning.message) == (
            f"one task trains instead of {number}, and holds all rows: tasks sum over Gloo, "
            "which this build of the package spark-mlp does not have (there is no file "
            f"{tmp_path}/libmlp_gloo.so); install the wheel that scripts/build-wheels builds, "
            "or set numWorkers=1 to train in one task without this warning"
        )


def test_says_why_one_task_trains_with_dynamic_allocation(caplog: pytest.LogCaptureFixture) -> None:
    session: Any = Session("yarn", True)

    with caplog.at_level(logging.WARNING):
        assert training.choose_workers(session, ADAM) == 1
    assert "spark.dynamicAllocation.enabled=true" in caplog.text


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
