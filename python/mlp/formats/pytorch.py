# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Networks of PyTorch."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..model import Model
from .network import Stack
from .onnx_reader import Task, finish_raw

__all__ = ["from_torch"]

ACTIVATIONS = {
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "ReLU": "relu",
    "LeakyReLU": "leaky-relu",
    "ELU": "elu",
    "Softplus": "softplus",
    "SiLU": "swish",
}
# Settings of activations that a model has.
SETTINGS = {
    "LeakyReLU": {"negative_slope": 0.01},
    "ELU": {"alpha": 1.0},
    "Softplus": {"beta": 1.0},
}
PASSED = ("Dropout", "Flatten", "Identity")
ENDS = ("Softmax", "LogSoftmax")


def from_torch(module: Any, labels: Sequence[str] = (), task: Task = "auto") -> Model:
    """Makes a model of a ``torch.nn.Sequential``, as it is in evaluation mode.

    Known layers are Linear, Sigmoid, Tanh, ReLU, LeakyReLU(0.01), ELU, Softplus, SiLU,
    BatchNorm1d, Dropout, Flatten, Identity, and at the end Softmax, LogSoftmax or, for two
    classes, Sigmoid. Batch normalisation becomes a part of the linear layer beside it.
    Softplus of PyTorch is linear above its threshold 20 and differs there by up to 2e-9.

    Parameters
    ----------
    module : torch.nn.Sequential
    labels : sequence of str
        Names of the classes.
    task : "auto", "classification" or "regression"
        What several outputs without a softmax are; "auto" refuses them unless there are
        labels. One such output is a number, or with "classification" the score of the
        second of two classes.

    Raises
    ------
    ModelError
        If there is another layer; the text names it.

    Examples
    --------
    >>> import torch  # doctest: +SKIP
    >>> from mlp.formats import from_torch
    >>> module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(1))  # doctest: +SKIP
    >>> from_torch(module).layers  # doctest: +SKIP
    [4, 3]
    """
    layers = list(flatten(module))
    end = type(layers[-1]).__name__ if layers else ""
    if end in (*ENDS, "Sigmoid"):
        layers.pop()
    stack = Stack()
    for layer in layers:
        stack = read_layer(stack, layer)
    model = finish(stack, end, task, bool(labels))
    return model._replace(label_names=list(labels)) if labels else model


def finish(stack: Stack, end: str, task: Task, has_labels: bool) -> Model:
    if end in ENDS:
        return stack.classifier()
    if end == "Sigmoid":
        return stack.binary_classifier()
    return finish_raw(stack, "classification" if has_labels else task)


def flatten(module: Any) -> Iterator[Any]:
    """Yields the layers of nested Sequential modules, without those that do nothing."""
    if type(module).__name__ == "Sequential":
        for child in module:
            yield from flatten(child)
    elif type(module).__name__ not in PASSED:
        yield module


def read_layer(stack: Stack, layer: Any) -> Stack:
    name = type(layer).__name__
    readers: dict[str, Callable[[Stack, Any], Stack]] = {
        "Linear": read_linear,
        "BatchNorm1d": read_batch_norm,
    }
    if name in readers:
        return readers[name](stack, layer)
    if name not in ACTIVATIONS:
        raise ModelError(
            f"a model has no part for the layer {name} of PyTorch; known are "
            f"{', '.join((*readers, *ACTIVATIONS, *PASSED, *ENDS))}"
        )
    for setting, expected in SETTINGS.get(name, {}).items():
        received = getattr(layer, setting)
        if received != expected:
            raise ModelError(f"{setting} of {name} must be {expected}; got {received}")
    return stack.activate(ACTIVATIONS[name])


def to_array(tensor: Any) -> NDArray[np.float64]:
    return np.array(tensor.detach().cpu().double().numpy())


def read_linear(stack: Stack, layer: Any) -> Stack:
    affine = stack.affine.then(to_array(layer.weight).T)
    if layer.bias is not None:
        affine = affine.plus(to_array(layer.bias))
    return stack.map(affine)


def read_batch_norm(stack: Stack, layer: Any) -> Stack:
    if layer.running_mean is None:
        raise ModelError("BatchNorm1d must have running statistics; got none")
    ratio = 1.0 / np.sqrt(to_array(layer.running_var) + layer.eps)
    if layer.weight is not None:
        ratio = ratio * to_array(layer.weight)
    affine = stack.affine.plus(-to_array(layer.running_mean)).times(ratio)
    if layer.bias is not None:
        affine = affine.plus(to_array(layer.bias))
    return stack.map(affine)
