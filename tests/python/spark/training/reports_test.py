# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Iterations that tasks report to the driver."""

from __future__ import annotations

import socket
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp import Iteration  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402
from mlp.spark.training.attendance import Task  # noqa: E402
from mlp.spark.training import reports  # noqa: E402
from mlp.spark.training.reports import (  # noqa: E402
    Listener,
    Recipient,
    Reporter,
    listen,
    report_to,
)
from pyspark import TaskContext  # noqa: E402

from spark.frames import iris_frame  # noqa: E402

SECRET = b"s" * 32
HOST = "127.0.0.1"
# Nothing waits for a driver that cannot be reached.
AT_ONCE_SECONDS = 5.0


def iteration(number: int) -> Iteration:
    return Iteration(number, 1.0 / (number + 1), 1.0, number + 1, None)


def test_the_driver_gets_all_iterations_in_order() -> None:
    received: list[tuple[int, Iteration]] = []

    def on_iterations(number: int, iterations: Any) -> None:
        received.extend((number, each) for each in iterations)

    with Listener(HOST, SECRET, on_iterations) as listener:
        listener.start()
        reporter = Reporter(Recipient(HOST, listener.port, SECRET), Task(0, 7))
        for number in range(5000):
            reporter.add(3, iteration(number))
        reporter.close()

    assert received == [(3, iteration(number)) for number in range(5000)]


def test_a_task_with_another_secret_reports_nothing() -> None:
    received: list[Any] = []
    with Listener(HOST, SECRET, lambda number, iterations: received.append(number)) as listener:
        listener.start()
        reporter = Reporter(Recipient(HOST, listener.port, b"t" * 32), Task(0, 7))
        reporter.add(0, iteration(0))
        reporter.close()

    assert received == []


def test_the_exception_of_the_function_is_raised_at_the_end() -> None:
    def fail(number: int, iterations: Any) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        with Listener(HOST, SECRET, fail) as listener:
            listener.start()
            reporter = Reporter(Recipient(HOST, listener.port, SECRET), Task(0, 7))
            reporter.add(0, iteration(0))
            reporter.close()


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10.0
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


@pytest.mark.parametrize("second, expected", [(1, [1, 0]), (0, [0])])
def test_a_task_reports_after_that_of_another_training_came_but_no_earlier_attempt(
    second: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = iter((7, 8))
    context = types.SimpleNamespace(taskAttemptId=lambda: next(attempts))
    monkeypatch.setattr(TaskContext, "get", lambda: context)
    received: list[int] = []

    with Listener(HOST, SECRET, lambda number, iterations: received.append(number)) as listener:
        listener.start()
        recipient = (HOST, listener.port, SECRET)
        with report_to(recipient, 0) as report:
            wait_for(lambda: len(listener._newest) == 1)
            earlier = listener._newest[0]
            with report_to(recipient, second) as report_second:
                report_second(second)(iteration(0))
                wait_for(lambda: received == [second])
            assert (listener._newest[0] is earlier) == (second == 1)
            report(0)(iteration(1))

    assert received == expected


@pytest.mark.parametrize("fails", [False, True])
def test_a_function_that_never_returns_does_not_hang_the_fit(
    fails: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reports, "SECONDS_TO_PASS_ON", 0.1)
    monkeypatch.setattr(reports, "SECONDS_TO_STOP", 0.1)
    is_called, is_over, calls = threading.Event(), threading.Event(), []

    def block(number: int, iterations: Any) -> None:
        calls.append(number)
        is_called.set()
        is_over.wait(60.0)

    listener = Listener(HOST, SECRET, block)
    try:
        with listener:
            listener.start()
            reporter = Reporter(Recipient(HOST, listener.port, SECRET), Task(0, 7))
            reporter.add(0, iteration(0))
            assert is_called.wait(10.0)
            reporter.add(1, iteration(0))
            reporter.close()
            if fails:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert fails
    is_over.set()
    listener._thread.join(10.0)

    assert not listener._thread.is_alive() and calls == [0]
    assert ("the last iterations are not reported" in caplog.text) == (not fails)


def test_a_thread_that_does_not_start_hides_no_exception(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        with Listener(HOST, SECRET, lambda number, iterations: None) as listener:
            listener.start()
    assert listener._listener.fileno() == -1


def test_a_driver_that_cannot_listen_trains_without_reports(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    session: Any = types.SimpleNamespace(sparkContext=object())
    monkeypatch.setattr(reports, "driver_addresses", lambda session: (HOST, "192.0.2.1"))

    with listen(session, lambda number, iterations: None) as recipient:
        assert recipient is None
    assert "iterations are not reported: the driver cannot listen at 192.0.2.1" in caplog.text


def test_a_driver_that_is_not_there_costs_nothing() -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
    start = time.monotonic()

    reporter = Reporter(Recipient(HOST, port, SECRET), Task(0, 7))
    reporter.add(0, iteration(0))
    reporter.close()

    assert time.monotonic() - start < AT_ONCE_SECONDS


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_fit_calls_a_function_after_each_iteration(num_workers: int, session: Any) -> None:
    if num_workers == 2:
        pytest.importorskip("mlp.spark.training.group").has_plugin() or pytest.skip("no Gloo")
    seen: list[Iteration] = []
    estimator = MultilayerPerceptronClassifier(
        layers=[4, 5, 3], maxIter=12, seed=1, numWorkers=num_workers
    ).setOnIteration(seen.append)

    model = estimator.fit(iris_frame(session, [75, 75]))

    assert [each.objective for each in seen] == list(model.objectiveHistory)
    assert [each.iteration for each in seen] == list(range(13))
