# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on a cluster of two executors."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.group import plugin_file  # noqa: E402

from spark.training.clusters.programs import run_program  # noqa: E402

ROUNDING = 1e-9
# A fit of one task takes half a second; on a machine that compiles, ten times that.
SMALL_FIT_SECONDS = 6.0
# A connection that closes is noticed in milliseconds.
NOTICE_SECONDS = 2.0
# The program takes one to two minutes.
MAX_SECONDS = 400

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not plugin_file().exists(), reason="this build has no plugin for Gloo"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = str(tmp_path_factory.mktemp("checkpoints"))
    return run_program("cluster_program.py", folder, timeout=MAX_SECONDS)


def test_the_ranks_are_processes_of_two_executors(report: Any) -> None:
    (first, size), (second, _) = report["processes"]

    assert size == 2
    assert first != second


def test_one_task_trains_a_small_fit(report: Any) -> None:
    small = report["small"]

    assert small["log"][0].startswith("1 of at most 2 tasks train, in about ")
    assert small["seconds"] < SMALL_FIT_SECONDS


@pytest.mark.parametrize("case", ["equal", "unequal", "empty"])
def test_has_the_history_of_one_task(case: str, report: Any) -> None:
    assert report[case]["size"] == 21
    assert report[case]["difference"] < ROUNDING


def test_more_tasks_than_slots_are_refused_with_both_numbers(report: Any) -> None:
    assert report["slots"].startswith("ParamError: numWorkers must be at most 2")
    assert "got 5" in report["slots"]


def test_a_rank_that_raises_is_the_error_of_the_driver(report: Any) -> None:
    assert report["raises"] == "MLPError: rank 1 raised ValueError: no more data"


def test_a_killed_executor_does_not_change_the_model(report: Any) -> None:
    lost = report["lost"]

    assert lost["num_killed"] == 1
    assert "attempt 1 of 3 to train on 2 tasks failed" in lost["log"][0]
    assert "lost its process or its executor" in lost["log"][0]
    assert "starts again from its last checkpoint" in lost["log"][0]
    assert sum("starts again" in line for line in lost["log"]) == 1
    assert lost["seconds_to_notice"] < NOTICE_SECONDS
    assert lost["is_same"]
    assert lost["left"] == []
