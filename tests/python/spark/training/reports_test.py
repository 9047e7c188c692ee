# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Iterations that tasks report to the driver."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp import Iteration  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402
from mlp.spark.training.attendance import Task  # noqa: E402
from mlp.spark.training.reports import Listener, Recipient, Reporter  # noqa: E402

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
