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
from ..errors import CommunicationError, MLPError, ParamError
from .session import current_session
from .training.attendance import NotAdmitted
from .training.cluster import require_slots, use_python_of_driver
from .training.gang import Gang, join_gang, run_gang
from .training.group import require_plugin
from .training.worker import Reply, failure, make_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
    batches : iterator of pyarrow.RecordBatch
        The rows of this rank, if `run` got rows. They are read once, as Spark computes
        them.
    """

    def __init__(self, group: _core.Ranks, batches: Iterable[Any] = ()) -> None:
        self._group = group
        self.rank = group.rank
        self.size = group.size
        self.batches = iter(batches)

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

    def broadcast(self, value: T, root: int = 0) -> T:
        """Returns the value of one rank on all ranks, such as weights at the start.

        All ranks must call it. The values of the others are not read: they may be None.

        Parameters
        ----------
        value : object
            What pickle can write.
        root : int
            The rank whose value counts.

        Raises
        ------
        ParamError
            If there is no such rank.
        CommunicationError
            If a rank is lost, fails, or is not ready within the timeout of `run`.
        """
        if not 0 <= root < self.size:
            raise ParamError(f"root must be a rank, 0..{self.size - 1}; got {root}")
        own = dumps(value) if self.rank == root else b""
        sent: T = pickle.loads(self._group.all_gather(own)[root])
        return sent


def run(
    fn: Callable[..., T],
    num_workers: int | None = None,
    spark: SparkSession | None = None,
    args: Sequence[Any] = (),
    timeout: float = 300.0,
    rows: DataFrame | None = None,
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
    rows : DataFrame, optional
        Spark divides its rows evenly among the ranks: ``rank.batches`` gives them as
        batches of Arrow. A rank has no batch if there are fewer rows than ranks. Vectors
        arrive as structs: ``vector_to_array`` makes arrays of them.

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
    session = spark or (rows.sparkSession if rows is not None else current_session("mlp.spark.run"))
    use_python_of_driver(session)
    size = require_slots(session, num_workers, timeout)
    if size > 1:
        require_plugin()
    function = dumps((fn, tuple(args)))

    def submit(gang: Gang) -> list[Reply]:
        size = gang.invitation.size
        arguments = (function, tuple(gang.invitation), rows is not None)
        work = make_worker("mlp.spark.run", "call_as_rank", arguments)
        one_each = session.range(0, size, 1, size)
        return gang.collect(one_each if rows is None else rows.repartition(size), work)

    results = read_results(run_gang(session, size, timeout, submit, num_workers is None))
    if not results:
        # Spark 3.5 runs no task on rows that a shuffle found to be none.
        return run(fn, num_workers, session, args, timeout)
    return results


def dumps(value: Any) -> bytes:
    """Pickles what may be defined in a notebook or in another function."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps(value)
    return data


def call_as_rank(
    batches: Iterable[Any], function: bytes, invitation: tuple[Any, ...], has_rows: bool
) -> list[Reply]:
    """Runs the function of the user in a task."""
    from pyspark import TaskContext

    if not has_rows:
        for _ in batches:
            pass  # the number of the task, which the context has too
    context = TaskContext.get()
    rank = 0 if context is None else context.partitionId()
    try:
        with join_gang(invitation, Exception) as wait_for_group:
            fn, args = pickle.loads(function)
            found = fn(Rank(wait_for_group(), batches), *args)
            return [Reply(rank, RESULT, "", dumps(found))]
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
