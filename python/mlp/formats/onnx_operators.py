# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What the operators of an ONNX graph mean for a multilayer perceptron."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .network import Stack

__all__ = ["Constant", "Label", "Network", "Node", "Probabilities", "Sigmoid", "Value", "read_node"]

# Operators of one input that are an activation of a model.
ACTIVATIONS = {
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Relu": "relu",
    "LeakyRelu": "leaky-relu",
    "Elu": "elu",
    "Softplus": "softplus",
}
# The attribute alpha that the activation of a model has.
ALPHAS = {"LeakyRelu": 0.01, "Elu": 1.0}
FLOATS = (1, 11)  # TensorProto.FLOAT and TensorProto.DOUBLE


@dataclass(frozen=True)
class Constant:
    array: NDArray[Any]


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


@dataclass(frozen=True)
class Label:
    """The predicted class, by its index or by name."""

    names: tuple[str, ...] = ()


Value = Constant | Network | Sigmoid | Complement | Probabilities | Label


@dataclass(frozen=True)
class Node:
    """A node of a graph, and the values of its inputs."""

    operator: str
    attributes: dict[str, Any]
    inputs: tuple[Value | None, ...]

    def refuse(self, reason: str) -> ModelError:
        return ModelError(f"a model has no part for the ONNX operator {self.operator}: {reason}")

    @property
    def first(self) -> Value | None:
        return self.inputs[0] if self.inputs else None

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
                return stack, self.vector(other.array)
        raise self.refuse("its inputs must be the network and a constant")

    def vector(self, array: NDArray[Any]) -> NDArray[np.float64]:
        """Returns one number per output, or one for all."""
        if array.size != 1 and array.size != array.shape[-1]:
            raise self.refuse(f"its constant must be a vector; got the shape {array.shape}")
        return np.ravel(array).astype(np.float64)

    def matrix(self, index: int) -> NDArray[np.float64]:
        array = self.constant(index)
        if array.ndim != 2:
            raise self.refuse(f"its constant must be a matrix; got the shape {array.shape}")
        return array.astype(np.float64)


def stack_of(value: Value | None) -> Stack | None:
    """Returns the layers of a value that a next layer may read."""
    if isinstance(value, Network):
        return value.stack
    if isinstance(value, Sigmoid):
        return value.before.activate("sigmoid")
    return None


def network_of(node: Node) -> Stack:
    stack = stack_of(node.first)
    if stack is None:
        raise node.refuse("its first input must be the network")
    return stack


def read_activation(node: Node) -> Value:
    stack = network_of(node)
    if node.operator == "Sigmoid":
        return Sigmoid(stack)
    if node.operator in ALPHAS:
        expected = ALPHAS[node.operator]
        alpha = node.attributes.get("alpha", expected)
        if not np.isclose(alpha, expected, rtol=1e-6, atol=0):  # alpha is a float32
            raise node.refuse(f"alpha must be {expected}; got {alpha}")
    return Network(stack.activate(ACTIVATIONS[node.operator]))


def read_matmul(node: Node) -> Value:
    stack = network_of(node)
    return Network(stack.map(stack.affine.then(node.matrix(1))))


def read_gemm(node: Node) -> Value:
    stack = network_of(node)
    if node.attributes.get("transA", 0):
        raise node.refuse("transA must be 0")
    matrix = node.matrix(1) * node.attributes.get("alpha", 1.0)
    affine = stack.affine.then(matrix.T if node.attributes.get("transB", 0) else matrix)
    if len(node.inputs) > 2 and node.inputs[2] is not None:
        bias = node.vector(node.constant(2)) * node.attributes.get("beta", 1.0)
        affine = affine.plus(bias)
    return Network(stack.map(affine))


def read_add(node: Node) -> Value:
    stack, shift = node.split()
    return Network(stack.map(stack.affine.plus(shift)))


def read_multiply(node: Node) -> Value:
    for network, sigmoid in (node.inputs[:2], node.inputs[1::-1]):
        if isinstance(network, Network) and isinstance(sigmoid, Sigmoid):
            if sigmoid.before is network.stack:
                return Network(network.stack.activate("swish"))
    stack, factor = node.split()
    return Network(stack.map(stack.affine.times(factor)))


def read_divide(node: Node) -> Value:
    stack, divisor = network_of(node), node.vector(node.constant(1))
    return Network(stack.map(stack.affine.times(1.0 / divisor)))


def read_subtract(node: Node) -> Value:
    first, second = node.inputs[:2]
    if isinstance(second, Sigmoid) and isinstance(first, Constant):
        if first.array.size == 1 and first.array.item() == 1:
            return Complement(second.before)
    stack, shift = network_of(node), node.vector(node.constant(1))
    return Network(stack.map(stack.affine.plus(-shift)))


