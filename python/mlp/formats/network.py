# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A network as a list of plain layers: y = f(x W + b), plus a residual connection."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ModelError
from ..model import Model

__all__ = ["Affine", "PlainLayer", "Stack", "plain_layers"]

BATCH_NORM_EPSILON = 1e-5  # of model files

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PlainLayer:
    """A layer after batch normalisation has been folded into W and b."""

    matrix: Array  # W  [inputs x outputs]
    bias: Array  # b  [outputs]
    activation: str = ""  # empty for the last layer
    is_residual: bool = False
    projection: Array | None = None  # P  [inputs x outputs] of a residual connection


def plain_layers(model: Model) -> list[PlainLayer]:
    """Splits the weights of a model into layers, which read scaled features."""
    weights, statistics = Reader(model.weights), Reader(model._core.statistics)
    hidden_layers = [*model._core.hidden_layers, None]
    layers: list[PlainLayer] = []
    for inputs, outputs, hidden in zip(model.layers, model.layers[1:], hidden_layers):
        layer = PlainLayer(weights.take(inputs, outputs), weights.take(outputs))
        if hidden is None:
            return [*layers, layer]
        layer = replace(layer, activation=hidden.activation)
        if hidden.is_residual:
            projection = weights.take(inputs, outputs) if inputs != outputs else None
            layer = replace(layer, is_residual=True, projection=projection)
        if hidden.has_batch_norm:
            scale, shift = weights.take(outputs), weights.take(outputs)
            mean, variance = statistics.take(outputs), statistics.take(outputs)
            ratio = scale / np.sqrt(variance + BATCH_NORM_EPSILON)
            layer = replace(
                layer, matrix=layer.matrix * ratio, bias=(layer.bias - mean) * ratio + shift
            )
        layers.append(layer)
    return layers


class Reader:
    """Takes arrays from a flat vector, one after the other."""

    def __init__(self, numbers: Array) -> None:
        self._numbers = numbers
        self._begin = 0

    def take(self, *shape: int) -> Array:
        end = self._begin + int(np.prod(shape))
        array = self._numbers[self._begin : end].reshape(shape)
        self._begin = end
        return array


def inverse_deviation(deviation: Array) -> Array:
    """Returns 1 / deviation; 0 for a constant feature, which becomes 0."""
    zeros = np.zeros_like(deviation)
    with np.errstate(over="ignore"):
        return np.divide(1.0, deviation, out=zeros, where=deviation != 0)


@dataclass(frozen=True)
class Affine:
    """x -> x * scale + bias if there is no matrix, else x -> x W + bias.

    A scale of one number stands for that number in each feature.
    """

    scale: Array
    bias: Array
    matrix: Array | None = None  # [inputs x outputs]

    @staticmethod
    def identity() -> Affine:
        return Affine(np.ones(1), np.zeros(1))

    def check_size(self, numbers: Array) -> None:
        if self.matrix is not None and numbers.size not in (1, self.matrix.shape[1]):
            raise ModelError(
                f"a constant must have {self.matrix.shape[1]} numbers, one for each output "
                f"before it, or one for all; got {numbers.size}"
            )

    def times(self, factor: Array) -> Affine:
        """Multiplies each output."""
        self.check_size(factor)
        matrix = None if self.matrix is None else self.matrix * factor
        return Affine(self.scale * factor, self.bias * factor, matrix)

    def plus(self, shift: Array) -> Affine:
        self.check_size(shift)
        return replace(self, bias=self.bias + shift)

    def then(self, matrix: Array) -> Affine:
        """Multiplies the outputs by a matrix [outputs x more outputs]."""
        inputs = len(matrix)
        if self.bias.size not in (1, inputs):
            raise ModelError(
                f"a matrix of weights must have {self.bias.size} inputs, the outputs before "
                f"it; got {inputs}"
            )
        bias = np.broadcast_to(self.bias, (inputs,)) @ matrix
        if self.matrix is not None:
            return Affine(np.ones(1), bias, self.matrix @ matrix)
        scale = np.broadcast_to(self.scale, (inputs,))
        return Affine(np.ones(1), bias, matrix * scale[:, np.newaxis])


@dataclass(frozen=True)
class Stack:
    """Layers that a converter has read so far, and an affine map behind them.

    Affine maps that follow each other become one, so layers without an activation and
    scalers in any place need no layer of their own.
    """

    layers: tuple[PlainLayer, ...] = ()
    affine: Affine = Affine.identity()

    def map(self, affine: Affine) -> Stack:
        return replace(self, affine=affine)

    @property
    def num_outputs(self) -> int | None:
        """The number of outputs; None before the first matrix."""
        if self.affine.matrix is not None:
            return int(self.affine.matrix.shape[1])
        return len(self.layers[-1].bias) if self.layers else None

    def activate(self, name: str) -> Stack:
        """Ends a hidden layer with an activation."""
        return Stack((*self.layers, self.end_layer(name)))

    def end_layer(self, activation: str) -> PlainLayer:
        if self.affine.matrix is None:
            what = f"the activation {activation}" if activation else "the end of the network"
            raise ModelError(
                f"a layer needs a matrix of weights; got {what} without one before it: a "
                "model has layers y = f(W x + b) only"
            )
        matrix, bias = self.affine.matrix, self.affine.bias
        return PlainLayer(matrix, np.broadcast_to(bias, (matrix.shape[1],)), activation)

    def classifier(self, labels: tuple[str, ...] = ()) -> Model:
        """Ends the network with a softmax over its outputs."""
        return make_model((*self.layers, self.end_layer("")), "softmaxNll", labels)

    def binary_classifier(self, labels: tuple[str, ...] = ()) -> Model:
        """Ends a network of one output z with sigmoid(z), the probability of class 1.

        sigmoid(z) is the second of softmax((0, z)).
        """
        last = self.end_layer("")
        if len(last.bias) != 1:
            raise ModelError(
                f"a sigmoid at the end needs one output for two classes; got {len(last.bias)} "
                "outputs: models of several labels per instance are not supported"
            )
        pair = replace(
            last,
            matrix=np.hstack([np.zeros_like(last.matrix), last.matrix]),
            bias=np.array([0.0, last.bias[0]]),
        )
        return make_model((*self.layers, pair), "softmaxNll", labels)

    def regressor(self) -> Model:
        """Ends the network with numbers."""
        return make_model((*self.layers, self.end_layer("")), "squaredError")


def make_model(
    layers: tuple[PlainLayer, ...], loss: str, labels: tuple[str, ...] = ()
) -> Model:
    """Makes a model of layers without residual connections."""
    check_sizes(layers)
    core = _core.Model.make(
        layers=[len(layers[0].matrix), *(len(layer.bias) for layer in layers)],
        weights=np.concatenate(list(flat_weights(layers))),
        hidden_layers=[_core.HiddenLayer(layer.activation) for layer in layers[:-1]],
        loss=loss,
        label_names=() if labels == tuple(map(str, range(len(labels)))) else labels,
    )
    return Model(core)


def check_sizes(layers: tuple[PlainLayer, ...]) -> None:
    for number, (left, right) in enumerate(zip(layers, layers[1:]), 1):
        if len(left.bias) != len(right.matrix):
            raise ModelError(
                f"layer {number + 1} must have {len(left.bias)} inputs, the outputs of layer "
                f"{number}; got {len(right.matrix)}"
            )


def flat_weights(layers: tuple[PlainLayer, ...]) -> Iterator[Array]:
    for layer in layers:
        yield layer.matrix.ravel()
        yield layer.bias
