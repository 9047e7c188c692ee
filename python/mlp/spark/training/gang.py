# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs whose tasks run at the same time and form a group of ranks.

They are plain tasks that meet in the driver, because Spark has no barrier stages under
dynamic allocation, after a ``coalesce`` or ``union``, and while one of the slots is taken.
"""
from __future__ import annotations

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import _core
from ...errors import MLPError
from .attendance import Task, attend
from .barrier import BarrierStage
from .cluster import context_of, count_free_slots, driver_addresses, has_dynamic_allocation
from .group import SECRET_BYTES, Rendezvous, join_group
from .meeting import Incomplete, Meeting
from .worker import Reply, Work, collect

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Gang", "Invitation", "join_gang", "run_gang"]

LOGGER = logging.getLogger("mlp.spark")

# How long the tasks that have come wait for one more, and a gang for taken slots. New
# executors of dynamic allocation take longer to start.
SECONDS_TO_GATHER = 10.0
SECONDS_TO_ALLOCATE = 30.0
SECONDS_BETWEEN_COUNTS = 0.05


class Invitation(NamedTuple):
    """What a task needs to join its gang; of built-in types, for `make_worker`."""

    size: int
    secret: bytes
    timeout: float
    """Seconds that a wait for another task may take."""
    place: tuple[str, int] | None
    """The host and the port of the meeting; None in a barrier stage."""


class Gang(NamedTuple):
    """A job whose tasks run at the same time."""

    invitation: Invitation
    watch: Callable[[Callable[[BaseException], None]], None] | None
    """Reports a reason to cancel the job."""
    description: str = ""
    """Of the job, for Spark's UI."""

    def collect(self, rows: DataFrame, work: Work) -> list[Reply]:
        """Runs a task for each partition of the rows, of which there are `size`."""
        return collect(rows, work, self.watch is None, self.watch, self.description)


class Turns:
    """Lets one gang after the other take its slots, so that no two wait for each other."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._changes = threading.Lock()
        self._holder: object = None
        self.running: set[object] = set()
        """Gangs that have met."""

    def begin(self, gang: object) -> None:
        """Waits for the turn of a gang."""
        self._turn.acquire()
        self._holder = gang

    def meet(self, gang: object) -> None:
        """Ends the turn of a gang whose tasks have met."""
        with self._changes:
            if self._holder is gang:
                self.running.add(gang)
                self._pass_on()

    def end(self, gang: object) -> None:
        """Forgets a gang."""
        with self._changes:
            self.running.discard(gang)
            if self._holder is gang:
                self._pass_on()

    def _pass_on(self) -> None:
        self._holder = None
        self._turn.release()


TURNS = Turns()


def run_gang(
    session: SparkSession, size: int, timeout: float, submit: Callable[[Gang], list[Reply]],
    accepts_fewer: bool = True,
) -> list[Reply]:
    """Runs a job of tasks that meet, and returns their replies.

    Parameters
    ----------
    submit : callable
        Calls `Gang.collect`, with the rows and the work for the size of the gang.
    accepts_fewer : bool
        Whether the tasks that have come run the job alone if others do not start, because
        their slots are taken: it is cancelled and submitted again.

    Raises
    ------
    Incomplete
        If some tasks do not start, and the job needs them.
    TaskLost
        If a task is lost.
    """
    context = context_of(session)
    secret = secrets.token_bytes(SECRET_BYTES)
    if context is None:
        return submit(Gang(Invitation(size, secret, timeout, None), None))
    while True:
        gang = object()
        TURNS.begin(gang)
        try:
            free = wait_for_free_slots(session, size, SECONDS_TO_GATHER if accepts_fewer else timeout)
            size = free if accepts_fewer else size
            return meet(session, gang, Invitation(size, secret, timeout, None), submit)
        except Incomplete as error:
            if not accepts_fewer:
                raise
            LOGGER.warning("%s; the job is submitted again with %d tasks", error, error.num_came)
            size = error.num_came
        finally:
            TURNS.end(gang)


def meet(
    session: SparkSession, gang: object, invitation: Invitation,
    submit: Callable[[Gang], list[Reply]],
) -> list[Reply]:
    """Runs a job, with a meeting in this process."""
    context = session.sparkContext
    host, address = driver_addresses(session)
    seconds = SECONDS_TO_ALLOCATE if has_dynamic_allocation(session) else SECONDS_TO_GATHER
    seconds = min(seconds, invitation.timeout)
    with Meeting(address, invitation.size, invitation.secret, seconds) as meeting:

        def watch(report: Callable[[BaseException], None]) -> None:
            meeting.watch(report, lambda: TURNS.meet(gang), lambda task: kill(context, task))

        return submit(Gang(invitation._replace(place=(host, meeting.port)), watch))


def kill(context: SparkContext, task_id: int) -> None:
    """Ends a copy of a task that runs. Spark does not count it as a failure."""
    LOGGER.info("attempt %d of a task is a copy of one that trains, and is ended", task_id)
    context._jsc.sc().killTaskAttempt(task_id, True, "another attempt of it trains")


def wait_for_free_slots(session: SparkSession, size: int, seconds: float) -> int:
    """Returns the number of tasks that start at once, at most `size`.

    It waits some seconds for taken slots, and for those of other gangs until these end.
    """
    if has_dynamic_allocation(session):
        return size
    deadline = time.monotonic() + seconds
    free = count_free_slots(session)
    while free < size and (TURNS.running or time.monotonic() < deadline):
        time.sleep(SECONDS_BETWEEN_COUNTS)
        free = count_free_slots(session)
    if free < size:
        LOGGER.warning("%d of the %d slots of a job are free", free, size)
    return max(1, min(size, free))


@contextlib.contextmanager
def join_gang(
    invitation: tuple[Any, ...], replied: type[Exception] = MLPError
) -> Iterator[Callable[[], _core.Ranks]]:
    """Joins a task to its gang, as `join_group`, with exceptions as in `attend`."""
    size, secret, timeout, place = invitation
    with contextlib.ExitStack() as stack:
        if place is None:
            from pyspark import BarrierTaskContext

            rendezvous: Rendezvous = BarrierStage(BarrierTaskContext.get(), timeout)
        else:
            from pyspark import TaskContext

            context = TaskContext.get()
            assert context is not None
            task = Task(context.partitionId(), context.taskAttemptId())
            rendezvous = stack.enter_context(attend(place, secret, size, task, timeout, replied))
        yield stack.enter_context(join_group(rendezvous, secret, timeout))
