# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The exchange of the tasks of a barrier stage."""

import threading
import time
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.errors import CommunicationError  # noqa: E402
from mlp.spark.training.barrier import BarrierStage  # noqa: E402


class Info:
    def __init__(self, address: str) -> None:
        self.address = address


class Context:
    """The second of four tasks, which all send the same."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def partitionId(self) -> int:
        return 1

    def getTaskInfos(self) -> list[Info]:
        return [Info(f"host{number}:7") for number in range(4)]

    def allGather(self, text: str) -> list[str]:
        threading.Event().wait(self.seconds)
        if text == "":
            raise ValueError("no text")
        return [text] * 4


def test_exchanges_any_bytes() -> None:
    context: Any = Context()
    stage = BarrierStage(context, 5.0)

    assert (stage.rank, stage.size) == (1, 4)
    assert stage.addresses()[3] == "host3:7"
    assert stage.exchange(b"\x00\xff") == [b"\x00\xff"] * 4


def test_an_exchange_has_a_deadline() -> None:
    context: Any = Context(seconds=30.0)
    start = time.monotonic()

    with pytest.raises(CommunicationError, match="rank 1: the other tasks did not join within 0.2"):
        BarrierStage(context, 0.2).exchange(b"any")
    assert time.monotonic() - start < 10


def test_what_spark_raises_is_raised() -> None:
    context: Any = Context()

    with pytest.raises(ValueError, match="no text"):
        BarrierStage(context, 5.0).exchange(b"")
