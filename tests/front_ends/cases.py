# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The one list of cases, which every front end must answer alike."""
from __future__ import annotations

from .case import Case
from .groups import (
    damaged,
    divergence,
    evaluation,
    files,
    labels,
    names,
    outputs,
    params,
    shapes,
    values,
    weights,
)

CASES: list[Case] = [
    *weights.CASES,
    *labels.CASES,
    *shapes.CASES,
    *names.CASES,
    *values.CASES,
    *files.CASES,
    *divergence.CASES,
    *params.CASES,
    *outputs.CASES,
    *damaged.CASES,
    *evaluation.CASES,
]
