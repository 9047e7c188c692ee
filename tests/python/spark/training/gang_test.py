# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs whose tasks run at the same time, on slots that others use too."""

from __future__ import annotations

import contextlib
import logging
import pathlib
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
import mlp.spark  # noqa: E402
from mlp.spark.training import gang  # noqa: E402
from mlp.spark.training.cluster import count_free_slots  # noqa: E402
from mlp.spark.training.gang import Turns  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402
from mlp.spark.training.worker import collect  # noqa: E402

from spark.frames import iris_frame  # noqa: E402
from spark.training.several_tasks_test import REQUEST, check_same, fit  # noqa: E402

# A gang on two free slots takes half a second, and a hundred times that on a machine that
# compiles. A gang that waits for a taken slot would not end at all.
MAX_SECONDS = 120.0

pytestmark = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


@contextlib.contextmanager
def taken_slot(session: Any, folder: pathlib.Path) -> Iterator[None]:
    """Runs a job of one task until the end of the body."""

    def wait(batches: Iterable[Any]) -> Iterable[Any]:
        (folder / "runs").touch()
        while not (folder / "end").exists():
            time.sleep(0.05)
        return iter(())

    thread = threading.Thread(target=lambda: collect(session.range(0, 1, 1, 1), wait))
    thread.start()
    while not (folder / "runs").exists():
        time.sleep(0.05)
    try:
        yield
    finally:
        (folder / "end").touch()
        thread.join()


def test_a_taken_slot_is_left_alone(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(gang, "SECONDS_TO_GATHER", 0.5)
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    start = time.monotonic()

    with taken_slot(session, tmp_path), caplog.at_level(logging.WARNING):
        assert count_free_slots(session) == 1
        model = fit(rows, REQUEST)
    assert time.monotonic() - start < MAX_SECONDS
    assert "1 of the 2 slots of a job are free" in caplog.text
    assert model.total_iterations == 15


def test_an_incomplete_gang_is_submitted_again_with_the_tasks_that_came(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(gang, "SECONDS_TO_GATHER", 1.0)
    # The slot is taken after the slots were counted.
    monkeypatch.setattr(gang, "wait_for_free_slots", lambda session, size, seconds: size)
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    start = time.monotonic()

    with taken_slot(session, tmp_path), caplog.at_level(logging.WARNING):
        model = fit(rows, REQUEST)
    assert time.monotonic() - start < MAX_SECONDS
    assert (
        "1 of 2 tasks started; the others did not within 1 s of the last one; the job is "
        "submitted again with 1 tasks"
    ) in caplog.text
    assert model.total_iterations == 15


def test_a_function_of_the_user_gets_all_its_tasks_or_an_error(
    session: Any, tmp_path: pathlib.Path
) -> None:
    with taken_slot(session, tmp_path), pytest.raises(gang.Incomplete, match="1 of 2 tasks"):
        mlp.spark.run(lambda rank: rank.size, num_workers=2, timeout=1.0)

    assert mlp.spark.run(lambda rank: rank.size, num_workers=2) == [2, 2]


def test_gangs_at_the_same_time_use_the_slots_in_turn(session: Any) -> None:
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    expected = fit(rows, REQUEST).weights.tobytes()
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(fit(rows, REQUEST).weights.tobytes()))
        for _ in range(3)
    ]
    start = time.monotonic()

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start < MAX_SECONDS
    # One task would sum in another order.
    assert found == [expected] * 3
    assert not gang.TURNS.running


def test_frames_that_spark_refuses_in_barrier_stages_train(session: Any) -> None:
    frame = iris_frame(session, [50, 50, 50])

    check_same(training_rows(frame.coalesce(2), "features", "label"), REQUEST)
    check_same(training_rows(frame.union(frame), "features", "label"), REQUEST)


def test_an_attempt_that_is_ended_is_no_failure(session: Any, tmp_path: pathlib.Path) -> None:
    def work(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        if context.attemptNumber() == 0:
            (tmp_path / "part").write_text(str(context.taskAttemptId()))
            (tmp_path / "part").rename(tmp_path / "attempt")
            time.sleep(60)
        yield from ()

    def end_first() -> None:
        while not (tmp_path / "attempt").exists():
            time.sleep(0.05)
        gang.kill(session.sparkContext, int((tmp_path / "attempt").read_text()))

    thread = threading.Thread(target=end_first)
    thread.start()
    start = time.monotonic()

    # Spark fails a job in local mode at the first failure of a task.
    assert collect(session.range(0, 1, 1, 1), work) == []
    thread.join()
    assert time.monotonic() - start < MAX_SECONDS


def test_a_gang_that_has_met_lets_the_next_one_gather() -> None:
    turns, first, second = Turns(), object(), object()
    turns.begin(first)

    turns.meet(first)
    turns.begin(second)
    assert turns.running == {first}
    turns.end(second)
    turns.end(first)
    turns.meet(second)  # too late
    assert turns.running == set()
