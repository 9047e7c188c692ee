# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models with quantile bins as ordinary networks, whose first layer computes the bins."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import ModelError
from ..model import Model
from .network import Array, PlainLayer, flat_weights, inverse_deviation, plain_layers

LARGEST_LOSS = 1e-6
"""How much of a bin may be lost by rounding."""

__all__ = ["largest_deviation", "to_plain"]


class Encoding:
    """What a hidden layer of ReLU units computes, and how inputs follow from it.

    A feature x with the edges b_0 < ... < b_T has the units relu(b_0 - x) and
    relu(x - b_t). Then x - b_0 = relu(x - b_0) - relu(b_0 - x), and the bin between two
    edges a and b is (relu(x - a) - relu(x - b)) / (b - a), because relu(u) - relu(u - 1) =
    clip(u, 0, 1). A linear feature has its mean, or 0, in place of b_0.
    """

    def __init__(self, model: Model) -> None:
        self.num_features = model.num_features
        self.signs: list[tuple[int, float]] = []  # the feature of each unit, and 1 or -1
        self.biases: list[float] = []
        self.entries: list[tuple[int, int, float]] = []  # unit, input of the network, factor
        size = self.num_features
        self.constants: Array = np.zeros(model.layers[0])  # of each input
        mean, factor = np.zeros(size), np.ones(size)
        if model._core.scaler is not None:
            mean, factor = model._core.scaler[0], inverse_deviation(model._core.scaler[1])
        edges = edges_of(model)
        next_bin = size
        for feature in range(size):
            origin = edges[feature][0] if edges[feature] else mean[feature]
            below = self.add_unit(feature, -1.0, origin)
            above = [self.add_unit(feature, 1.0, -edge) for edge in edges[feature] or [origin]]
            self.entries.append((above[0], feature, factor[feature]))
            self.entries.append((below, feature, -factor[feature]))
            self.constants[feature] = (origin - mean[feature]) * factor[feature]
            pairs = zip(above, above[1:], edges[feature], edges[feature][1:])
            for left, right, begin, end in pairs:
                self.entries.append((left, next_bin, 1 / (end - begin)))
                self.entries.append((right, next_bin, -1 / (end - begin)))
                next_bin += 1

    def add_unit(self, feature: int, sign: float, bias: float) -> int:
        self.signs.append((feature, sign))
        self.biases.append(bias)
        return len(self.biases) - 1

    def layer(self) -> PlainLayer:
        """Returns the hidden layer [features x units]."""
        matrix = np.zeros((self.num_features, len(self.biases)))
        for unit, (feature, sign) in enumerate(self.signs):
            matrix[feature, unit] = sign
        return PlainLayer(matrix, np.array(self.biases), "relu")

    def through(self, matrix: Array) -> Array:
        """Returns what follows the units [units x outputs] for what follows the inputs."""
        found = np.zeros((len(self.biases), matrix.shape[1]))
        for unit, place, factor in self.entries:
            found[unit] += factor * matrix[place]
        return found


def edges_of(model: Model) -> list[list[float]]:
    """Returns the edges of the bins of each feature."""
    edges: list[list[float]] = [[] for _ in range(model.num_features)]
    for feature, begin, width in zip(*(model._core.bins or ([], [], []))):
        edges[feature][-1:] = [begin, begin + width]
    return edges


def check_bins(model: Model) -> None:
    """Refuses bins that are so narrow that their ReLU units cancel.

    A bin is a difference of two units, which are as large as a feature may be above its
    first edge; the difference has lost that many digits.
    """
    edges = [feature for feature in edges_of(model) if feature]
    for feature in edges:
        least = min(np.diff(feature))
        loss = float(np.finfo(float).eps * (feature[-1] - feature[0]) / least)
        if loss > LARGEST_LOSS:
            raise ModelError(
                f"the bins of a feature are from {least:.3g} to {feature[-1] - feature[0]:.3g} "
                "wide, and a plain network would lose them by rounding; train on the "
                "logarithm of the feature, or with numericEncoding linear"
            )


def to_plain(model: Model) -> Model:
    """Returns an ordinary network that predicts as a model with quantile bins does.

    A first hidden layer of ReLU units computes the bins. The scaler becomes a part of the
    layer after it, and so does batch normalisation of its own layer.

    Parameters
    ----------
    model : Model

    Returns
    -------
    Model
        With one layer more, for the same features. Its outputs differ by rounding.

    Raises
    ------
    ModelError
        If the model has no bins, bins of very different widths, a residual connection of its first hidden layer, or
        columns of its data file that it encodes.

    Examples
    --------
    >>> import mlp
    >>> from mlp.formats import to_plain
    >>> X = [[float(i)] for i in range(20)]
    >>> y = [int(5 < i < 12) for i in range(20)]
    >>> estimator = mlp.MLPClassifier(numeric_encoding="quantile:4", layers=[1, 3, 2], seed=1)
    >>> to_plain(estimator.fit(X, y).model_).layers
    [1, 6, 3, 2]
    """
    if model._core.bins is None:
        raise ModelError("the model has no quantile bins; expected numericEncoding quantile")
    if model._core.has_encoding:
        raise ModelError(
            "a model that encodes columns of its data file cannot be written as a plain "
            "network; train it on encoded features"
        )
    first, *others = plain_layers(model)
    if first.is_residual:
        raise ModelError(
            "a residual connection of the first hidden layer adds the bins themselves, which "
            "a plain network does not have; train without residual"
        )
    check_bins(model)
    encoding = Encoding(model)
    second = replace(
        first,
        matrix=encoding.through(first.matrix),
        bias=first.bias + encoding.constants @ first.matrix,
    )
    return make_like(model, [encoding.layer(), second, *others])


def make_like(model: Model, layers: list[PlainLayer]) -> Model:
    """Makes a model of layers, with the names, thresholds, intervals and sets of another."""
    hidden_layers = [
        _core.HiddenLayer(layer.activation, layer.is_residual) for layer in layers[:-1]
    ]
    numbers: list[NDArray[np.float64]] = []
    for layer in layers:
        numbers += flat_weights((layer,))
        if layer.projection is not None:
            numbers.append(layer.projection.ravel())
    parts: dict[str, Any] = {
        "thresholds": model.thresholds,
        "feature_names": model.feature_names,
        "label_names": model.labels,
        "label_column": model._core.label_column,
        "prediction_interval": model._core.prediction_interval,
        "prediction_set": model._core.prediction_set,
    }
    core = _core.Model.make(
        layers=[len(layers[0].matrix), *(len(layer.bias) for layer in layers)],
        weights=np.concatenate(numbers),
        hidden_layers=hidden_layers,
        loss="squaredError" if model.is_regressor else "softmaxNll",
        **{name: part for name, part in parts.items() if part},
    )
    return Model(core)


def largest_deviation(model: Model, plain: Model, X: ArrayLike) -> float:
    """Returns the largest difference between the outputs of two networks for rows."""
    return float(np.abs(model.decision_function(X) - plain.decision_function(X)).max(initial=0.0))
