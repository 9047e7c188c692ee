# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The exchange of the tasks of a barrier stage.

Over Spark Connect, executors cannot reach the program of the user. There the tasks of a job
exchange their addresses through Spark itself, which takes a second.
"""
from __future__ import annotations

import base64
import queue
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import CommunicationError

if TYPE_CHECKING:
    from pyspark import BarrierTaskContext

__all__ = ["BarrierStage"]


class BarrierStage:
    """The rank of a task of a barrier stage, and its exchange with the others."""

    def __init__(self, context: BarrierTaskContext, timeout: float) -> None:
        self._context = context
        self._timeout = timeout
        self._hosts = [info.address for info in context.getTaskInfos()]
        self.rank = context.partitionId()
        self.size = len(self._hosts)

    def addresses(self) -> list[str]:
        """Returns "host:port" of the executor of each task."""
        return self._hosts

    def exchange(self, data: bytes) -> list[bytes]:
        """Returns the bytes of all tasks, by rank: one allGather.

        Raises
        ------
        CommunicationError
            If not all tasks come within the time.
        """
        answers: queue.SimpleQueue[Sequence[str] | BaseException] = queue.SimpleQueue()

        def gather() -> None:
            try:
                answers.put(self._context.allGather(base64.b64encode(data).decode()))
            except BaseException as error:
                answers.put(error)

        # Spark itself waits for a year.
        threading.Thread(target=gather, daemon=True).start()
        try:
            answer = answers.get(timeout=self._timeout)
        except queue.Empty:
            raise CommunicationError(
                f"rank {self.rank}: the other tasks did not join within {self._timeout:g} s; set "
                "a longer timeout if their rows take longer to load"
            ) from None
        if isinstance(answer, BaseException):
            raise answer
        return [base64.b64decode(text) for text in answer]
