# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The service at which tasks meet."""

from __future__ import annotations

import contextlib
import errno
import queue
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.training import meeting  # noqa: E402
from mlp.spark.training.attendance import NotAdmitted, Task, attend  # noqa: E402
from mlp.spark.training.frames import make_frame  # noqa: E402
from mlp.spark.training.meeting import Incomplete, Meeting  # noqa: E402
from mlp.spark.training.worker import TaskLost  # noqa: E402

SECRET = b"s" * 32
HOST = "127.0.0.1"
# All that happens here takes milliseconds; a busy machine takes its time.
SECONDS = 20.0


class Service:
    """A meeting that runs, and what it tells the driver."""

    def __init__(self, served: Meeting) -> None:
        self.place = (HOST, served.port)
        self.reports: queue.SimpleQueue[BaseException] = queue.SimpleQueue()
        self.complete = threading.Event()
        self.killed: queue.SimpleQueue[int] = queue.SimpleQueue()
        served.watch(self.reports.put, self.complete.set, self.killed.put)


@contextlib.contextmanager
def serve(size: int, seconds_to_gather: float = SECONDS) -> Iterator[Service]:
    with Meeting(HOST, size, SECRET, seconds_to_gather) as served:
        yield Service(served)


def join(
    service: Service, rank: int, size: int, attempt: int = 0, secret: bytes = SECRET,
    timeout: float = SECONDS,
) -> Any:
    return attend(service.place, secret, size, Task(rank, attempt), timeout)


def run_threads(*works: Any) -> list[Any]:
    """Runs functions at the same time; returns what they return or raise."""
    outcomes: list[Any] = [None] * len(works)

    def run(number: int) -> None:
        try:
            outcomes[number] = works[number]()
        except BaseException as error:
            outcomes[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def meet(service: Service, rank: int, size: int) -> Any:
    with join(service, rank, size) as task:
        return task.addresses(), task.exchange(b"from %d" % rank)


@pytest.mark.parametrize("size", [1, 3, 40])
def test_all_tasks_get_what_all_have_sent(size: int) -> None:
    with serve(size) as service:
        found = run_threads(*[lambda rank=rank: meet(service, rank, size) for rank in range(size)])

        assert service.complete.is_set()
    assert found == [(["127.0.0.1:0"] * size, [b"from %d" % rank for rank in range(size)])] * size
    assert service.reports.empty()


def test_nobody_gets_in_without_the_secret() -> None:
    with serve(1) as service:
        with pytest.raises(NotAdmitted), join(service, 0, 1, secret=b"t" * 32):
            pass
        for garbage in (b"", b"GET / HTTP/1.0\r\n\r\n", make_frame(b"x" * 100), b"\xff" * 5000):
            with socket.create_connection(service.place) as stream:
                stream.sendall(garbage)
        assert not service.complete.is_set()

        assert meet(service, 0, 1)[1] == [b"from 0"]


def test_a_task_knows_what_is_not_the_driver() -> None:
    def pretend(listener: socket.socket) -> None:
        stream, _ = listener.accept()
        with stream:
            stream.sendall(make_frame(bytes(32)))
            stream.recv(1 << 12)
            stream.sendall(make_frame(bytes(32)))

    with socket.create_server((HOST, 0)) as listener:
        threading.Thread(target=pretend, args=(listener,), daemon=True).start()
        with pytest.raises(Exception, match="is not the driver"):
            with attend(listener.getsockname(), SECRET, 1, Task(0, 0), SECONDS):
                pass


def test_tasks_that_miss_others_are_incomplete() -> None:
    with serve(3, seconds_to_gather=0.3) as service:
        start = time.monotonic()
        found = run_threads(*[lambda rank=rank: meet(service, rank, 3) for rank in (0, 2)])

        error = service.reports.get(timeout=SECONDS)
    assert isinstance(error, Incomplete)
    assert (error.num_came, str(error)) == (2, "2 of 3 tasks started; the others did not within "
                                               "0.3 s of the last one")
    assert all("the driver has ended the job" in str(outcome) for outcome in found)
    assert time.monotonic() - start < SECONDS


def test_a_task_that_goes_before_all_have_come_may_come_again() -> None:
    with serve(2) as service:
        with pytest.raises(KeyboardInterrupt), join(service, 1, 2) as task:
            task._stream.shutdown(socket.SHUT_RDWR)
            raise KeyboardInterrupt
        assert run_threads(*[lambda rank=rank: meet(service, rank, 2) for rank in (0, 1)])[0][1]

    assert service.reports.empty()


def test_a_driver_without_descriptors_names_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(listener: socket.socket) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket.socket, "accept", refuse)
    with serve(1100) as service, socket.create_connection(service.place):
        error = service.reports.get(timeout=SECONDS)
    assert isinstance(error, mlp.ResourceError)
    assert "1100 tasks, and may not open one more: Too many open files" in str(error)
    assert "'ulimit -n'" in str(error)


def test_a_lost_task_is_reported_at_once() -> None:
    def die(service: Service) -> None:
        with contextlib.suppress(OSError), join(service, 1, 2) as task:
            task.addresses()
            task._stream.close()

    def wait(service: Service) -> None:
        with join(service, 0, 2) as task:
            task.addresses()
            task.exchange(b"")

    with serve(2) as service:
        found = run_threads(lambda: die(service), lambda: wait(service))
        error = service.reports.get(timeout=SECONDS)
    assert isinstance(error, TaskLost)
    assert str(error).startswith("rank 1 on host 127.0.0.1 ended before the training did")
    assert "the driver has ended the job" in str(found[1])


def test_what_python_raises_in_a_task_is_reported_with_its_traceback() -> None:
    def fail(service: Service) -> None:
        with join(service, 0, 1) as task:
            task.addresses()
            raise MemoryError("no memory for rows")

    with serve(1) as service:
        (outcome,) = run_threads(lambda: fail(service))
        error = service.reports.get(timeout=SECONDS)
    assert isinstance(outcome, MemoryError)
    assert "rank 0 on host 127.0.0.1 raised MemoryError: no memory for rows" in str(error)
    assert "in fail" in str(error)


def test_a_copy_of_a_task_that_trains_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(1) as service:
        with join(service, 0, 1, attempt=10) as task:
            task.addresses()
            with pytest.raises(NotAdmitted, match="attempt 11 of rank 0"):
                with join(service, 0, 1, attempt=11, timeout=0.5):
                    pass
            assert task.exchange(b"still here") == [b"still here"]
        assert service.killed.get(timeout=SECONDS) == 11
    assert service.killed.empty() and service.reports.empty()


def test_a_task_that_starts_again_after_its_end_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "SECONDS_TO_REPLY", 0.2)
    with serve(1) as service:
        meet(service, 0, 1)
        with pytest.raises(NotAdmitted), join(service, 0, 1, attempt=2):
            pass

        error = service.reports.get(timeout=SECONDS)
    assert isinstance(error, TaskLost)
    assert "rank 0 ended, and Spark has lost its result" in str(error)
    assert service.killed.empty()
