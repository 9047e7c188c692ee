# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The progress of a training, and callbacks of the user."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

SECONDS_BETWEEN_LINES = 0.5


class Iteration(NamedTuple):
    """The state of a training after one iteration or epoch."""

    iteration: int
    """The position in the history; 0 is the start."""
    objective: float
    step_length: float
    evaluations: int
    """Evaluations of the objective and its gradient so far."""
    validation_loss: float | None
    """The loss of the evaluation set; None without one."""


class Progress:
    """A progress bar of tqdm if it is installed, else a line that is rewritten."""

    def __init__(self, max_iter: int) -> None:
        self.max_iter = max_iter
        self.last_line = 0.0
        self.bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self.bar = tqdm(total=max_iter, unit="it", leave=True)

    def show(self, iteration: Iteration) -> None:
        if self.bar is not None:
            self.bar.set_postfix(objective=f"{iteration.objective:.6g}", refresh=False)
            self.bar.update(iteration.iteration - self.bar.n)
            return
        now = time.monotonic()
        if now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            self.write(iteration)

    def write(self, iteration: Iteration) -> None:
        sys.stderr.write(
            f"\rmlp: iteration {iteration.iteration} of {self.max_iter}, "
            f"objective {iteration.objective:.6g} "
        )
        sys.stderr.flush()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.last_line > 0.0:
            sys.stderr.write("\n")


def wants_weights(on_iteration: object) -> bool:
    """True for a function of this package that is called with the weights too."""
    return getattr(on_iteration, "wants_weights", False) is True


def make_callback(
    on_iteration: Callable[..., object] | None, progress: Progress | None
) -> Callable[..., object] | None:
    """Returns the function that the C++ library calls; None if there is nothing to call.

    It gets the fields of an Iteration, and the weights if on_iteration wants them.
    """
    if on_iteration is None and progress is None:
        return None

    def call(*state: Any) -> object:
        *fields, weights = state
        iteration = Iteration(*fields)
        if progress is not None:
            progress.show(iteration)
        if on_iteration is None:
            return None
        return on_iteration(iteration, weights) if wants_weights(on_iteration) else (
            on_iteration(iteration)
        )

    return call
