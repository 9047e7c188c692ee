# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of Spark that reply, and Ctrl-C."""

import os
import signal
import threading
import time
import types
from collections.abc import Iterable
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.worker import (  # noqa: E402
    DESCRIPTION,
    TaskLost,
    collect,
    describe,
    first_line,
    is_lost,
    tags_of,
)


def keep(batches: Iterable[Any]) -> Iterable[Any]:
    """Gives a reply."""
    import pyarrow

    for _ in batches:
        pass
    row = {"number": 0, "kind": "none", "text": "", "payload": b""}
    batch = pyarrow.RecordBatch.from_pylist([row])
    yield batch.set_column(0, "number", batch.column(0).cast(pyarrow.int32()))


# A task that is cancelled ends after spark.python.task.killTimeout, which is 2 s.
MAX_SECONDS = 20.0


def test_ctrl_c_cancels_the_job(session: Any) -> None:
    def wait(batches: Iterable[Any]) -> Iterable[Any]:
        time.sleep(600)
        return batches

    tracker = session.sparkContext.statusTracker()

    def interrupt() -> None:
        while not tracker.getActiveJobsIds():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        collect(session.range(2), wait)
    thread.join()

    end = time.monotonic() + MAX_SECONDS
    while tracker.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.05)
    assert tracker.getActiveJobsIds() == []


def test_what_python_raises_in_a_task_is_no_lost_task(session: Any) -> None:
    def fail(batches: Iterable[Any]) -> Iterable[Any]:
        raise KeyError("no such column")

    with pytest.raises(Exception, match="no such column") as caught:
        collect(session.range(2), fail)
    assert not isinstance(caught.value, TaskLost)


def test_what_spark_raises_in_a_task_is_no_lost_task(session: Any) -> None:
    rows = session.range(2).selectExpr("raise_error('bad row') AS id")

    with pytest.raises(Exception, match="bad row") as caught:
        collect(rows, keep)
    assert not isinstance(caught.value, TaskLost)


@pytest.mark.parametrize("text, expected", [
    ("Job aborted due to stage failure: ExecutorLostFailure (executor 1 exited)", True),
    ("stage failure: org.apache.spark.SparkException: Python worker exited unexpectedly", True),
    ("stage failure: FetchFailed(null, shuffleId=0, mapIndex=-1)", True),
    ("A shuffle map stage with indeterminate output was failed and retried.", True),
    ("stage failure: Total size of serialized results is bigger than", False),
    ("stage failure: Traceback (most recent call last): exited unexpectedly", False),
])
def test_a_lost_task_is_known_by_the_reason_of_spark(text: str, expected: bool) -> None:
    assert is_lost(text) == expected


def test_the_reason_of_a_lost_task_has_no_stack_trace() -> None:
    error = RuntimeError(
        "An error occurred while calling o1.\n: org.apache.spark.SparkException: Job aborted\n"
        "ExecutorLostFailure (executor 0)\n\tat java.lang.Thread.run(Thread.java:840)"
    )

    assert first_line(error) == (
        "org.apache.spark.SparkException: Job aborted ExecutorLostFailure (executor 0)"
    )


def test_spark_shows_what_a_job_trains(session: Any) -> None:
    context = session.sparkContext

    def run(number: int) -> None:
        collect(session.range(1), keep, description=f"train {number}")

    run(1)
    context.setJobDescription("of the user")
    run(2)
    context.setJobDescription(None)

    statuses = context._jsc.sc().statusStore().jobsList(None)
    jobs = [statuses.apply(number) for number in range(statuses.size())]
    found = [job.description().get() for job in jobs if job.description().isDefined()]
    assert "train 1" in found and "of the user" in found and "train 2" not in found


class OldContext:
    """What is used of the context of PySpark 3.4, which has no tags."""

    def __init__(self, description: str | None) -> None:
        self.properties = {DESCRIPTION: description}

    def getLocalProperty(self, name: str) -> str | None:
        return self.properties.get(name)

    def setLocalProperty(self, name: str, value: str) -> None:
        self.properties[name] = value

    def setJobGroup(self, group: str, description: str) -> None:
        self.properties |= {"group": group, DESCRIPTION: description}

    def cancelJobGroup(self, group: str) -> None:
        """Nothing runs."""


@pytest.mark.parametrize("user, own, described, grouped", [
    (None, "", None, "mlp.spark"), (None, "train", "train", "train"),
    ("search", "train", "search", "search"), ("search", "", "search", "search"),
])
def test_a_job_keeps_its_description_in_a_group(
    user: str | None, own: str, described: str | None, grouped: str
) -> None:
    context = OldContext(user)
    session: Any = types.SimpleNamespace(sparkContext=context)

    describe(session, own)
    assert context.getLocalProperty(DESCRIPTION) == described
    add_tag, _ = tags_of(session)
    add_tag("mlp-1")
    assert context.properties == {"group": "mlp-1", DESCRIPTION: grouped}
