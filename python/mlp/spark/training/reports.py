# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The iterations of trainings, which tasks report to the driver.

A training does not depend on its reports: if the driver cannot be reached, it goes on
without them.
"""
from __future__ import annotations

import contextlib
import json
import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._progress import Iteration
from ...errors import MLPError
from .attendance import NotAdmitted, Task, attend
from .cluster import context_of, driver_addresses
from .frames import END, NONCE_BYTES, PROGRESS, Role, proof_of
from .group import SECRET_BYTES
from .meeting import Connection, Meeting

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import SparkSession

__all__ = ["Listener", "OnIterations", "Recipient", "Reporter", "listen", "report_to"]

LOGGER = logging.getLogger("mlp.spark")
# Iterations are sent together.
SECONDS_BETWEEN_REPORTS = 0.2
ITERATIONS_PER_FRAME = 2000
# A task waits this long for its last report to be sent.
SECONDS_TO_FLUSH = 1.0
SECONDS_TO_ADMIT = 30.0
# After a training, its reports are passed on for so long; after an exception they are not.
SECONDS_TO_PASS_ON = 10.0
SECONDS_TO_STOP = 1.0

OnIterations = Callable[[int, Sequence[Iteration]], None]
"""Gets the number of a training, from 0, and its next iterations."""


class Recipient(NamedTuple):
    """Where a task reports; of built-in types, for `make_worker`."""

    host: str
    port: int
    secret: bytes


class Listener(Meeting):
    """Receives the reports of the tasks of a training. A thread calls the function.

    The tasks need not come, and may be lost. Of two attempts of a task, the last counts. The
    ranks of tasks of several jobs differ.
    """

    def __init__(self, address: str, secret: bytes, on_iterations: OnIterations) -> None:
        super().__init__(address, 1, secret, 0.0)
        self._on_iterations = on_iterations
        self._newest: dict[int, Connection] = {}
        self._failure: BaseException | None = None
        self._is_abandoned = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_abandoned = error is not None
        self._is_closed.set()
        if self._thread.ident is None:
            super()._close()  # the thread has not started
            return
        # The function of a user, or a server, may never return.
        self._thread.join(SECONDS_TO_STOP if self._is_abandoned else SECONDS_TO_PASS_ON)
        if self._thread.is_alive() and not self._is_abandoned:
            self._is_abandoned = True
            LOGGER.warning(
                "the last iterations are not reported: what gets them has not returned within "
                "%g s of the end of the training", SECONDS_TO_PASS_ON
            )
        if error is None and self._failure is not None:
            raise self._failure

    def _close(self) -> None:
        with contextlib.suppress(Exception):
            while not self._is_abandoned and self._serve_ready(0.0):
                pass  # what was sent before the job ended
        super()._close()

    def _admit(self, connection: Connection, frame: bytes) -> None:
        rank, _ = self._prove(connection, frame)
        connection.rank = rank
        self._newest[rank] = connection
        nonce = frame[:NONCE_BYTES]
        connection.send(proof_of(self._secret, Role.SERVICE, connection.nonce, nonce, b""))

    def _handle(self, connection: Connection, rank: int, frame: bytes) -> None:
        if frame[:1] == END:
            connection.has_ended = True
        if frame[:1] != PROGRESS or self._newest[rank] is not connection:
            return
        trainings: dict[int, list[Iteration]] = {}
        for number, *fields in json.loads(frame[1:]):
            trainings.setdefault(number, []).append(Iteration(*fields))
        try:
            for number, iterations in trainings.items():
                if self._failure is None and not self._is_abandoned:
                    self._on_iterations(number, iterations)
        except Exception as error:
            self._failure = error

    def _drop(self, connection: Connection) -> None:
        self._forget(connection)

    def _miss_connection(self, error: OSError) -> None:
        """Goes on with the tasks that are connected; others train all the same."""
        LOGGER.warning("the iterations of some tasks are not reported: %s", error.strerror)
        self._selector.unregister(self._listener)

    def _check_time(self) -> None:
        """Nothing is late here."""


@contextlib.contextmanager
def listen(
    session: SparkSession, on_iterations: OnIterations | None
) -> Iterator[Recipient | None]:
    """Yields where tasks report; None without a function, or where they cannot report, as over
    Spark Connect.

    An exception of the function is raised at the end.
    """
    if on_iterations is None or context_of(session) is None:
        yield None
        return
    host, address = driver_addresses(session)
    secret = secrets.token_bytes(SECRET_BYTES)
    try:
        made = Listener(address, secret, on_iterations)
    except OSError as error:
        LOGGER.warning(
            "iterations are not reported: the driver cannot listen at %s: %s", address, error
        )
        yield None
        return
    with made as listener:
        listener.start()
        yield Recipient(host, listener.port, secret)


class Reporter:
    """Sends the iterations of a task to the driver, in a thread of its own."""

    def __init__(self, recipient: Recipient, task: Task) -> None:
        self._recipient = recipient
        self._task = task
        self._pending: list[tuple[Any, ...]] = []
        self._lock = threading.Lock()
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, number: int, iteration: Iteration) -> None:
        """Adds an iteration of a training to the next report."""
        with self._lock:
            self._pending.append((number, *iteration))

    def close(self) -> None:
        """Sends the rest, if the driver can be reached."""
        self._is_closed.set()
        self._thread.join(SECONDS_TO_FLUSH)

    def _run(self) -> None:
        host, port, secret = self._recipient
        with contextlib.suppress(OSError, MLPError, NotAdmitted):
            with attend((host, port), secret, 1, self._task, SECONDS_TO_ADMIT) as attendance:
                is_last = False
                while not is_last:
                    is_last = self._is_closed.wait(SECONDS_BETWEEN_REPORTS)
                    with self._lock:
                        pending, self._pending = self._pending, []
                    for begin in range(0, len(pending), ITERATIONS_PER_FRAME):
                        part = pending[begin:begin + ITERATIONS_PER_FRAME]
                        attendance.send(PROGRESS + json.dumps(part).encode())


@contextlib.contextmanager
def report_to(
    recipient: tuple[Any, ...] | None, first: int
) -> Iterator[Callable[[int], Any]]:
    """Yields what makes the function that reports the iterations of a training, in a task.

    It makes None if nobody listens.

    Parameters
    ----------
    first : int
        The first training of the task, by which the driver tells it from the tasks of other
        jobs of the same fit, and knows another attempt of it.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    if recipient is None or context is None:
        yield lambda number: None
        return
    reporter = Reporter(Recipient(*recipient), Task(first, context.taskAttemptId()))
    try:
        yield lambda number: lambda iteration: reporter.add(number, iteration)
    finally:
        reporter.close()
