# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Prediction intervals and sets, which other formats do not have."""
from __future__ import annotations

import warnings

from ..model import Model

__all__ = ["warn_of_lost_regions"]


def warn_of_lost_regions(model: Model, format_name: str) -> None:
    """Warns that a file of another format will not have the intervals or sets of a model.

    Only a function that users call calls it.
    """
    if model.coverage is None:
        return
    regions = "intervals" if model.is_regressor else "sets"
    warnings.warn(
        f"{format_name} has no prediction {regions}; those of the model are left out",
        stacklevel=3,
    )
