# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The callback of the estimators of ``mlp.sklearn`` after each iteration."""
from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._progress import Iteration
from ..errors import ModelError
from ._values import ACTIVATIONS

# One iteration of l-bfgs has fewer evaluations.
MOST_EVALUATIONS = 22


class Watch:
    """Scores the held-out instances after each epoch, and stops at ``max_fun``."""

    def __init__(
        self, estimator: Any, layers: list[int], on_iteration: Callable[..., object] | None
    ) -> None:
        self.estimator = estimator
        self.layers = layers
        self.on_iteration = on_iteration
        self.scores: list[float] | None = None
        self.held_out: tuple[NDArray[Any], NDArray[Any], Any] | None = None
        self.max_fun = None
        most = estimator.max_iter
        is_lbfgs = estimator.solver == "lbfgs" and isinstance(most, numbers.Integral)
        if is_lbfgs and estimator.max_fun < MOST_EVALUATIONS * most:
            self.max_fun = estimator.max_fun

    @property
    def wants_weights(self) -> bool:
        return self.held_out is not None

    def score_on(self, rows: NDArray[Any], targets: NDArray[Any], weights: Any) -> None:
        """Sets the instances that are scored after each epoch."""
        self.held_out = (rows, targets, weights)
        self.scores = []

    def callback(self) -> Callable[..., object] | None:
        """Returns what is called after each iteration; None if there is nothing to do."""
        has_work = self.held_out is not None or self.max_fun is not None
        return self if has_work else self.on_iteration

    def __call__(self, iteration: Iteration, weights: NDArray[np.float64] | None = None) -> bool:
        if self.scores is not None and weights is not None and iteration.iteration > 0:
            self.scores.append(self.score(weights))
        goes_on = self.max_fun is None or iteration.evaluations <= self.max_fun
        answer = None if self.on_iteration is None else self.on_iteration(iteration)
        return goes_on and (answer is None or bool(answer))

    def score(self, weights: NDArray[np.float64]) -> float:
        """Returns the accuracy or R2 of a network on the held-out instances."""
        assert self.held_out is not None
        rows, targets, of_rows = self.held_out
        name = ACTIVATIONS[self.estimator.activation]
        hidden_layers = [_core.HiddenLayer(name)] * (len(self.layers) - 2)
        try:
            network = _core.Model.make(self.layers, weights, hidden_layers)
        except ModelError:  # weights that are not finite
            return float("nan")
        outputs = network.predict_raw(rows)
        if not np.isfinite(outputs).all():
            return float("nan")
        if self.estimator._task == "classification":
            return float(np.average(outputs.argmax(axis=1) == targets, weights=of_rows))
        targets = targets.reshape(len(targets), -1)
        mean = np.average(targets, axis=0, weights=of_rows)
        residual = np.average((targets - outputs) ** 2, axis=0, weights=of_rows)
        total = np.average((targets - mean) ** 2, axis=0, weights=of_rows)
        # As scikit-learn scores a constant target.
        constant = np.where(residual > 0, 0.0, 1.0)
        varied = 1 - residual / np.where(total > 0, total, 1.0)
        return float(np.mean(np.where(total > 0, varied, constant)))
