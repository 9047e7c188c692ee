# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark's settings say of the memory of a task, and what is left of it.

Python runs beside the JVM of an executor. With ``spark.executor.pyspark.memory`` Spark limits
the address space of each of its processes. Without it, YARN and Kubernetes end an executor
whose Python takes more than the overhead of its container. What the machine and the control
group leave is a limit everywhere.
"""
from __future__ import annotations

import contextlib
import logging
import math
import resource
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .... import _core
from ....errors import ResourceError
from ..cluster import (
    count_executors,
    count_slots,
    executors_of_host,
    is_local,
    size_in_bytes,
    slots_of_executor,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "TaskMemory", "memory_left", "naming_setting", "read_task_memory", "require_memory",
    "trainings_at_once", "warn_of_memory",
]

LOGGER = logging.getLogger("mlp.spark")

PYSPARK_MEMORY = "spark.executor.pyspark.memory"
OVERHEAD = "spark.executor.memoryOverhead"
# The masters that end an executor which takes more memory than its container.
CONTAINERS = ("yarn", "k8s://")
# Spark's least overhead of a container without the setting; a setting itself in Spark 4.
LEAST_OVERHEAD = "384m"
OVERHEAD_FACTORS = ("spark.executor.memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor")
OVERHEAD_FACTOR = "0.1"
# What Python takes with NumPy, pyarrow and this package: memory, and address space. pyarrow
# reserves more addresses than it uses.
PYTHON_BYTES = 0.3e9
PYTHON_ADDRESSES = 1.6e9
MEBIBYTE = 1 << 20


class TaskMemory(NamedTuple):
    """The memory that settings give a task; of built-in types, for `make_worker`."""

    num_tasks: int = 1
    """Of a machine at the same time."""
    num_bytes: float | None = None
    """Of the Python of each of them; None if no setting says it."""
    setting: str = ""
    """The one that says it."""
    divisor: int = 1
    """By which Spark, or the tasks, divide the setting."""


class MemoryLeft(NamedTuple):
    """The memory that this task can still get."""

    num_bytes: float
    limit: str
    """What limits it, for messages."""
    is_enforced: bool
    """Whether an allocation above it fails, as one above ``ulimit -v`` does."""
    hint: str
    """What raises it."""


def read_task_memory(session: SparkSession, num_tasks: int) -> TaskMemory:
    """Returns what the settings give each task of a training.

    All slots of an executor share its memory, as Spark itself divides
    ``spark.executor.pyspark.memory`` by the cores: other trainings and other jobs may run in
    them. Settings that a server does not tell, or that are no sizes, say nothing.

    Parameters
    ----------
    num_tasks : int
        Those of all trainings that this driver runs at the same time. In local mode, where
        most slots have no task while one trains with all threads, they share the memory.
    """
    try:
        return memory_of_settings(session, num_tasks)
    except Exception as error:
        LOGGER.info("the settings do not say how much memory a task has: %s", error)
        return TaskMemory(num_tasks)


def memory_of_settings(session: SparkSession, num_tasks: int) -> TaskMemory:
    conf = session.conf
    slots = count_slots(session)
    if is_local(session):
        num_tasks = of_executor = min(num_tasks, slots or num_tasks)
    else:
        share = math.ceil((slots or 1) / count_executors(session))
        of_executor = slots_of_executor(session, share)
        num_tasks = of_executor * executors_of_host(session)
    pyspark = conf.get(PYSPARK_MEMORY, "")
    if pyspark:
        # Spark divides it by the cores, also where a task has several.
        cores = max(1, int(conf.get("spark.executor.cores", "1") or "1"))
        return TaskMemory(num_tasks, size_in_bytes(pyspark) / cores, PYSPARK_MEMORY, cores)
    if (conf.get("spark.master", "") or "").startswith(CONTAINERS):
        given = overhead_bytes(session) / of_executor
        return TaskMemory(num_tasks, given, OVERHEAD, of_executor)
    return TaskMemory(num_tasks)


def overhead_bytes(session: SparkSession) -> float:
    """Returns the memory of a container beside the heap of its JVM, as Spark computes it."""
    conf = session.conf
    overhead = conf.get(OVERHEAD, "")
    if overhead:
        return size_in_bytes(overhead)
    given = [conf.get(name, "") for name in OVERHEAD_FACTORS]
    factor = float(next(filter(None, given), OVERHEAD_FACTOR))
    heap = size_in_bytes(conf.get("spark.executor.memory", "1g"))
    least = conf.get("spark.executor.minMemoryOverhead", LEAST_OVERHEAD)
    return max(size_in_bytes(least), factor * heap)


def memory_left(memory: TaskMemory) -> MemoryLeft:
    """Returns the least of what the settings, the control group and the machine leave."""
    num_bytes, limit, is_own = _core.share_memory(memory.num_tasks)
    hint = "use machines with more memory, or train on more of them by numWorkers"
    if is_own:
        hint = "raise 'ulimit -v'"
    if is_own and memory.setting == PYSPARK_MEMORY:
        limit, hint = f"limit by {PYSPARK_MEMORY}", f"raise {PYSPARK_MEMORY}"
    if memory.num_bytes is not None:
        granted = max(0.0, memory.num_bytes - resident_bytes())
        if granted < num_bytes:
            limit = f"what {memory.setting} gives each task of an executor"
            return MemoryLeft(granted, limit, False, f"raise {memory.setting}")
    return MemoryLeft(num_bytes, limit, is_own, hint)


def resident_bytes() -> float:
    """Returns the memory that this process has."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return float(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return 0.0


