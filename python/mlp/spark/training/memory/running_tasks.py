# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks of the trainings that a driver runs at the same time."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

__all__ = ["RUNNING", "TaskCount"]


class TaskCount:
    """Counts tasks. Threads may add theirs at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    @contextlib.contextmanager
    def add(self, num_tasks: int) -> Iterator[int]:
        """Counts tasks while the block runs; yields the number of all that run then."""
        with self._lock:
            self._count += num_tasks
            at_once = self._count
        try:
            yield at_once
        finally:
            with self._lock:
                self._count -= num_tasks


# A driver has one context of Spark, whose executors its trainings share.
RUNNING = TaskCount()
