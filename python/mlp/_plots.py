# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of trainings, with matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .model import Model


def plot_history(model: Model, ax: Axes | None = None) -> Axes:
    """Draws the objective, and the loss of the evaluation set, over the iterations."""
    if ax is None:
        try:
            import matplotlib.pyplot as pyplot
        except ImportError as error:
            raise ImportError("plot_history needs matplotlib; install spark-mlp[plot]") from error
        ax = pyplot.gca()
    ax.plot(model.objective_history, label="objective")
    if len(model.validation_history):
        ax.plot(model.validation_history, label="validation loss")
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    ax.legend()
    return ax
