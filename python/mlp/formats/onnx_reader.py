# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs of multilayer perceptrons, as other libraries write them."""
from __future__ import annotations

import math
import os
import stat
from typing import Any, Literal

from .._files import checked_path
from ..errors import ModelError, ParamError
from ..model import Model
from .json_text import parse_json
from .library import import_library
from .network import Stack
from .onnx_operators import FLOATS, read_node
from .onnx_values import (
    Constant,
    Features,
    Label,
    Network,
    Node,
    Probabilities,
    Sigmoid,
    Value,
)

__all__ = ["Task", "finish_raw", "read_onnx"]

Task = Literal["auto", "classification", "regression"]
MAX_FILE_BYTES = 2**31
DOMAINS = ("", "ai.onnx", "ai.onnx.ml")
TASKS = ("auto", "classification", "regression")
# float32, float64 and the integers of 8 to 64 bits, of ONNX's TensorProto.
NUMBERS = (*FLOATS, 2, 3, 4, 5, 6, 7, 12, 13)


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
        If the file is not an ONNX graph, or has an operator that no layer of a model has; the
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
    if task not in TASKS:
        raise ParamError(f"task must be one of {', '.join(TASKS)}; got {task!r}")
    proto = load(path)
    values = read_graph(proto)
    outputs = {output.name: values.get(output.name) for output in proto.graph.output}
    model = finish(outputs, task)
    check_width(proto.graph, model.layers[0])
    names = {entry.key: entry.value for entry in proto.metadata_props}.get("featureNames")
    return model._replace(feature_names=parse_names(names)) if names else model


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


def read_graph(proto: Any) -> dict[str, Value]:
    """Reads the nodes in their order, which is that of the computation."""
    attribute_of = import_library("onnx.helper", "onnx").get_attribute_value
    graph, opset = proto.graph, find_opset(proto)
    values: dict[str, Value] = {}
    for tensor in graph.initializer:
        values[tensor.name] = read_constant(tensor)
    values[find_input(graph).name] = read_input(find_input(graph))
    for node in graph.node:
        attributes = {item.name: attribute_of(item) for item in node.attribute}
        if node.op_type == "Constant" and "value" in attributes:
            values[node.output[0]] = read_constant(attributes["value"])
            continue
        if node.domain not in DOMAINS:
            raise ModelError(f"the ONNX operator {node.op_type} of {node.domain} is not known")
        for name in node.input:
            if name and name not in values:
                raise ModelError(
                    f"the ONNX operator {node.op_type} reads {name!r}, which is no output, "
                    "dense constant or input that this reader knows"
                )
        inputs = tuple(values[name] if name else None for name in node.input)
        num_outputs = sum(1 for name in node.output if name)
        values[node.output[0]] = read_node(
            Node(node.op_type, attributes, inputs, num_outputs, opset)
        )
    return values


def find_opset(proto: Any) -> int:
    """Returns the version of ONNX's own operators."""
    for function in proto.functions:
        if function.domain in DOMAINS:
            raise ModelError(f"the graph must not define the ONNX operator {function.name} anew")
    return max((entry.version for entry in proto.opset_import if entry.domain in DOMAINS[:2]),
               default=1)


def find_input(graph: Any) -> Any:
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]
    if len(inputs) != 1:
        raise ModelError(f"the graph must have one input, the features; got {len(inputs)}")
    return inputs[0]


def read_input(entry: Any) -> Value:
    """Reads the type and the shape of the features."""
    kind = entry.type.tensor_type
    if kind.elem_type not in NUMBERS:
        raise ModelError(f"the input {entry.name!r} must be a tensor of numbers")
    is_flat = not kind.HasField("shape") or len(kind.shape.dim) == 2
    return Features(Stack(), kind.elem_type in FLOATS, is_flat).settle()


def check_width(graph: Any, num_features: int) -> None:
    """Compares the shape of the input with the first layer."""
    entry = find_input(graph)
    sizes = [dim.dim_value for dim in entry.type.tensor_type.shape.dim[1:]]
    if sizes and all(sizes) and math.prod(sizes) != num_features:
        raise ModelError(
            f"the input {entry.name!r} must have {num_features} features, as the first layer; "
            f"got {math.prod(sizes)}"
        )


def read_constant(tensor: Any) -> Constant:
    if tensor.data_location:
        raise ModelError("weights in a file of their own are not supported; save one file")
    try:
        return Constant(import_library("onnx.numpy_helper", "onnx").to_array(tensor))
    except (TypeError, ValueError) as error:
        raise ModelError(f"the ONNX tensor {tensor.name} is damaged; {error}") from error


def finish(outputs: dict[str, Value | None], task: Task) -> Model:
    """Makes the model from the outputs of the graph."""
    labels = [value for value in outputs.values() if isinstance(value, Label)]
    others = {name: value for name, value in outputs.items() if not isinstance(value, Label)}
    if not others:
        raise ModelError("the graph must put out the probabilities of classes, or numbers")
    if len(others) > 1:
        raise ModelError(
            "a model has one output besides the label; the graph has "
            f"{', '.join(map(repr, others))}; save a graph with one of them"
        )
    ((name, value),) = others.items()
    if isinstance(value, Sigmoid):
        stack, is_pair = value.before, True
    elif isinstance(value, (Network, Probabilities)):
        stack = value.stack
        is_pair = isinstance(value, Probabilities) and value.is_pair
    else:
        raise ModelError(f"the output {name!r} must be the probabilities of classes, or numbers")
    names = find_names(value, labels, stack)
    if task == "regression" and (labels or not isinstance(value, Network)):
        raise ModelError(
            "the graph predicts classes, so that it is no regressor; leave out task='regression'"
        )
    if isinstance(value, Network) and not labels:
        return finish_raw(stack, task)
    num_classes = 2 if is_pair else len(stack.end_layer("").bias)
    if names and len(names) != num_classes:
        raise ModelError(
            f"the graph must have a name for each of its {num_classes} classes; got "
            f"{len(names)}: {', '.join(names)}"
        )
    return stack.binary_classifier(names) if is_pair else stack.classifier(names)


def find_names(value: Value, labels: list[Label], stack: Stack) -> tuple[str, ...]:
    """Returns the names of the classes; all outputs must agree."""
    names = [label.names for label in labels if label.names]
    if isinstance(value, Probabilities) and value.names:
        names.append(value.names)
    if any(label.stack is not stack for label in labels):
        raise ModelError("the label must be that of the largest probability; got another network")
    if len(set(names)) > 1:
        raise ModelError(
            "the outputs must have the same names of classes; got "
            f"{' and '.join(', '.join(some) for some in names)}"
        )
    return names[0] if names else ()


def finish_raw(stack: Stack, task: Task) -> Model:
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
