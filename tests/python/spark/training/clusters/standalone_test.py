# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on a standalone cluster, with two cores a task and fair pools."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.group import plugin_file  # noqa: E402

from spark.training.clusters.programs import run_program  # noqa: E402

ROUNDING = 1e-9
# The program takes a minute or two.
MAX_SECONDS = 400
# A fit of one task takes half a second, one of two tasks one; on a machine that compiles,
# up to ten times that. A fit waits ten seconds for a taken slot, and the slot is taken for a
# minute.
FIT_SECONDS = 10.0
HELD_SECONDS = 30.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not plugin_file().exists(), reason="this build has no plugin for Gloo"),
]


@pytest.fixture(scope="module")
def report() -> Any:
    return run_program("standalone_program.py", timeout=MAX_SECONDS)


def test_tasks_of_two_cores_have_one_slot_a_worker(report: Any) -> None:
    (first, size), (second, _) = report["processes"]

    assert size == 2 and first != second
    assert report["num_tasks"] == 8


def test_has_the_history_of_one_task(report: Any) -> None:
    assert report["pair"]["size"] == 21
    assert report["pair"]["difference"] < ROUNDING


def test_two_fits_in_fair_pools_do_not_wait_for_each_other(report: Any) -> None:
    assert report["pools"]["count"] == 2
    assert report["pools"]["seconds"] < 2 * FIT_SECONDS


def test_two_tasks_share_trainings(report: Any) -> None:
    assert report["shared"] == 5


def test_a_slot_that_another_job_holds_does_not_stall_a_fit(report: Any) -> None:
    held = report["held"]

    assert held["seconds"]["chosen"] < FIT_SECONDS
    assert held["seconds"]["pair"] < HELD_SECONDS
    assert "1 of the 2 slots of a job are free" in held["log"]
