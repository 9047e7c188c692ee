# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The values of an ONNX graph, and its nodes, as parts of a multilayer perceptron."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .network import Stack

__all__ = [
    "Complement",
    "Constant",
    "Features",
    "Label",
    "Network",
    "Node",
    "Probabilities",
    "Sigmoid",
    "Value",
    "stack_of",
]


@dataclass(frozen=True)
class Constant:
    array: NDArray[Any]


@dataclass(frozen=True)
class Features:
    """The input of a graph, until it is floats of the shape [instances x features].

    Operators with one number for all features are in the stack.
    """

    stack: Stack
    is_float: bool
    is_flat: bool

    def settle(self) -> Features | Network:
        return Network(self.stack) if self.is_float and self.is_flat else self


@dataclass(frozen=True)
class Network:
    """The outputs of a layer, before its activation."""

    stack: Stack


@dataclass(frozen=True)
class Sigmoid:
    """A sigmoid: of a hidden layer, or the probability of class 1."""

    before: Stack


@dataclass(frozen=True)
class Complement:
    """1 - sigmoid: the probability of class 0."""

    before: Stack


@dataclass(frozen=True)
class Probabilities:
    """The probabilities of all classes. `is_pair`: of 1 - sigmoid and sigmoid."""

    stack: Stack
    is_pair: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Label:
    """The predicted class of the network of a stack, by its index or by name."""

    stack: Stack
    names: tuple[str, ...] = ()


Value = Union[Constant, Features, Network, Sigmoid, Complement, Probabilities, Label]


@dataclass(frozen=True)
class Node:
    """A node of a graph, and the values of its inputs."""

    operator: str
    attributes: dict[str, Any]
    inputs: tuple[Value | None, ...]
    num_outputs: int
    opset: int  # the version of ONNX's own operators

    def refuse(self, reason: str) -> ModelError:
        return ModelError(f"a model has no part for the ONNX operator {self.operator}: {reason}")

    @property
    def first(self) -> Value | None:
        return self.inputs[0] if self.inputs else None

    @property
    def is_training(self) -> bool:
        """True if BatchNormalization and Dropout of the first versions are in training."""
        return self.opset < 7 and not self.attributes.get("is_test", 0)

    def constant(self, index: int) -> NDArray[Any]:
        """Returns an input that must be a constant."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if not isinstance(value, Constant):
            raise self.refuse(f"input {index} must be a constant")
        return value.array

    def split(self) -> tuple[Stack, NDArray[np.float64]]:
        """Returns the network and the constant of an operator of two inputs."""
        for network, other in (self.inputs[:2], self.inputs[1::-1]):
            stack = stack_of(network)
            if stack is not None and isinstance(other, Constant):
                return stack, self.operand(other.array)
        raise self.refuse("its inputs must be the network and a constant")

    def split_in_order(self) -> tuple[Stack, NDArray[np.float64]]:
        """As split(), of an operator whose first input must be the network."""
        stack = stack_of(self.first)
        if stack is None:
            raise self.refuse("its first input must be the network")
        return stack, self.operand(self.constant(1))

    def operand(self, array: NDArray[Any]) -> NDArray[np.float64]:
        """Returns the constant of an operator on each output."""
        axis = self.attributes.get("axis", -1)  # of opset 6 and before
        if axis not in (1, -1):
            raise self.refuse(f"axis must be 1 or -1; got {axis}")
        vector = self.vector(array)
        is_early = any(isinstance(value, Features) for value in self.inputs)
        if is_early and vector.size != 1:
            raise self.refuse(
                "its constant must be one number before the input is [instances x features]; "
                f"got {vector.size} numbers"
            )
        return vector

    def result(self, stack: Stack) -> Value:
        """Returns the value of an operator on each output."""
        for value in self.inputs:
            if isinstance(value, Features):
                return replace(value, stack=stack)
        return Network(stack)

    def vector(self, array: NDArray[Any]) -> NDArray[np.float64]:
        """Returns one number per output, or one for all."""
        if array.ndim > 2 or (array.size != 1 and array.size != array.shape[-1]):
            raise self.refuse(f"its constant must be a vector; got the shape {array.shape}")
        return np.ravel(self.numbers(array))

    def matrix(self, index: int) -> NDArray[np.float64]:
        array = self.constant(index)
        if array.ndim != 2:
            raise self.refuse(f"its constant must be a matrix; got the shape {array.shape}")
        return self.numbers(array)

    def numbers(self, array: NDArray[Any]) -> NDArray[np.float64]:
        if array.dtype.kind in "OSUc":
            raise self.refuse(f"its constant must be numbers; got the type {array.dtype}")
        return array.astype(np.float64)


def stack_of(value: Value | None) -> Stack | None:
    """Returns the layers of a value that a next layer may read."""
    if isinstance(value, Network):
        return value.stack
    if isinstance(value, Features) and value.is_float:
        return value.stack
    if isinstance(value, Sigmoid):
        return value.before.activate("sigmoid")
    return None
