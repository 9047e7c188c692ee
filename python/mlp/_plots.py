# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of trainings, with matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_history(
    objective: NDArray[np.float64], validation_loss: NDArray[np.float64], ax: Axes | None = None
) -> Axes:
    """Draws the objective, and the loss of the evaluation set if any, over the iterations."""
    if ax is None:
        try:
            import matplotlib.pyplot as pyplot
        except ImportError as error:
            raise ImportError("plot_history needs matplotlib; install spark-mlp[plot]") from error
        ax = pyplot.gca()
    ax.plot(objective, label="objective")
    if len(validation_loss):
        ax.plot(validation_loss, label="validation loss")
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    ax.legend()
    return ax
