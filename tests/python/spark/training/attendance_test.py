# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that cannot meet; meeting_test.py has those that do."""

import platform
import socket
import threading
import time

import pytest

pytest.importorskip("pyspark")
from mlp.errors import CommunicationError  # noqa: E402
from mlp.spark.training.attendance import Attendance, Task, attend  # noqa: E402


def test_names_the_host_that_cannot_reach_the_driver() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(CommunicationError) as caught:
        with attend(("127.0.0.1", port), bytes(32), 2, Task(0, 0), 5.0):
            pass
    for text in (platform.node(), f"127.0.0.1, port {port}", "numWorkers=1"):
        assert text in str(caught.value)


def test_an_exchange_has_a_deadline() -> None:
    own, other = socket.socketpair()
    start = time.monotonic()

    with own, other, pytest.raises(CommunicationError, match="did not join within 0.2 s"):
        Attendance(own, 1, 2, 0.2).exchange(b"")
    assert time.monotonic() - start < 10


def test_an_exchange_ends_with_the_driver() -> None:
    own, other = socket.socketpair()
    threading.Timer(0.1, other.close).start()

    with own, pytest.raises(CommunicationError, match="rank 1: the driver"):
        Attendance(own, 1, 2, 30.0).exchange(b"")
