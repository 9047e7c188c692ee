# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What the driver shows of trainings that tasks run."""
from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._progress import Iteration
from ..errors import ConvergenceWarning

__all__ = ["Monitor", "OnIteration", "warn"]

LOGGER = logging.getLogger("mlp.spark")
SECONDS_BETWEEN_LINES = 1.0
# Frames from the warning to the caller of ``fit``.
STACK_LEVEL = 5
# MLflow takes at most this many numbers at a time.
MLFLOW_BATCH = 1000

OnIteration = Callable[[Iteration], object]


class Monitor:
    """Gets the iterations of trainings, and passes them on.

    They go to a callback of the user, to the log, one line a second at most, and to the
    active run of MLflow, if MLflow is imported and one network is trained.

    Parameters
    ----------
    callbacks : sequence of callable or None
        A function for each training, which gets each ``mlp.Iteration``.
    """

    def __init__(self, callbacks: Sequence[OnIteration | None]) -> None:
        self._callbacks = callbacks
        self._last_line = time.monotonic()
        # Runs belong to the thread that has started them.
        self._run_id = active_run_id() if len(callbacks) == 1 else None

    def is_used(self) -> bool:
        """True if anyone gets the iterations."""
        has_callback = any(callback is not None for callback in self._callbacks)
        return has_callback or self._run_id is not None or LOGGER.isEnabledFor(logging.INFO)

    def __call__(self, number: int, iterations: Sequence[Iteration]) -> None:
        self._log(number, iterations[-1])
        if self._run_id is not None:
            self._send(self._run_id, iterations)
        callback = self._callbacks[number]
        if callback is not None:
            for iteration in iterations:
                callback(iteration)

    def _log(self, number: int, last: Iteration) -> None:
        now = time.monotonic()
        if now - self._last_line < SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        size = len(self._callbacks)
        training = f"training {number + 1} of {size}, " if size > 1 else ""
        LOGGER.info(
            "%siteration %d: objective %.6g", training, last.iteration, last.objective
        )

    def _send(self, run_id: str, iterations: Sequence[Iteration]) -> None:
        """Sends metrics to MLflow. A training does not fail with its server."""
        moment = int(time.time() * 1000)
        numbers = [
            (name, value, moment, iteration.iteration)
            for iteration in iterations
            for name, value in (
                ("objective", iteration.objective), ("validationLoss", iteration.validation_loss)
            )
            if value is not None
        ]
        try:
            mlflow = sys.modules["mlflow"]
            metrics = [mlflow.entities.Metric(*each) for each in numbers]
            client = mlflow.MlflowClient()
            for begin in range(0, len(metrics), MLFLOW_BATCH):
                client.log_batch(run_id, metrics=metrics[begin:begin + MLFLOW_BATCH])
        except Exception as error:
            self._run_id = None
            LOGGER.warning("MLflow gets no more metrics of this training: %s", error)


def active_run_id() -> str | None:
    """Returns the run of MLflow in this thread; None without one."""
    mlflow: Any = sys.modules.get("mlflow")
    try:
        run = mlflow.active_run() if hasattr(mlflow, "active_run") else None
        return None if run is None else str(run.info.run_id)
    except Exception as error:
        LOGGER.warning("MLflow gets no metrics of this training: %s", error)
        return None


def warn(found: Sequence[tuple[str, str]]) -> None:
    """Passes on what the library warns of, as lines of the log and as warnings of Python.

    Parameters
    ----------
    found : sequence of (code, sentence)
        The warnings of one training.
    """
    for code, sentence in found:
        LOGGER.warning("%s", sentence, extra={"code": code})
        warnings.warn(ConvergenceWarning(sentence, code), stacklevel=STACK_LEVEL)
