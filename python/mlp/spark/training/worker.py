# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The functions that Spark runs in tasks, and the replies of the tasks."""
from __future__ import annotations

import importlib
import queue
import signal
import threading
import traceback
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import _core
from ...errors import CommunicationError, MLPError
from .cluster import context_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "REPLY", "Reply", "TaskLost", "Work", "collect", "failure", "make_task", "make_worker",
]

# The columns of the replies of tasks.
REPLY = "number int, kind string, text string, payload binary"

DESCRIPTION = "spark.job.description"

# What Spark says if an executor, the process of a task, or rows of a shuffle are lost.
REASONS_OF_LOSS = (
    "ExecutorLostFailure", "exited unexpectedly", "FetchFailed", "MetadataFetchFailed",
    "indeterminate output",
)

# What a task runs, on its batches of Arrow.
Work = Callable[[Iterable[Any]], Iterator[Any]]


class Reply(NamedTuple):
    """The reply of a task: a result, or an exception."""

    number: int
    """Of the training, or of the rank."""
    kind: str
    """The kind of the result, or the name of an exception."""
    text: str
    payload: bytes = b""


class TaskLost(CommunicationError):
    """Tasks ended without an exception of Python: they can be tried again."""


def failure(number: int, error: BaseException) -> Reply:
    """Returns an exception as a reply: its name, its sentence and its traceback."""
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Reply(number, type(error).__name__, str(error), trace.encode())


def make_task(module: str, function: str, arguments: tuple[Any, ...]) -> Work:
    """Returns what a task runs: `function` of `module`, on its batches and arguments.

    Parameters
    ----------
    arguments : tuple
        Values of built-in types: a task reads them before it knows whether its Python
        has this package.
    """
    version = _core.__version__

    # Spark sends a nested function by value, so that it can name a package that is missing.
    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import importlib
        import platform
        import sys

        try:
            import mlp

            found = mlp.__version__
        except ImportError as error:
            found = f"none: {error}"
        if found != version:
            raise RuntimeError(
                f"the Python of each executor needs the package spark-mlp {version}, which "
                f"the driver has; {sys.executable} on host {platform.node()} has {found}; "
                "PYSPARK_PYTHON chooses the Python"
            )
        importlib.import_module("mlp.spark.training.worker").end_with_executor()
        yield from getattr(importlib.import_module(module), function)(batches, *arguments)

    return work


def make_worker(module: str, function: str, arguments: tuple[Any, ...]) -> Work:
    """Returns a task as `make_task` does, whose function gives replies.

    An exception of mlp becomes a reply too, so that Spark neither repeats the task nor
    hides the sentence in a stack trace.
    """
    return make_task("mlp.spark.training.worker", "reply", (module, function, arguments))


def reply(
    batches: Iterable[Any], module: str, function: str, arguments: tuple[Any, ...]
) -> Iterator[Any]:
    """Calls a function in a task, and gives its replies as a batch."""
    import pyarrow

    replies = run(getattr(importlib.import_module(module), function), batches, arguments)
    types = [pyarrow.int32(), pyarrow.string(), pyarrow.string(), pyarrow.binary()]
    arrays = [pyarrow.array(column, kind) for column, kind in zip(zip(*replies), types)]
    if arrays:
        yield pyarrow.RecordBatch.from_arrays(arrays, ["number", "kind", "text", "payload"])


def collect(
    rows: DataFrame, work: Work, barrier: bool = False,
    watch: Callable[[Callable[[BaseException], None]], None] | None = None,
    description: str = "",
) -> list[Reply]:
    """Runs a job, and returns the replies of its tasks. Ctrl-C cancels the job.

    Parameters
    ----------
    work : callable
        What `make_worker` returned.
    barrier : bool
        Whether the tasks run at the same time, in a barrier stage.
    watch : callable, optional
        Gets a function, which cancels the job with an exception to raise.
    description : str
        What Spark's UI shows of the job, if its thread has no description.

    Raises
    ------
    TaskLost
        If tasks were lost, for example with their executor.
    """
    from pyspark import InheritableThread
    from pyspark.sql.utils import is_remote

    add_tag, cancel = tags_of(rows.sparkSession)
    tag = f"mlp-{uuid.uuid4().hex}"
    answers: queue.SimpleQueue[list[Any] | BaseException] = queue.SimpleQueue()
    reports: list[BaseException] = []

    def run_job() -> None:
        try:
            describe(rows.sparkSession, description)
            add_tag(tag)
            answers.put(run_stage(rows, work, barrier))
        except BaseException as error:
            answers.put(error)

    def report(error: BaseException) -> None:
        reports.append(error)
        answers.put(error)

    if watch is not None:
        watch(report)

    # PySpark's handler of Ctrl-C fails in a thread that waits for Spark.
    session: dict[str, Any] = {"session": rows.sparkSession} if is_remote() else {}
    InheritableThread(target=run_job, daemon=True, **session).start()
    try:
        answer = answers.get()
        if answer in reports:
            raise reports[0]
    except BaseException:
        cancel(tag)
        raise
    if not isinstance(answer, BaseException):
        return [Reply(*row) for row in answer]
    if is_lost(str(answer)):
        raise TaskLost(first_line(answer)) from answer
    raise answer


def describe(session: SparkSession, description: str) -> None:
    """Sets the description of the jobs of this thread, if they have none."""
    context = context_of(session) if description else None
    if context is not None and context.getLocalProperty(DESCRIPTION) is None:
        context.setLocalProperty(DESCRIPTION, description)


def is_lost(text: str) -> bool:
    """True if a job failed because a task or its executor ended, which another run may not."""
    is_raised = "Traceback (most recent call" in text
    return not is_raised and any(reason in text for reason in REASONS_OF_LOSS)


def run_stage(rows: DataFrame, work: Work, barrier: bool) -> list[Any]:
    """Returns what a task for each partition of the rows gives."""
    # Spark 3.4 has no parameter for barrier stages.
    options = {"barrier": True} if barrier else {}
    return rows.mapInArrow(work, REPLY, **options).collect()


def tags_of(session: SparkSession) -> tuple[Callable[[str], Any], Callable[[str], Any]]:
    """Returns what tags the jobs of a thread, and what cancels the jobs with a tag."""
    try:
        context = session.sparkContext
    except Exception:  # Spark Connect has no context
        return session.addTag, session.interruptTag
    if not hasattr(context, "addJobTag"):  # Spark 3.4 has groups of jobs
        return lambda tag: set_group(context, tag), context.cancelJobGroup
    return context.addJobTag, context.cancelJobsWithTag


def set_group(context: Any, tag: str) -> None:
    """Gives the jobs of this thread a group, and leaves them their description."""
    context.setJobGroup(tag, context.getLocalProperty(DESCRIPTION) or "mlp.spark")


def first_line(error: BaseException) -> str:
    """Returns the reason of Spark without the stack trace of Java."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "An error occurred"))]
    return " ".join(told[:2]).removeprefix(": ")


def run(
    function: Callable[..., Iterable[Reply]], batches: Iterable[Any], arguments: tuple[Any, ...]
) -> list[Reply]:
    """Calls a function in a task, and replies an exception of mlp."""
    try:
        return list(function(batches, *arguments))
    except MLPError as error:
        return [failure(0, error)]


def end_with_executor() -> None:
    """Lets the signal that Spark sends when an executor ends end this process too."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
