# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The memory of a task, and where its rows are."""
from __future__ import annotations

from .row_features import Features, RowFeatures, as_array, read_rows
from .running_tasks import RUNNING
from .task_memory import (
    TaskMemory,
    memory_left,
    naming_setting,
    read_task_memory,
    require_memory,
    trainings_at_once,
    warn_of_memory,
)

__all__ = [
    "RUNNING", "Features", "RowFeatures", "TaskMemory", "as_array", "memory_left",
    "naming_setting", "read_rows", "read_task_memory", "require_memory", "trainings_at_once",
    "warn_of_memory",
]
