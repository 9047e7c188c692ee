# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The operators of an ONNX graph as parts of a multilayer perceptron."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError
from .network import Stack
from .onnx_values import (
    Complement,
    Constant,
    Features,
    Label,
    Network,
    Node,
    Probabilities,
    Sigmoid,
    Value,
    stack_of,
)

__all__ = ["read_node"]

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
# Types of ONNX's TensorProto.
FLOATS = {1: np.float32, 11: np.float64}
# float32, int32, int64, texts, float64 and unsigned integers, which keep each label.
LABEL_TYPES = (1, 6, 7, 8, 11, 12, 13)


def network_of(node: Node) -> Stack:
    stack = stack_of(node.first)
    if isinstance(node.first, Features):
        raise node.refuse(
            "the input of the graph must be floats [instances x features] before it, by Cast "
            "or Flatten"
        )
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
    return node.result(stack.map(stack.affine.plus(shift)))


def read_multiply(node: Node) -> Value:
    for network, sigmoid in (node.inputs[:2], node.inputs[1::-1]):
        if isinstance(network, Network) and isinstance(sigmoid, Sigmoid):
            if sigmoid.before is network.stack:
                return Network(network.stack.activate("swish"))
    stack, factor = node.split()
    return node.result(stack.map(stack.affine.times(factor)))


def read_divide(node: Node) -> Value:
    stack, divisor = node.split_in_order()
    return node.result(stack.map(stack.affine.times(1.0 / divisor)))


def read_subtract(node: Node) -> Value:
    first, second = node.inputs[:2]
    if isinstance(second, Sigmoid) and isinstance(first, Constant):
        if first.array.size == 1 and first.array.item() == 1:
            return Complement(second.before)
    stack, shift = node.split_in_order()
    return node.result(stack.map(stack.affine.plus(-shift)))


def read_batch_norm(node: Node) -> Value:
    stack = network_of(node)
    # Up to opset 13, more outputs than one mean training.
    if node.attributes.get("training_mode", 0) or node.num_outputs > 1 or node.is_training:
        raise node.refuse(
            "it must be in inference mode; got training mode, which normalises by the batch; "
            "export the network in evaluation mode"
        )
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
    if node.attributes.get("select_last_index", 0):
        raise node.refuse("select_last_index must be 0")
    if not isinstance(node.first, (Probabilities, Network)):
        raise node.refuse("its input must be the probabilities of the classes")
    stack = node.first.stack
    if isinstance(node.first, Network) and stack.num_outputs in (None, 1):
        raise node.refuse("its input must have an output for each class")
    return Label(stack)


def read_names(node: Node) -> Value:
    """Gather and ArrayFeatureExtractor take the name of the predicted class."""
    label, names = node.inputs[1], node.constant(0)
    if not isinstance(label, Label) or label.names:
        raise node.refuse("it must take the name of the predicted class")
    is_list = names.ndim > 0 and names.size == names.shape[-1]
    if not is_list or (node.operator == "Gather" and names.ndim != 1):
        raise node.refuse(f"the names must be a vector; got the shape {names.shape}")
    return replace(label, names=tuple(map(to_name, np.ravel(names).tolist())))


def to_name(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def read_reshape(node: Node) -> Value:
    """Labels become [instances], and the outputs of a regressor [instances x 1]."""
    shape = node.constant(1).tolist()
    if node.attributes.get("allowzero", 0) and 0 in shape:
        raise node.refuse("allowzero must be 0")
    if isinstance(node.first, Label):
        return node.first
    num_outputs = network_of(node).num_outputs
    if isinstance(node.first, Network) and shape in ([-1, num_outputs], [0, num_outputs]):
        return node.first
    raise node.refuse(f"the shape must be [instances x outputs]; got {shape}")


def read_flatten(node: Node) -> Value:
    if node.attributes.get("axis", 1) != 1:
        raise node.refuse("axis must be 1")
    if isinstance(node.first, Features):
        return replace(node.first, is_flat=True).settle()
    if isinstance(node.first, Network):
        return node.first
    raise node.refuse("its input must be the network")


def read_zip_map(node: Node) -> Value:
    if not isinstance(node.first, Probabilities):
        raise node.refuse("its input must be the probabilities of the classes")
    texts = node.attributes.get("classlabels_strings") or ()
    names = texts or node.attributes.get("classlabels_int64s") or ()
    return replace(node.first, names=tuple(map(to_name, names)))


def read_passed(node: Node) -> Value:
    if node.first is None:
        raise node.refuse("its input must be the network")
    return node.first


def read_cast(node: Node) -> Value:
    to, value = node.attributes.get("to"), read_passed(node)
    if isinstance(value, Label):
        if to not in LABEL_TYPES:
            raise node.refuse("a label must be a text or a number of 32 bits or more")
        return value
    if to not in FLOATS:
        raise node.refuse("the network must compute with float32 or float64")
    if isinstance(value, Constant):
        return Constant(node.numbers(value.array).astype(FLOATS[to]))
    if isinstance(value, Features):
        return replace(value, is_float=True).settle()
    return value


def read_dropout(node: Node) -> Value:
    has_mode = len(node.inputs) > 2 and node.inputs[2] is not None
    if node.is_training or (has_mode and node.constant(2).any()):
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
