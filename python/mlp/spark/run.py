# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the user on the tasks of Spark, with sums over all of them."""
from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import CommunicationError, MLPError
from .session import current_session
from .training.attendance import NotAdmitted
from .training.cluster import require_slots, use_python_of_driver
from .training.gang import Gang, join_gang, run_gang
from .training.group import require_plugin
from .training.worker import Reply, failure, make_worker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Rank", "run"]

T = TypeVar("T")
RESULT = "result"


class Rank:
    """The rank of a task, and its sums over all ranks.

    Attributes
    ----------
    rank : int
        0 .. size - 1
    size : int
        The number of ranks.
    """

    def __init__(self, group: _core.Ranks) -> None:
        self._group = group
        self.rank = group.rank
        self.size = group.size

    def allreduce(self, numbers: ArrayLike) -> NDArray[np.float64]:
        """Returns the sum of each number over all ranks, in double precision.

        All ranks must call it equally often, with arrays of the same shape. They get the
        same bits.

        Raises
        ------
        CommunicationError
            If a rank is lost, fails, or is not ready within the timeout of `run`.
        """
        sums = np.array(numbers, dtype=np.float64, order="C")
        self._group.allreduce(sums.reshape(-1))
        return sums


def run(
    fn: Callable[..., T],
    num_workers: int | None = None,
    spark: SparkSession | None = None,
    args: Sequence[Any] = (),
    timeout: float = 300.0,
) -> list[T]:
    """Runs a function on several tasks of Spark at the same time.

    Parameters
    ----------
    fn : callable
        ``fn(rank, *args)`` gets a `Rank`. Spark sends it to the executors.
    num_workers : int, optional
        The number of tasks; by default all that run at the same time.
    spark : SparkSession, optional
        By default the active session.
    args : sequence
        More arguments for the function.
    timeout : float
        Seconds that a task may wait for the others, in a sum and at the start.

    Returns
    -------
    list
        What the function returned, by rank.

    Raises
    ------
    ParamError
        If the cluster has too few slots for that many tasks.
    MLPError
        If the function raises on a rank; the text has its exception, and a note its
        traceback. CommunicationError if a task is lost.

    Examples
    --------
    >>> import mlp.spark
    >>> def count(rank, number):
    ...     return rank.allreduce([number + rank.rank]).tolist()
    >>> mlp.spark.run(count, num_workers=2, args=[10])  # doctest: +SKIP
    [[21.0], [21.0]]
    """
    session = spark or current_session("mlp.spark.run")
    use_python_of_driver(session)
    size = require_slots(session, num_workers, timeout)
    if size > 1:
        require_plugin()
    function = dumps((fn, tuple(args)))

    def submit(gang: Gang) -> list[Reply]:
        size = gang.invitation.size
        work = make_worker("mlp.spark.run", "call_as_rank", (function, tuple(gang.invitation)))
        return gang.collect(session.range(0, size, 1, size), work)

    return read_results(run_gang(session, size, timeout, submit, num_workers is None))


def dumps(value: Any) -> bytes:
    """Pickles what may be defined in a notebook or in another function."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps(value)
    return data


def call_as_rank(
    batches: Iterable[Any], function: bytes, invitation: tuple[Any, ...]
) -> list[Reply]:
    """Runs the function of the user in a task."""
    from pyspark import TaskContext

    for _ in batches:
        pass  # the number of the task, which the context has too
    context = TaskContext.get()
    rank = 0 if context is None else context.partitionId()
    try:
        with join_gang(invitation, Exception) as wait_for_group:
            fn, args = pickle.loads(function)
            return [Reply(rank, RESULT, "", dumps(fn(Rank(wait_for_group()), *args)))]
    except NotAdmitted:
        raise
    except Exception as error:
        return [failure(rank, error)]


def read_results(replies: Iterable[Reply]) -> list[Any]:
    """Returns the results of all ranks; raises the first cause if one failed."""
    found = sorted(replies)
    failed = [reply for reply in found if reply.kind != RESULT]
    if failed:
        # A rank that fails ends the others with errors of communication.
        own = [reply for reply in failed if reply.kind != CommunicationError.__name__]
        reply = (own or failed)[0]
        kind = MLPError if own else CommunicationError
        error = kind(f"rank {reply.number} raised {reply.kind}: {reply.text}")
        raise error from RuntimeError(bytes(reply.payload).decode())
    if [reply.number for reply in found] != list(range(len(found))):
        numbers = [reply.number for reply in found]
        raise MLPError(f"Spark must give the results of ranks 0, 1, ...; got {numbers}")
    return [pickle.loads(reply.payload) for reply in found]