def read_batch_norm(node: Node) -> Value:
    stack = network_of(node)
    scale, shift, mean, variance = (node.vector(node.constant(i)) for i in range(1, 5))
    ratio = scale / np.sqrt(variance + node.attributes.get("epsilon", 1e-5))
    affine = stack.affine.plus(-mean).times(ratio).plus(shift)
    return Network(stack.map(affine))


def read_scaler(node: Node) -> Value:
    """Scaler of ai.onnx.ml: (x - offset) * scale."""
    stack = network_of(node)
    offset, scale = (
        np.array(node.attributes.get(name, [default]), dtype=np.float64)
        for name, default in (("offset", 0.0), ("scale", 1.0))
    )
    return Network(stack.map(stack.affine.plus(-offset).times(scale)))


def read_softmax(node: Node) -> Value:
    axis = node.attributes.get("axis", -1)
    if axis not in (1, -1):
        raise node.refuse(f"axis must be 1 or -1; got {axis}")
    return Probabilities(network_of(node))


def read_concat(node: Node) -> Value:
    """(1 - sigmoid, sigmoid) are the probabilities of two classes."""
    if len(node.inputs) == 2 and node.attributes.get("axis") in (1, -1):
        zero, one = node.inputs
        if isinstance(zero, Complement) and isinstance(one, Sigmoid):
            if zero.before is one.before:
                return Probabilities(one.before, is_pair=True)
    raise node.refuse("its inputs must be the probabilities of two classes")


def read_argmax(node: Node) -> Value:
    if node.attributes.get("axis", 0) not in (1, -1):
        raise node.refuse("axis must be 1")
    if not isinstance(node.first, (Probabilities, Network)):
        raise node.refuse("its input must be the probabilities of the classes")
    return Label()


def read_names(node: Node) -> Value:
    """Gather and ArrayFeatureExtractor take the name of the predicted class."""
    if not isinstance(node.inputs[1], Label):
        raise node.refuse("it must take the name of the predicted class")
    return Label(tuple(map(to_name, np.ravel(node.constant(0)).tolist())))


def to_name(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def read_reshape(node: Node) -> Value:
    """Labels become [instances], and the outputs of a regressor [instances x 1]."""
    shape = node.constant(1).tolist()
    if isinstance(node.first, Label):
        return node.first
    num_outputs = network_of(node).num_outputs
    if isinstance(node.first, Network) and shape in ([-1, num_outputs], [0, num_outputs]):
        return node.first
    raise node.refuse(f"the shape must be [instances x outputs]; got {shape}")


def read_flatten(node: Node) -> Value:
    if isinstance(node.first, Network) and node.attributes.get("axis", 1) == 1:
        return node.first
    raise node.refuse("axis must be 1")


def read_zip_map(node: Node) -> Value:
    if not isinstance(node.first, Probabilities):
        raise node.refuse("its input must be the probabilities of the classes")
    return node.first


def read_passed(node: Node) -> Value:
    if node.first is None:
        raise node.refuse("its input must be the network")
    return node.first


def read_cast(node: Node) -> Value:
    if isinstance(node.first, Network) and node.attributes.get("to") not in FLOATS:
        raise node.refuse("the network must compute with float32 or float64")
    return read_passed(node)


def read_dropout(node: Node) -> Value:
    if len(node.inputs) > 2 and node.constant(2).any():
        raise node.refuse("training_mode must be false")
    return read_passed(node)


HANDLERS: dict[str, Callable[[Node], Value]] = {
    **dict.fromkeys(ACTIVATIONS, read_activation),
    "Add": read_add,
    "ArgMax": read_argmax,
    "ArrayFeatureExtractor": read_names,
    "BatchNormalization": read_batch_norm,
    "Cast": read_cast,
    "Concat": read_concat,
    "Div": read_divide,
    "Dropout": read_dropout,
    "Flatten": read_flatten,
    "Gather": read_names,
    "Gemm": read_gemm,
    "Identity": read_passed,
    "MatMul": read_matmul,
    "Mul": read_multiply,
    "Reshape": read_reshape,
    "Scaler": read_scaler,
    "Softmax": read_softmax,
    "Sub": read_subtract,
    "ZipMap": read_zip_map,
}


def read_node(node: Node) -> Value:
    handler = HANDLERS.get(node.operator)
    if handler is None:
        raise node.refuse(f"known are {', '.join(sorted(HANDLERS))}")
    try:
        return handler(node)
    except (IndexError, ValueError, TypeError) as error:
        if isinstance(error, ModelError):
            raise
        raise node.refuse(f"{error}") from error
