# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Slots and settings of a cluster of Spark."""
from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from ...errors import ParamError
from .choice import Cluster

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = [
    "context_of", "count_executors", "count_free_slots", "count_slots", "driver_addresses", "has_dynamic_allocation",
    "is_local", "parallel_tasks", "read_cluster", "require_slots", "use_python_of_driver",
]

# Each rank has connections to about log2 n others.
MAX_RANKS = 1024

# The powers of two of Spark's sizes, such as 4g.
SIZE_SHIFTS = {"b": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
# Of spark.executor.memory, for the rows of a task: Python runs beside the JVM of an executor.
TASK_MEMORY = 0.5

# Executors register within this time after a start, or after one of them was lost.
SECONDS_TO_REGISTER = 60.0
SECONDS_BETWEEN_COUNTS = 0.2


def is_local(session: SparkSession) -> bool:
    """True if the tasks run on the machine of the driver, in one process of Spark."""
    master = session.conf.get("spark.master", "") or ""
    return master == "local" or master.startswith("local[")


def use_python_of_driver(session: SparkSession) -> None:
    """In local mode, has tasks run in the Python of the driver, which has this package.

    Without PYSPARK_PYTHON, PySpark runs the first ``python3`` of the PATH, which is another
    one if the environment of the driver is not activated.
    """
    from pyspark.sql.utils import is_remote

    if is_local(session) and "PYSPARK_PYTHON" not in os.environ and not is_remote():
        session.sparkContext.pythonExec = sys.executable


def has_dynamic_allocation(session: SparkSession) -> bool:
    """True if Spark adds executors when tasks wait for slots."""
    setting = session.conf.get("spark.dynamicAllocation.enabled", "false")
    return setting == "true" and not is_local(session)


def context_of(session: SparkSession) -> SparkContext | None:
    """Returns the context of a session; None over Spark Connect, which has none."""
    try:
        return session.sparkContext
    except Exception:
        return None


def driver_addresses(session: SparkSession) -> tuple[str, str]:
    """Returns the host at which tasks reach the driver, and where the driver listens."""
    if is_local(session):
        return "127.0.0.1", "127.0.0.1"
    host = session.conf.get("spark.driver.host", "127.0.0.1")
    address = session.conf.get("spark.driver.bindAddress", host)
    return host.strip("[]"), address.strip("[]")  # of IPv6


def count_slots(session: SparkSession) -> int | None:
    """Returns how many tasks run at the same time; None where Spark does not tell."""
    try:
        context = session.sparkContext._jsc.sc()
        profile = context.resourceProfileManager().defaultResourceProfile()
        return int(context.maxNumConcurrentTasks(profile))
    except Exception:
        return None


def count_executors(session: SparkSession) -> int:
    """Returns how many executors run, at least 1."""
    try:
        blocks = session.sparkContext._jsc.sc().getExecutorMemoryStatus()
        return max(1, int(blocks.size()) - 1)  # without the driver
    except Exception:  # Spark Connect has no context
        return 1


def executors_of_host(session: SparkSession) -> int:
    """Returns the most executors that run on one machine, at least 1."""
    try:
        status = session.sparkContext._jsc.sc().getExecutorMemoryStatus()
        addresses = status.keys().mkString(" ").split()
    except Exception:  # Spark Connect has no context
        return 1
    hosts = Counter(address.rpartition(":")[0] for address in addresses)
    hosts[session.conf.get("spark.driver.host", "")] -= 1  # the driver itself
    return max(1, *hosts.values())


def count_free_slots(session: SparkSession) -> int:
    """Returns how many more tasks start at once."""
    tracker = session.sparkContext.statusTracker()
    stages = map(tracker.getStageInfo, tracker.getActiveStageIds())
    # Tasks that wait take slots too, and Spark counts those that run seconds later.
    left = sum(stage.numTasks - stage.numCompletedTasks for stage in stages if stage is not None)
    return max(0, (count_slots(session) or 0) - left)


def possible_slots(session: SparkSession) -> int | None:
    """Returns the slots, with those of executors that Spark may add."""
    slots = count_slots(session)
    if slots is None or not has_dynamic_allocation(session):
        return slots
    executors = int(session.conf.get("spark.dynamicAllocation.maxExecutors", str(MAX_RANKS)))
    cores = int(session.conf.get("spark.executor.cores", "1"))
    return max(slots, executors * max(1, cores // cores_of_task(session)))


def usable_slots(session: SparkSession) -> int:
    """Returns how many tasks may train; 1 where Spark does not tell.

    Taken slots do not count, unless most of them are: then it is better to wait.
    """
    slots = possible_slots(session)
    if slots is None:
        return 1
    if not has_dynamic_allocation(session):
        free = count_free_slots(session)
        slots = free if 2 * free >= slots else slots
    return max(1, min(slots, MAX_RANKS))


def parallel_tasks(session: SparkSession, num_bytes: float | None) -> int:
    """Returns how many tasks share trainings that need one task each.

    In local mode one task does: it has all cores, and all trainings have the same rows. On a
    cluster, the tasks of an executor together hold no more than one task may.

    Parameters
    ----------
    num_bytes : float, optional
        Of all rows, which each task holds. If they are unknown, one task does.
    """
    if num_bytes is None or is_local(session):
        return 1
    cluster = read_cluster(session)
    fitting = int(cluster.task_bytes // max(1.0, num_bytes))
    if fitting >= min(cluster.max_workers, slots_of_executor(session, cluster.max_workers)):
        return cluster.max_workers
    # Spark may start all of them on one executor, for example on that with the rows.
    return max(1, fitting)


def slots_of_executor(session: SparkSession, num_slots: int) -> int:
    """Returns the tasks that one executor runs at the same time: all, if Spark does not tell."""
    cores = session.conf.get("spark.executor.cores", "")
    return max(1, int(cores) // cores_of_task(session)) if cores else num_slots


def cores_of_task(session: SparkSession) -> int:
    return int(session.conf.get("spark.task.cpus", "1"))


def read_cluster(session: SparkSession) -> Cluster:
    """Returns what the cluster gives the tasks of a training."""
    memory = size_in_bytes(session.conf.get("spark.executor.memory", "1g"))
    return Cluster(usable_slots(session), cores_of_task(session), TASK_MEMORY * memory)


def size_in_bytes(text: str) -> int:
    """Returns the bytes of a size of Spark. Without a unit it is in MiB.

    Examples
    --------
    >>> size_in_bytes("4g") == size_in_bytes("4096")
    True

    Raises
    ------
    ValueError
        For another text.
    """
    match = re.fullmatch(r"\s*(\d+)\s*([kmgtp]?)(b?)\s*", text.lower())
    if match is None:
        raise ValueError(f"expected a size such as 4g, got {text!r}")
    number, unit, is_bytes = match.groups()
    return int(number) << SIZE_SHIFTS[unit or ("b" if is_bytes else "m")]


def require_slots(
    session: SparkSession, num_workers: int | None, timeout: float, accepts_fewer: bool = False
) -> int:
    """Returns the number of tasks of a gang, for which the cluster has slots.

    Parameters
    ----------
    num_workers : int or None
        The number that is wanted; None for all slots of the executors that run.
    timeout : float
        Seconds to wait for executors that start.
    accepts_fewer : bool
        Whether to go on with the slots that there are then.

    Raises
    ------
    ParamError
        For a number below 1 or above the slots.
    """
    if num_workers is not None and num_workers < 1:
        raise ParamError(f"numWorkers must be >= 1; got {num_workers}")
    wanted = num_workers or 1
    slots = wait_for_slots(session, wanted, timeout)
    if slots is None:
        return wanted
    if slots >= wanted:
        return num_workers or max(1, min(count_slots(session) or 1, MAX_RANKS))
    if accepts_fewer and slots > 0:
        return slots
    cores = cores_of_task(session)
    raise ParamError(
        f"numWorkers must be at most {slots}, the tasks that this cluster runs at the same time "
        f"with spark.task.cpus={cores}; got {wanted}; add executors or cores, or set fewer workers"
    )


def wait_for_slots(session: SparkSession, wanted: int, timeout: float) -> int | None:
    """Waits until there are enough slots, or executors had the time to register."""
    slots = possible_slots(session)
    seconds = 0.0 if is_local(session) else min(timeout, SECONDS_TO_REGISTER)
    deadline = time.monotonic() + seconds
    while slots is not None and slots < wanted and time.monotonic() < deadline:
        time.sleep(SECONDS_BETWEEN_COUNTS)
        slots = possible_slots(session)
    return slots