def allowed_bytes(left: MemoryLeft) -> float:
    """Returns the memory that the rows of a task may take.

    A few rows stay in memory where nothing enforces the limit: all tasks of an executor
    seldom take their memory at the same time.
    """
    allowed = _core.memory_for_data(left.num_bytes)
    return allowed if left.is_enforced else max(allowed, _core.least_checked_bytes)


@contextlib.contextmanager
def naming_setting(memory: TaskMemory | None) -> Iterator[None]:
    """Raises an error that names the setting of Spark, where the memory of a task ends.

    Raises
    ------
    ResourceError
        In place of a MemoryError of Python, NumPy, pyarrow or the library.
    """
    try:
        yield
    except MemoryError as error:
        left = memory_left(memory or TaskMemory())
        raise ResourceError(
            f"the memory of a task ended ({left.limit}): {error}; {left.hint}, or make the batches "
            "of rows smaller by spark.sql.execution.arrow.maxRecordsPerBatch"
        ) from error


def require_memory(
    settings: Sequence[_core.Settings], left: MemoryLeft, num_stored: int = 0
) -> None:
    """Refuses trainings that a process cannot have the memory for, before they take any.

    Parameters
    ----------
    num_stored : int
        The rows that are in a file; 0 before rows are read, and if they are in memory.

    The library compares the same number with the machine, the control group and the address
    space, but knows no setting of Spark.

    Raises
    ------
    ResourceError
        With both sizes, and the setting of Spark that gives more.
    """
    beside = _core.memory_beside_file(num_stored) if num_stored else 0.0
    needed, sentence = max(_core.training_memory(each, num_stored) for each in settings)
    if needed < _core.least_checked_bytes or needed + beside <= left.num_bytes:
        return
    rows = f", and {size_text(beside)} for rows that are kept in a file" if num_stored else ""
    raise ResourceError(
        f"training needs {sentence} in a task{rows}; {size_text(left.num_bytes)} are left "
        f"({left.limit}); {left.hint}"
    )


def trainings_at_once(
    settings: Sequence[_core.Settings], left: MemoryLeft, copied_bytes: float
) -> int:
    """Returns how many trainings of a task may run at the same time; at least 1.

    Parameters
    ----------
    copied_bytes : float
        Of the rows; each training has a copy of them.
    """
    needed = copied_bytes + max(_core.training_memory(each, 0)[0] for each in settings)
    # As for one training, nothing is asked below this.
    if needed * len(settings) < _core.least_checked_bytes:
        return len(settings)
    return max(1, min(len(settings), int(left.num_bytes // max(1.0, needed))))


def warn_of_memory(settings: Sequence[_core.Settings], memory: TaskMemory) -> None:
    """Warns, before a job begins, of a setting that gives less than a training takes."""
    training, sentence = max(_core.training_memory(each, 0) for each in settings)
    of_python = PYTHON_ADDRESSES if memory.setting == PYSPARK_MEMORY else PYTHON_BYTES
    needed = training + of_python
    given = math.inf if memory.num_bytes is None else memory.num_bytes
    if training < _core.least_checked_bytes or needed <= given:
        return
    suggested = math.ceil(needed * memory.divisor / MEBIBYTE)
    LOGGER.warning(
        "a training needs %s in its task, and %s for Python, beside its rows; %s gives each task "
        "of an executor %s: set it to at least %dm", sentence, size_text(of_python),
        memory.setting, size_text(given), suggested,
    )


def size_text(num_bytes: float) -> str:
    return _core.format_bytes(num_bytes)
