# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs of multilayer perceptrons, as other libraries write them."""
from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import Any, Literal

from .._files import checked_path
from ..errors import ModelError
from ..model import Model
from .document import ModelDocument, to_model
from .json_text import parse_json
from .library import import_library
from .network import Stack
from .onnx_operators import (
    Constant,
    Label,
    Network,
    Node,
    Probabilities,
    Sigmoid,
    Value,
    read_node,
)

__all__ = ["Task", "finish_raw", "read_onnx"]

Task = Literal["auto", "classification", "regression"]
MAX_FILE_BYTES = 2**31
DOMAINS = ("", "ai.onnx", "ai.onnx.ml")


def read_onnx(path: str | os.PathLike[str], task: Task = "auto") -> Model:
    """Reads the ONNX graph of a multilayer perceptron.

    It understands what skl2onnx writes for ``MLPClassifier`` and ``MLPRegressor``, what
    onnxmltools writes for Spark's model, what PyTorch exports for linear layers, and the
    graphs of `write_onnx` with sigmoid, tanh and ReLU. Scalers, batch normalisation and
    layers without an activation become a part of other layers. A graph in float32 becomes
    a model in float64 with the same weights.

    Parameters
    ----------
    path : path
    task : "auto", "classification" or "regression"
        What several outputs without a softmax are; "auto" refuses them.

    Raises
    ------
    ModelError
        If the file is no ONNX graph, or has an operator that no layer of a model has; the
        text names the operator.
    ImportError
        If onnx is missing.

    Examples
    --------
    >>> import mlp, tempfile
    >>> from mlp.formats import read_onnx, write_onnx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = mlp.MLPClassifier(layers=[2, 3, 2], seed=1).fit(X, y).model_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_onnx(model, folder + "/xor.onnx")
    ...     read_onnx(folder + "/xor.onnx").layers
    [2, 3, 2]
    """
    proto = load(path)
    values = read_graph(proto.graph)
    outputs = [values.get(output.name) for output in proto.graph.output]
    document = finish(outputs, task)
    names = {entry.key: entry.value for entry in proto.metadata_props}.get("featureNames")
    if names:
        document = replace(document, feature_names=parse_names(names))
    return to_model(document)


def load(path: str | os.PathLike[str]) -> Any:
    onnx = import_library("onnx", "onnx")
    name = checked_path(path)
    status = os.stat(name)
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{name}: must be a regular file of ONNX; it is a folder or a device")
    if status.st_size > MAX_FILE_BYTES:
        raise ModelError(f"{name}: an ONNX file has at most 2 GB")
    try:
        proto = onnx.load(name, load_external_data=False)
        onnx.checker.check_model(proto)
    except OSError:
        raise
    except Exception as error:  # protobuf and onnx have no common base
        sentence = str(error).strip().partition("\n")[0]
        raise ModelError(f"{name}: is no ONNX graph; {sentence}") from error
    return proto


def read_graph(graph: Any) -> dict[str, Value]:
    """Reads the nodes in their order, which is that of the computation."""
    attribute_of = import_library("onnx.helper", "onnx").get_attribute_value
    values: dict[str, Value] = {}
    for tensor in graph.initializer:
        values[tensor.name] = read_constant(tensor)
    inputs = [entry.name for entry in graph.input if entry.name not in values]
    if len(inputs) != 1:
        raise ModelError(f"the graph must have one input, the features; got {len(inputs)}")
    values[inputs[0]] = Network(Stack())
    for proto in graph.node:
        attributes = {item.name: attribute_of(item) for item in proto.attribute}
        if proto.op_type == "Constant" and "value" in attributes:
            values[proto.output[0]] = read_constant(attributes["value"])
            continue
        if proto.domain not in DOMAINS:
            raise ModelError(f"the ONNX operator {proto.op_type} of {proto.domain} is not known")
        known = tuple(values.get(name) for name in proto.input)
        values[proto.output[0]] = read_node(Node(proto.op_type, attributes, known))
    return values


def read_constant(tensor: Any) -> Constant:
    if tensor.data_location:
        raise ModelError("weights in a file of their own are not supported; save one file")
    try:
        return Constant(import_library("onnx.numpy_helper", "onnx").to_array(tensor))
    except (TypeError, ValueError) as error:
        raise ModelError(f"the ONNX tensor {tensor.name} is damaged; {error}") from error


def finish(outputs: list[Value | None], task: Task) -> ModelDocument:
    """Makes the document of what the graph puts out."""
    names = next((value.names for value in outputs if isinstance(value, Label)), ())
    for value in outputs:
        if isinstance(value, Probabilities):
            stack = value.stack
            return stack.binary_classifier(names) if value.is_pair else stack.classifier(names)
    for value in outputs:
        if isinstance(value, Sigmoid):
            return value.before.binary_classifier(names)
        if isinstance(value, Network):
            return finish_raw(value.stack, "classification" if names else task)
    raise ModelError("the graph must put out the probabilities of classes, or numbers")


def finish_raw(stack: Stack, task: Task) -> ModelDocument:
    """Ends a network whose last layer has no activation."""
    num_outputs = len(stack.end_layer("").bias)
    if task == "classification":
        return stack.binary_classifier() if num_outputs == 1 else stack.classifier()
    if task == "regression" or num_outputs == 1:
        return stack.regressor()
    raise ModelError(
        f"the network ends with {num_outputs} outputs without a softmax: pass "
        "task='classification' if they are scores of classes, or task='regression'"
    )


def parse_names(text: str) -> tuple[str, ...]:
    names = parse_json(text, "the metadata featureNames of the ONNX graph")
    return tuple(map(str, names)) if isinstance(names, list) else ()
