# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What the tasks of Spark run, and what they send back."""
from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .. import _core
from ..errors import MLPError

__all__ = ["REPLY", "Reply", "failure", "make_worker"]

# The columns of what a task sends back.
REPLY = "number int, kind string, text string, payload binary"


class Reply(NamedTuple):
    """What a task sends back: a result, or an exception."""

    number: int
    """Of the training, or of the rank."""
    kind: str
    """What the reply is, or the name of an exception."""
    text: str
    payload: bytes = b""


def failure(number: int, error: BaseException) -> Reply:
    """Returns an exception as a reply: its name, its sentence and its traceback."""
    trace = "".join(traceback.format_exception(error))
    return Reply(number, type(error).__name__, str(error), trace.encode())


def make_worker(
    module: str, function: str, arguments: tuple[Any, ...]
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns what a task runs: `function` of `module`, on its batches and arguments.

    The function gives replies. An exception of mlp becomes a reply too, so that Spark
    neither repeats the task nor hides the sentence in a stack trace.

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

        import pyarrow

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
        worker = importlib.import_module("mlp.spark.worker")
        replies = worker.run(getattr(importlib.import_module(module), function), batches, arguments)
        types = [pyarrow.int32(), pyarrow.string(), pyarrow.string(), pyarrow.binary()]
        arrays = [pyarrow.array(column, kind) for column, kind in zip(zip(*replies), types)]
        if arrays:
            names = ["number", "kind", "text", "payload"]
            yield pyarrow.RecordBatch.from_arrays(arrays, names)

    return work


def run(
    function: Callable[..., Iterable[Reply]], batches: Iterable[Any], arguments: tuple[Any, ...]
) -> list[Reply]:
    """Calls a function in a task, and replies an exception of mlp."""
    end_with_executor()
    try:
        return list(function(batches, *arguments))
    except MLPError as error:
        return [failure(0, error)]


def end_with_executor() -> None:
    """Lets the signal that Spark sends when an executor ends end this process too."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
