# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The service in the driver at which the tasks of a job meet.

A task connects when it starts, and proves that it knows the secret of its job. Once all have
come, they exchange their addresses. The connections stay open until the training ends, so
that the driver notices at once if a task is lost.
"""
from __future__ import annotations

import contextlib
import errno
import hmac
import json
import resource
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import CommunicationError, ResourceError
from .frames import (
    END,
    FAILURE,
    GATHER,
    NONCE_BYTES,
    PROOF_BYTES,
    Role,
    make_frame,
    proof_of,
    take_frames,
)
from .worker import TaskLost

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Connection", "Incomplete", "Meeting"]

# A connection that proves nothing may not send more than this.
MAX_JOIN_BYTES = 4096
MAX_BYTES = 1 << 20
SECONDS_BETWEEN_CHECKS = 0.1
SECONDS_TO_SEND = 10.0
# Spark tells the driver the result of a task that has ended within this time.
SECONDS_TO_REPLY = 5.0
# A host that vanishes sends nothing: idle seconds, seconds between probes, and their number.
KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


class Incomplete(CommunicationError):
    """Some tasks have not come: the cluster has no slots for them."""

    def __init__(self, num_came: int, size: int, seconds: float) -> None:
        super().__init__(f"{num_came} of {size} tasks started; the others did not within "
                         f"{seconds:g} s of the last one")
        self.num_came = num_came


class Connection:
    """A connection of a task, and the bytes that it has sent so far."""

    def __init__(self, stream: socket.socket, host: str) -> None:
        self.stream = stream
        self.host = host
        self.nonce = secrets.token_bytes(NONCE_BYTES)
        self.rank: int | None = None
        self.has_ended = False
        self._received = bytearray()

    def read(self) -> list[bytes]:
        """Returns the frames that are complete now.

        Raises
        ------
        OSError, EOFError, ValueError
            If the connection is to be closed.
        """
        data = self.stream.recv(1 << 16)
        if not data:
            raise EOFError
        self._received += data
        return take_frames(self._received, MAX_JOIN_BYTES if self.rank is None else MAX_BYTES)

    def send(self, data: bytes) -> None:
        self.stream.sendall(make_frame(data))


class Meeting:
    """Where the tasks of one job meet. A thread serves them until the end of a ``with``.

    Parameters
    ----------
    address : str
        Where the driver listens; the system chooses the port.
    size : int
        The number of tasks.
    secret : bytes
        What the tasks know.
    seconds_to_gather : float
        How long the tasks that have come wait for one more.
    """

    def __init__(self, address: str, size: int, secret: bytes, seconds_to_gather: float) -> None:
        family = socket.getaddrinfo(address, 0, type=socket.SOCK_STREAM)[0][0]
        self._listener = socket.create_server((address, 0), family=family, backlog=2 * size + 8)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._size = size
        self._secret = secret
        self._seconds_to_gather = seconds_to_gather
        self._selector = selectors.DefaultSelector()
        self._members: dict[int, Connection] = {}
        self._gathered: dict[int, bytes] = {}
        self._last_arrival = 0.0
        self._is_complete = False
        self._unheard: tuple[int, float] | None = None
        self._is_closed = threading.Event()
        self._report: Callable[[BaseException], None] | None = None
        self._on_complete: Callable[[], None] = lambda: None
        self._kill: Callable[[int], None] = lambda task_id: None

    def watch(
        self, report: Callable[[BaseException], None], on_complete: Callable[[], None],
        kill: Callable[[int], None],
    ) -> None:
        """Starts to serve.

        Parameters
        ----------
        report : callable
            Gets, at most once, the reason why the job cannot go on.
        on_complete : callable
            Is called when all tasks have come.
        kill : callable
            Ends an attempt of a task, by its number: a copy of one that runs.
        """
        self._report, self._on_complete, self._kill = report, on_complete, kill
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_closed.set()
        if self._report is None:
            self._close()

    def _serve(self) -> None:
        try:
            self._selector.register(self._listener, selectors.EVENT_READ)
            while not self._is_closed.is_set():
                self._serve_ready(SECONDS_BETWEEN_CHECKS)
                self._check_time()
        except Exception as error:
            self._fail(CommunicationError(f"the meeting of the tasks failed: {error!r}"))
        finally:
            self._close()

    def _serve_ready(self, seconds: float) -> bool:
        """Serves the connections that send something within the time; false without any."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if key.data is None:
                self._accept()
            else:
                self._read(key.data)
        return len(ready) > 0

    def _close(self) -> None:
        for key in list((self._selector.get_map() or {}).values()):
            with contextlib.suppress(OSError):
                key.fileobj.close()  # type: ignore[union-attr]
        self._listener.close()
        self._selector.close()

    def _fail(self, error: BaseException) -> None:
        if self._report is not None and not self._is_closed.is_set():
            self._report(error)
        self._is_closed.set()

    def _accept(self) -> None:
        try:
            stream, address = self._listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._miss_connection(error)
            return
        with contextlib.suppress(OSError):
            stream.settimeout(SECONDS_TO_SEND)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in KEEP_ALIVE.items():
                if hasattr(socket, name):
                    stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
            connection = Connection(stream, address[0])
            self._selector.register(stream, selectors.EVENT_READ, connection)
            connection.send(connection.nonce)

    def _miss_connection(self, error: OSError) -> None:
        """Ends the meeting for a task that cannot come; copies of tasks may stay away."""
        if self._is_complete:
            self._selector.unregister(self._listener)
        else:
            self._fail(no_descriptors(self._size, error))

    def _read(self, connection: Connection) -> None:
        try:
            for frame in connection.read():
                if connection.rank is None:
                    self._admit(connection, frame)
                else:
                    self._handle(connection, connection.rank, frame)
        except (OSError, EOFError, ValueError):
            self._drop(connection)

    def _prove(self, connection: Connection, frame: bytes) -> tuple[int, int]:
        """Returns the rank and the attempt of a task that proves to know the secret."""
        nonce, rest = frame[:NONCE_BYTES], frame[NONCE_BYTES:]
        proof, data = rest[:PROOF_BYTES], rest[PROOF_BYTES:]
        expected = proof_of(self._secret, Role.TASK, connection.nonce, nonce, data)
        if not hmac.compare_digest(proof, expected):
            raise ValueError("the secret is wrong")
        rank, task_id = json.loads(data)
        return rank, task_id

    def _admit(self, connection: Connection, frame: bytes) -> None:
        """Takes a task that knows the secret, unless an attempt of it is here."""
        rank, task_id = self._prove(connection, frame)
        nonce = frame[:NONCE_BYTES]
        other = self._members.get(rank)
        if other is None:
            connection.rank = rank
            self._members[rank] = connection
            self._last_arrival = time.monotonic()
            connection.send(proof_of(self._secret, Role.SERVICE, connection.nonce, nonce, b""))
        elif other.has_ended:
            self._unheard = self._unheard or (rank, time.monotonic())
        else:
            self._kill(task_id)

    def _handle(self, connection: Connection, rank: int, frame: bytes) -> None:
        kind, data = frame[:1], frame[1:]
        if kind == GATHER:
            self._gathered[rank] = data
            if len(self._gathered) == self._size:
                self._answer()
        elif kind == END:
            connection.has_ended = True
        elif kind == FAILURE:
            connection.has_ended = True
            self._fail(RuntimeError(f"rank {rank} on host {connection.host} {data.decode(errors='replace')}"))

    def _answer(self) -> None:
        """Sends what all tasks have sent to each of them."""
        texts = [self._gathered[rank] for rank in range(self._size)]
        self._gathered = {}
        if not self._is_complete:
            self._is_complete = True
            self._on_complete()
        answer = b"".join(map(make_frame, texts))
        for connection in list(self._members.values()):
            try:
                connection.send(answer)
            except OSError:
                self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        """Closes a connection. A task that all know and that has not ended is lost."""
        self._forget(connection)
        if connection.rank is None or connection.has_ended:
            return
        if self._is_complete:
            self._fail(lost(connection.rank, "ended before the training did", connection.host))
            return
        del self._members[connection.rank]  # Spark may start it again
        self._gathered.pop(connection.rank, None)

    def _forget(self, connection: Connection) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(connection.stream)
        connection.stream.close()

    def _check_time(self) -> None:
        now = time.monotonic()
        if self._unheard is not None and now - self._unheard[1] > SECONDS_TO_REPLY:
            self._fail(lost(self._unheard[0], "ended, and Spark has lost its result"))
        is_waiting = not self._is_complete and len(self._members) > 0
        if is_waiting and now - self._last_arrival > self._seconds_to_gather:
            self._fail(Incomplete(len(self._members), self._size, self._seconds_to_gather))


def no_descriptors(size: int, error: OSError) -> ResourceError:
    """Returns the error of a driver that cannot take one more connection."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    hint = f"it may have {limit} open files: raise that by 'ulimit -n' before it starts"
    if error.errno == errno.ENFILE:
        hint = "its machine has no more: close files of other processes"
    return ResourceError(
        f"the driver needs a connection to each of the {size} tasks, and may not open one more: "
        f"{error.strerror}; {hint}, or set fewer workers"
    )


def lost(rank: int, what: str, host: str = "") -> TaskLost:
    where = f" on host {host}" if host else ""
    return TaskLost(f"rank {rank}{where} {what}: Spark has lost its process or its executor")
