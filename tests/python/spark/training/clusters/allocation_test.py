# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings under dynamic allocation and with speculation."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.group import plugin_file  # noqa: E402

from spark.training.clusters.programs import run_program  # noqa: E402

ROUNDING = 1e-9
# The program takes a minute.
MAX_SECONDS = 300
# A fit of one task takes half a second, one of two tasks one, and the start of an executor
# about five; on a machine that compiles, up to ten times that.
ONE_TASK_SECONDS = 6.0
START_SECONDS = 60.0
SEVERAL_TASKS_SECONDS = 10.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not plugin_file().exists(), reason="this build has no plugin for Gloo"),
]


@pytest.fixture(scope="module")
def report() -> Any:
    return run_program("allocation_program.py", timeout=MAX_SECONDS)


def test_one_task_trains_small_data(report: Any) -> None:
    assert report["log"][0].startswith("1 of at most 2 tasks train, in about ")
    assert report["small_seconds"] < ONE_TASK_SECONDS


def test_several_tasks_wait_for_their_executors(report: Any) -> None:
    assert report["first_seconds"] < START_SECONDS
    assert report["pair_seconds"] < SEVERAL_TASKS_SECONDS
    assert report["two_fits_seconds"] < 2 * SEVERAL_TASKS_SECONDS
    assert report["sizes"] == [2, 2]


def test_has_the_history_of_one_task(report: Any) -> None:
    assert report["pair"]["size"] == 21
    assert report["pair"]["difference"] < ROUNDING


def test_solvers_with_mini_batches_train_too(report: Any) -> None:
    assert report["adam"]["size"] == 21


def test_nothing_starts_again(report: Any) -> None:
    assert not [line for line in report["log"] if "again" in line]
