# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The request for a training in Spark, and its result."""
from __future__ import annotations

from dataclasses import dataclass

from ... import _core

__all__ = ["FitRequest", "FitResult"]


@dataclass(frozen=True)
class FitRequest:
    """A training: what to train, and how to compute it.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    params : dict of str to str
        Hyper-parameters of the C++ library by Spark's names, as texts, such as
        ``{"layers": "4,5,3"}``. It has the layers.
    initial_weights : tuple of float, optional
        The weights at the start.
    precision, device : str
        As in ``mlp.MLPClassifier``. ``cuda`` is the GPU that Spark gives the task.
    num_workers : int, optional
        The number of tasks that train together; None lets `train` choose it.
    timeout : float
        Seconds that one wait for another task may take.
    checkpoint_dir : str, optional
        A folder that all tasks can read and write.
    threads : int, optional
        The number of threads of a task. None is the number of cores that Spark gives the
        task, and in local mode that of the machine.
    verbose : bool
        Whether a task writes its progress to its standard error.
    on_divergence : str
        "error" raises DivergedError for a training that diverged. "model" gives a network
        whose weights are all 0 in place of weights that are not finite.
    """

    task: str
    params: dict[str, str]
    initial_weights: tuple[float, ...] | None = None
    precision: str = "float64"
    device: str = "cpu"
    num_workers: int | None = None
    timeout: float = 300.0
    checkpoint_dir: str | None = None
    threads: int | None = None
    verbose: bool = False
    on_divergence: str = "error"

    @property
    def layers(self) -> tuple[int, ...]:
        """Sizes of the layers."""
        return tuple(int(size) for size in self.params["layers"].split(","))

    @property
    def num_weights(self) -> int:
        """The number of weights of Spark's network of these layers."""
        return sum((inputs + 1) * outputs for inputs, outputs in zip(self.layers, self.layers[1:]))

    @property
    def num_classes(self) -> int | None:
        """The number of classes; None for a regression."""
        return self.layers[-1] if self.task == "classification" else None


@dataclass(frozen=True)
class FitResult:
    """A trained network.

    Attributes
    ----------
    model : str
        The text of the model file, which has the history of the objective too.
    warnings : tuple of (code, sentence)
        What the fit warns of, as ``mlp.ConvergenceWarning``.
    checkpoint_failure : str
        Why the last checkpoint could not be written; empty if it could.
    note : str
        Where the rows were that did not fit into the memory of a task; empty if they did.
    """

    model: str
    warnings: tuple[tuple[str, str], ...] = ()
    checkpoint_failure: str = ""
    note: str = ""

    @classmethod
    def of(cls, outcome: _core.Outcome, note: str = "") -> FitResult:
        """Takes what the library returned."""
        warnings = tuple((code, sentence) for code, sentence, _ in outcome.warnings)
        return cls(outcome.model.to_json(), warnings, outcome.checkpoint_failure, note)
