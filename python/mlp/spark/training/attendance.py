# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A task at the meeting of its job, in the driver."""
from __future__ import annotations

import contextlib
import hmac
import json
import platform
import secrets
import socket
import traceback
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import CommunicationError, MLPError
from .frames import END, FAILURE, GATHER, NONCE_BYTES, Role, make_frame, proof_of, take_frames

__all__ = ["Attendance", "NotAdmitted", "Task", "attend"]

SECONDS_TO_CONNECT = 30.0
MAX_ANSWER_BYTES = 1 << 26
# Far below what the driver takes from a task.
MAX_FAILURE_BYTES = 1 << 16


class NotAdmitted(RuntimeError):
    """Another attempt of the task trains. Spark must not take this one for a success."""


class Task(NamedTuple):
    """A task of the job, and which attempt of Spark it is."""

    rank: int
    attempt: int
    """A number that no other attempt of any task has."""


class Attendance:
    """The rank of a task, and its exchanges with the others."""

    def __init__(self, stream: socket.socket, rank: int, size: int, timeout: float) -> None:
        self.rank = rank
        self.size = size
        self._stream = stream
        self._timeout = timeout
        self._received = bytearray()
        self._frames: list[bytes] = []

    def addresses(self) -> list[str]:
        """Returns "host:port" for each task, with the address from which it reaches the driver."""
        own = f"{self._stream.getsockname()[0]}:0"
        return [data.decode() for data in self.exchange(own.encode())]

    def exchange(self, data: bytes) -> list[bytes]:
        """Returns the bytes of all tasks, by rank.

        Raises
        ------
        CommunicationError
            If not all tasks come within the time, or if the driver ends the job.
        """
        try:
            self.send(GATHER + data)
        except OSError:
            raise self._ended() from None
        return take_frames(bytearray(self.receive()), MAX_ANSWER_BYTES)

    def send(self, data: bytes) -> None:
        self._stream.sendall(make_frame(data))

    def receive(self) -> bytes:
        """Returns the next frame of the driver."""
        while not self._frames:
            self._received += self._read()
            self._frames += take_frames(self._received, MAX_ANSWER_BYTES)
        return self._frames.pop(0)

    def _read(self) -> bytes:
        try:
            self._stream.settimeout(self._timeout)
            data = self._stream.recv(1 << 16)
        except socket.timeout:
            raise CommunicationError(
                f"rank {self.rank}: the other tasks did not join within {self._timeout:g} s"
            ) from None
        except ConnectionError:
            raise self._ended() from None  # it closed before it had read all
        except OSError as error:
            raise CommunicationError(f"rank {self.rank}: the driver is lost: {error}") from None
        if not data:
            raise self._ended()
        return data

    def _ended(self) -> CommunicationError:
        return CommunicationError(f"rank {self.rank}: the driver has ended the job")


@contextlib.contextmanager
def attend(
    place: tuple[str, int], secret: bytes, size: int, task: Task, timeout: float,
    replied: type[Exception] = MLPError,
) -> Iterator[Attendance]:
    """Joins the meeting of a job, and tells the driver how the body ends.

    Parameters
    ----------
    place : tuple
        The host and the port of the meeting.
    replied : type
        Exceptions that the task sends as its result: they are no failure for Spark.

    Raises
    ------
    CommunicationError
        If the driver cannot be reached.
    NotAdmitted
        If another attempt of the task is there.
    """
    with connect(place) as stream:
        attendance = Attendance(stream, task.rank, size, timeout)
        introduce(attendance, secret, task)
        ending = END
        try:
            yield attendance
        except replied:
            raise
        except BaseException as error:
            trace = traceback.format_exception(type(error), error, error.__traceback__)
            text = f"raised {type(error).__name__}: {error}\n{''.join(trace)}"
            ending = FAILURE + text.encode()[:MAX_FAILURE_BYTES]
            raise
        finally:
            with contextlib.suppress(OSError):
                attendance.send(ending)


def connect(place: tuple[str, int]) -> socket.socket:
    try:
        return socket.create_connection(place, SECONDS_TO_CONNECT)
    except OSError as error:
        host, port = place
        raise CommunicationError(
            f"host {platform.node()} cannot reach the driver at {host}, port {port}, where the "
            f"tasks of a training meet: {error}; let executors reach all ports of the driver, or "
            "set numWorkers=1"
        ) from None


def introduce(attendance: Attendance, secret: bytes, task: Task) -> None:
    """Proves to the driver that this task knows the secret, and lets the driver prove it."""
    nonce, own = attendance.receive(), secrets.token_bytes(NONCE_BYTES)
    data = json.dumps(task).encode()
    attendance.send(own + proof_of(secret, Role.TASK, nonce, own, data) + data)
    try:
        proof = attendance.receive()
    except CommunicationError as error:
        raise NotAdmitted(
            f"the driver does not take attempt {task.attempt} of rank {task.rank}: {error}"
        ) from None
    if not hmac.compare_digest(proof, proof_of(secret, Role.SERVICE, nonce, own, b"")):
        raise CommunicationError("what answers at the address of the driver is not the driver")
