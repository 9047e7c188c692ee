# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models as ONNX graphs in float64, of the operators that onnxruntime has in float64."""
from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import checked_path, write_file
from ..errors import ModelError
from ..model import Model
from .library import import_library
from .network import PlainLayer, inverse_deviation, plain_layers
from .regions import warn_of_lost_regions

__all__ = ["write_onnx"]

OPSET, IR_VERSION = 17, 8  # of onnxruntime 1.13 (2022) and later


class GraphBuilder:
    """Collects the nodes and the constants of a graph. Each node has one output."""

    def __init__(self) -> None:
        self._onnx = import_library("onnx", "onnx")
        self._helper = import_library("onnx.helper", "onnx")
        self._numpy_helper = import_library("onnx.numpy_helper", "onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Adds a node, and returns the name of its output."""
        name = output or f"{operator}_{len(self._nodes)}"
        node = self._helper.make_node(operator, list(inputs), [name], name, **attributes)
        self._nodes.append(node)
        return name

    def constant(self, value: Any) -> str:
        """Adds an array: float64 for numbers, int64 for integers, or texts."""
        name = f"constant_{len(self._constants)}"
        array = np.asarray(value)
        if array.dtype.kind == "U":
            texts = [text.encode() for text in array.tolist()]
            tensor = self._helper.make_tensor(
                name, self._onnx.TensorProto.STRING, array.shape, texts
            )
        else:
            tensor = self._numpy_helper.from_array(np.ascontiguousarray(array), name)
        self._constants.append(tensor)
        return name

    def value(self, name: str, kind: str, *shape: int | str) -> Any:
        """Describes an input or an output of the graph."""
        element = getattr(self._onnx.TensorProto, kind)
        return self._helper.make_tensor_value_info(name, element, list(shape))

    def finish(self, inputs: list[Any], outputs: list[Any], facts: dict[str, str]) -> Any:
        """Makes the model and checks it."""
        graph = self._helper.make_graph(self._nodes, "mlp", inputs, outputs, self._constants)
        opsets = [self._helper.make_opsetid("", OPSET)]
        model = self._helper.make_model(
            graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="mlp"
        )
        self._helper.set_model_props(model, facts)
        self._onnx.checker.check_model(model)
        return model


def write_onnx(model: Model, path: str | os.PathLike[str]) -> None:
    """Writes an ONNX graph that computes what the model predicts, in float64.

    The input is ``features`` [instances x features], not yet scaled. The outputs of a
    classifier are ``label`` [instances], the name of the predicted class or its index if
    the classes have no names, and ``probabilities`` [instances x classes]. The label obeys
    the thresholds. The output of a regressor is ``prediction`` [instances x outputs].
    Prediction intervals and sets are left out, with a warning.

    Parameters
    ----------
    model : Model
    path : path
        An existing file is replaced as a whole, or stays as it was. A device or a pipe
        is written to.

    Raises
    ------
    ModelError
        If the model encodes columns of its data file, or has more than 2 GB.
    ResourceError
        If the file cannot be written.
    ImportError
        If onnx is missing.

    Examples
    --------
    >>> import mlp, os, tempfile
    >>> from mlp.formats import write_onnx
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = mlp.MLPClassifier(layers=[2, 3, 2], seed=1).fit(X, y).model_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_onnx(model, folder + "/xor.onnx")
    ...     os.listdir(folder)
    ['xor.onnx']
    """
    checked_path(path)
    reason, _ = model._core.export_problem("onnx")
    if reason:
        advice = "; train it on encoded features" if model._core.has_encoding else ""
        raise ModelError(f"ONNX cannot express this model: {reason}{advice}")
    warn_of_lost_regions(model, "ONNX")
    graph = make_graph(model)
    write_file(path, graph.SerializeToString(deterministic=True))


def make_graph(model: Model) -> Any:
    """Makes the ONNX model of a model."""
    graph = GraphBuilder()
    num_outputs = model.layers[-1]
    facts = {"uid": model._core.uid}
    if model.feature_names:
        facts["featureNames"] = json.dumps(model.feature_names)
    raw = add_network(graph, model)
    features = graph.value("features", "DOUBLE", "instances", model.num_features)
    if model.is_regressor:
        graph.add("Identity", raw, output="prediction")
        outputs = [graph.value("prediction", "DOUBLE", "instances", num_outputs)]
        return graph.finish([features], outputs, facts)
    graph.add("Softmax", raw, output="probabilities", axis=1)
    add_label(graph, model, raw)
    outputs = [
        graph.value("label", "STRING" if model.labels else "INT64", "instances"),
        graph.value("probabilities", "DOUBLE", "instances", num_outputs),
    ]
    return graph.finish([features], outputs, facts)


def add_network(graph: GraphBuilder, model: Model) -> str:
    """Adds the nodes from the features to the outputs of the last layer."""
    inputs = "features"
    bins = add_bins(graph, model)
    if model._core.scaler is not None:
        mean, deviation = model._core.scaler
        inputs = graph.add("Sub", inputs, graph.constant(mean))
        inputs = graph.add("Mul", inputs, graph.constant(inverse_deviation(deviation)))
    if bins:
        inputs = graph.add("Concat", inputs, bins, axis=1)
    for layer in plain_layers(model):
        inputs = add_layer(graph, layer, inputs)
    return inputs


def add_bins(graph: GraphBuilder, model: Model) -> str:
    """Adds the bins of the features as they are; empty if the model has none."""
    if model._core.bins is None or not model._core.bins[0]:
        return ""
    features, begins, widths = map(np.array, model._core.bins)
    numbers = graph.add("Gather", "features", graph.constant(features), axis=1)
    shifted = graph.add("Sub", numbers, graph.constant(begins))
    shares = graph.add("Div", shifted, graph.constant(widths))
    return graph.add("Clip", shares, graph.constant(0.0), graph.constant(1.0))


def add_layer(graph: GraphBuilder, layer: PlainLayer, inputs: str) -> str:
    """Adds a layer. onnxruntime 1.15 joins Gemm and Sigmoid to a kernel for float32 only."""
    product = graph.add("MatMul", inputs, graph.constant(layer.matrix))
    outputs = graph.add("Add", product, graph.constant(layer.bias))
    if layer.activation:
        outputs = add_activation(graph, layer.activation, outputs)
    if layer.is_residual:
        if layer.projection is not None:
            inputs = graph.add("MatMul", inputs, graph.constant(layer.projection))
        outputs = graph.add("Add", outputs, inputs)
    return outputs


def add_activation(graph: GraphBuilder, name: str, z: str) -> str:
    """Adds an activation; onnxruntime has LeakyRelu, Elu and Softplus in float32 only."""
    operators = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu"}
    if name in operators:
        return graph.add(operators[name], z)
    if name == "leaky-relu":
        return graph.add("Max", z, graph.add("Mul", z, graph.constant(0.01)))
    if name == "swish":
        # onnxruntime 1.15 replaces z * Sigmoid(z) by a kernel for float32 only.
        exponential = graph.add("Exp", graph.add("Neg", z))
        return graph.add("Div", z, graph.add("Add", exponential, graph.constant(1.0)))
    positive = graph.add("Relu", z)
    if name == "elu":
        exponential = graph.add("Exp", graph.add("Min", z, graph.constant(0.0)))
        negative = graph.add("Sub", exponential, graph.constant(1.0))
        return graph.add("Add", positive, negative)
    if name == "softplus":
        exponential = graph.add("Exp", graph.add("Neg", graph.add("Abs", z)))
        logarithm = graph.add("Log", graph.add("Add", exponential, graph.constant(1.0)))
        return graph.add("Add", positive, logarithm)
    raise ModelError(f"ONNX cannot express this model: it has the activation {name}")


def add_label(graph: GraphBuilder, model: Model, raw: str) -> None:
    """Adds the predicted class: the first with the largest score."""
    scores = add_scores(graph, np.array(model.thresholds)) if model.thresholds else raw
    if not model.labels:
        graph.add("ArgMax", scores, output="label", axis=1, keepdims=0)
        return
    index = graph.add("ArgMax", scores, axis=1, keepdims=0)
    names = graph.constant(np.array(model._core.class_names))
    graph.add("Gather", names, index, output="label")


def add_scores(graph: GraphBuilder, thresholds: NDArray[np.float64]) -> str:
    """Adds probability / threshold.

    A class of threshold 0 has an infinite score if its probability is above 0, and
    otherwise one below all others.
    """
    is_zero = thresholds == 0
    divisors = np.where(is_zero, 1.0, thresholds)
    scores = graph.add("Div", "probabilities", graph.constant(divisors))
    if not is_zero.any():
        return scores
    is_possible = graph.add("Greater", "probabilities", graph.constant(0.0))
    infinite = graph.add("Where", is_possible, graph.constant(np.inf), graph.constant(-1.0))
    return graph.add("Where", graph.constant(is_zero), infinite, scores)
