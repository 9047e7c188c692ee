# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark's model gives for features that are NaN or infinite."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..formats.document import read_document
from ..formats.spark import spark_weights
from ..model import Model

__all__ = ["score_as_spark"]

Vector = NDArray[np.float64]


def score_as_spark(model: Model, rows: Vector) -> tuple[Vector, Vector, Vector]:
    """Scores rows with NaN or infinite values, which Spark scores and the library refuses.

    Returns
    -------
    raw, probability, prediction
        NaN where Spark has it. The class is that of Spark's Vector.argmax: no comparison
        with NaN is true.
    """
    weights = spark_weights(read_document(model))
    values, end = rows, 0
    with np.errstate(all="ignore"):
        for inputs, outputs in zip(model.layers, model.layers[1:]):
            if end > 0:
                values = 1.0 / (1.0 + np.exp(-values))
            begin, end = end, end + inputs * outputs
            matrix = weights[begin:end].reshape(inputs, outputs)
            values = (values[:, :, None] * matrix).sum(axis=1) + weights[end : end + outputs]
            end += outputs
        exponentials = np.exp(values - values.max(axis=1, keepdims=True))
        probability = exponentials / exponentials.sum(axis=1, keepdims=True)
    scores = probability / model.thresholds if model.thresholds else values
    is_first = np.isnan(scores[:, 0])
    prediction = np.where(is_first, 0, np.argmax(np.nan_to_num(scores, nan=-np.inf), axis=1))
    return values, probability, prediction.astype(np.float64)
