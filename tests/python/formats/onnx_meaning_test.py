# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs that mean more than a model: refused, and no part of them is dropped."""

import pathlib
import re

import numpy as np
import pytest
from mlp import Model, ModelError, ParamError
from mlp.formats import read_onnx

from formats.networks import TOLERANCE, random_rows

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

CONSTANTS = """
    <double[4,2] W = {1, -2, 3, 0.5, -1, 2, 0.25, 1}, double[4,1] V = {1, -2, 3, 0.5},
     double[2] b = {0.5, -0.5}, double[3] three = {1, 2, 3}, double[1,1,2] deep = {1, 2},
     double[2,1] column = {1, 2}, double[2] variance = {0.5, 2}, double[4] four = {1, 2, 3, 4},
     double half = {0.5}, double one = {1}, int64[2] twos = {0, 2}, int64[2] numbers = {5, 7},
     int64[1] zero = {0}, bool yes = {1}, int64[2] flat = {0, 2},
     string[2] names = {"no", "yes"}, string[3] many = {"a", "b", "c"},
     float[2] halves = {0.5, 1.5}>
"""
PROBABILITIES = "z = MatMul(x, W) p = Softmax <axis = 1> (z)"
SIGMOID = "z = MatMul(x, V) p = Sigmoid(z)"


def save(
    folder: pathlib.Path, nodes: str, outputs: str = "double[N,M] p", inputs: str = "double[N,4] x",
    opset: int = 17,
) -> pathlib.Path:
    """Saves a graph in ONNX's text format."""
    header = f'<ir_version: 8, opset_import: ["": {opset}, "ai.onnx.ml": 3]>'
    nodes = re.sub(r"(?m)(?<=\)) +(?=\w)", "\n", nodes)
    text = f"{header} graph ({inputs}) => ({outputs}) {CONSTANTS} {{ {nodes} }}"
    path = folder / "model.onnx"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


def run(path: pathlib.Path, X: np.ndarray) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return list(session.run(None, {session.get_inputs()[0].name: X}))


def check_refused(path: pathlib.Path, sentence: str) -> None:
    with pytest.raises(ModelError, match=f"^{re.escape(sentence)}$"):
        read_onnx(path)


OPERATOR = "a model has no part for the ONNX operator "
NUMBERS = "the probabilities of classes, or numbers"
TRAINING = (
    "BatchNormalization: it must be in inference mode; got training mode, which normalises by "
    "the batch; export the network in evaluation mode"
)
NORM = "z = MatMul(x, W) p = BatchNormalization"

# The nodes and outputs of a graph, the version of the operators, and the sentence.
REFUSED: dict[str, tuple[str, str, int, str]] = {
    "two outputs of a network": (
        "z = MatMul(x, W) p = Softmax(z)", "double[N,M] z, double[N,M] p", 17,
        "a model has one output besides the label; the graph has 'z', 'p'; save a graph with "
        "one of them",
    ),
    "two networks": (
        "price = MatMul(x, V) size = Gemm(x, V)", "double[N,M] price, double[N,M] size", 17,
        "a model has one output besides the label; the graph has 'price', 'size'; save a graph "
        "with one of them",
    ),
    "an output that is a constant": (
        PROBABILITIES, "double[N,M] p, double[M] b", 17,
        "a model has one output besides the label; the graph has 'p', 'b'; save a graph with "
        "one of them",
    ),
    "the probability of class 0": (
        f"{SIGMOID} q = Sub(one, p)", "double[N,M] q", 17,
        f"the output 'q' must be {NUMBERS}",
    ),
    "no output but a label": (
        f"{PROBABILITIES} label = ArgMax <axis = 1> (p)", "int64[N] label", 17,
        f"the graph must put out {NUMBERS}",
    ),
    "a label of another network": (
        f"{PROBABILITIES} u = Add(z, b) label = ArgMax <axis = 1> (u)",
        "int64[N] label, double[N,M] p", 17,
        "the label must be that of the largest probability; got another network",
    ),
    "outputs side by side": (
        "z = Gemm(x, W) u = Concat <axis = 1> (z, z)", "double[N,M] u", 17,
        f"{OPERATOR}Concat: its inputs must be the probabilities of two classes",
    ),
    "many names": (
        f"{PROBABILITIES} i = ArgMax <axis = 1, keepdims = 0> (p) label = Gather(many, i)",
        "string[N] label, double[N,M] p", 17,
        "the graph must have a name for each of its 2 classes; got 3: a, b, c",
    ),
    "names of names": (
        f"{PROBABILITIES} i = ArgMax <axis = 1, keepdims = 0> (p) j = Gather(twos, i) "
        "label = Gather(many, j)",
        "string[N] label, double[N,M] p", 17,
        f"{OPERATOR}Gather: it must take the name of the predicted class",
    ),
    "names of two outputs": (
        f"{PROBABILITIES} i = ArgMax <axis = 1, keepdims = 0> (p) label = Gather(names, i) "
        "other = Gather(numbers, i)",
        "string[N] label, int64[N] other, double[N,M] p", 17,
        "the outputs must have the same names of classes; got no, yes and 5, 7",
    ),
    "the last of equal scores": (
        f"{PROBABILITIES} label = ArgMax <axis = 1, select_last_index = 1> (p)",
        "int64[N] label, double[N,M] p", 17,
        f"{OPERATOR}ArgMax: select_last_index must be 0",
    ),
    "the largest of one output": (
        "p = MatMul(x, V) label = ArgMax <axis = 1> (p)", "int64[N] label, double[N,M] p", 17,
        f"{OPERATOR}ArgMax: its input must have an output for each class",
    ),
    "a label as a truth value": (
        f"{PROBABILITIES} i = ArgMax <axis = 1> (p) label = Cast <to = 9> (i)",
        "bool[N] label, double[N,M] p", 17,
        f"{OPERATOR}Cast: a label must be a text or a number of 32 bits or more",
    ),
    "probabilities as integers": (
        f"{PROBABILITIES} q = Cast <to = 7> (p)", "int64[N,M] q", 17,
        f"{OPERATOR}Cast: the network must compute with float32 or float64",
    ),
    "constants as integers": (
        "z = MatMul(x, W) i = Cast <to = 7> (halves) p = Add(z, i)", "double[N,M] p", 17,
        f"{OPERATOR}Cast: the network must compute with float32 or float64",
    ),
    "batch norm in training": (
        f"{NORM} <training_mode = 1> (z, b, b, b, variance)",
        "double[N,M] p", 17, OPERATOR + TRAINING,
    ),
    "batch norm with statistics": (
        "z = MatMul(x, W) p, m, v, sm, sv = BatchNormalization (z, b, b, b, variance)",
        "double[N,M] p", 9, OPERATOR + TRAINING,
    ),
    "batch norm of the first versions": (
        f"{NORM} (z, b, b, b, variance)",
        "double[N,M] p", 6, OPERATOR + TRAINING,
    ),
    "dropout of the first versions": (
        "z = MatMul(x, W) p = Dropout(z)", "double[N,M] p", 6,
        f"{OPERATOR}Dropout: training_mode must be false",
    ),
    "an axis of the first versions": (
        "z = MatMul(x, W) p = Add <axis = 0, broadcast = 1> (z, b)", "double[N,M] p", 6,
        f"{OPERATOR}Add: axis must be 1 or -1; got 0",
    ),
    "a reshape to nothing": (
        f"{PROBABILITIES.replace('p = Softmax <axis = 1> (z)', '')} "
        "p = Reshape <allowzero = 1> (z, flat)",
        "double[N,M] p", 17, f"{OPERATOR}Reshape: allowzero must be 0",
    ),
    "a constant of three dimensions": (
        "z = MatMul(x, W) p = Add(z, deep)", "double[N,M] p", 17,
        f"{OPERATOR}Add: its constant must be a vector; got the shape (1, 1, 2)",
    ),
    "a bias for each row": (
        "p = Gemm(x, W, column)", "double[N,M] p", 17,
        f"{OPERATOR}Gemm: its constant must be a vector; got the shape (2, 1)",
    ),
    "one output and three numbers": (
        "z = MatMul(x, V) p = Add(z, three)", "double[N,M] p", 17,
        "a constant must have 1 numbers, one for each output before it, or one for all; got 3",
    ),
    "texts as weights": (
        "z = MatMul(x, W) p = Add(z, names)", "double[N,M] p", 17,
        f"{OPERATOR}Add: its constant must be numbers; got the type object",
    ),
    "an output of dropout that no reader knows": (
        "z = MatMul(x, W) q, mask = Dropout(z) p = Gemm(q, W, mask)", "double[N,M] p", 17,
        "the ONNX operator Gemm reads 'mask', which is no output, dense constant or input that "
        "this reader knows",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_what_a_model_cannot_mean(name: str, tmp_path: pathlib.Path) -> None:
    nodes, outputs, opset, sentence = REFUSED[name]

    check_refused(save(tmp_path, nodes, outputs, opset=opset), sentence)


# The input, the nodes, and the sentence.
INPUTS: dict[str, tuple[str, str, str]] = {
    "images": (
        "double[N,1,4] x", "p = MatMul(x, W)",
        f"{OPERATOR}MatMul: the input of the graph must be floats [instances x features] before "
        "it, by Cast or Flatten",
    ),
    "one row": (
        "double[4] x", "p = MatMul(x, W)",
        f"{OPERATOR}MatMul: the input of the graph must be floats [instances x features] before "
        "it, by Cast or Flatten",
    ),
    "a constant for each column of images": (
        "double[N,1,4] x", "u = Sub(x, four) v = Flatten(u) p = MatMul(v, W)",
        f"{OPERATOR}Sub: its constant must be one number before the input is [instances x "
        "features]; got 4 numbers",
    ),
    "a division of integers": (
        "int64[N,4] x", "u = Div(x, zero) v = Cast <to = 11> (u) p = MatMul(v, W)",
        f"{OPERATOR}Div: its first input must be the network",
    ),
    "texts": (
        "string[N,4] x", "u = Cast <to = 11> (x) p = MatMul(u, W)",
        "the input 'x' must be a tensor of numbers",
    ),
    "half precision": (
        "float16[N,4] x", "u = Cast <to = 11> (x) p = MatMul(u, W)",
        "the input 'x' must be a tensor of numbers",
    ),
    "another width": (
        "double[N,5] x", "p = Gemm(x, V)",
        "the input 'x' must have 4 features, as the first layer; got 5",
    ),
}


@pytest.mark.parametrize("name", INPUTS)
def test_refuses_inputs_that_are_no_features(name: str, tmp_path: pathlib.Path) -> None:
    inputs, nodes, sentence = INPUTS[name]

    check_refused(save(tmp_path, nodes, inputs=inputs), sentence)


def test_refuses_a_sparse_bias(tmp_path: pathlib.Path) -> None:
    path = save(tmp_path, "p = Gemm(x, W, bias)", inputs="double[N,4] x, double[2] bias")
    proto = onnx.load(path)
    del proto.graph.input[1]
    values = onnx.numpy_helper.from_array(np.array([9.0]), "bias")
    places = onnx.numpy_helper.from_array(np.array([1]), "places")
    proto.graph.sparse_initializer.append(onnx.helper.make_sparse_tensor(values, places, [2]))
    onnx.save(proto, path)

    check_refused(
        path,
        "the ONNX operator Gemm reads 'bias', which is no output, dense constant or input that "
        "this reader knows",
    )


def test_refuses_a_task_that_the_graph_has_not(tmp_path: pathlib.Path) -> None:
    for nodes in (PROBABILITIES, SIGMOID):
        with pytest.raises(ModelError, match="^the graph predicts classes, so that it is no reg"):
            read_onnx(save(tmp_path, nodes), task="regression")
    with pytest.raises(ParamError, match="^task must be one of auto, class.*; got 'regress'$"):
        read_onnx(save(tmp_path, SIGMOID), task="regress")  # type: ignore[arg-type]


def check_probabilities(path: pathlib.Path, X: np.ndarray, output: int = 0) -> Model:
    model = read_onnx(path)
    expected = run(path, X)[output]
    received = model.predict_proba(X.reshape(len(X), -1).astype(float))
    assert abs(received - expected).max() <= TOLERANCE
    return model


def test_reads_scores_and_their_names(tmp_path: pathlib.Path) -> None:
    nodes = (
        "z = MatMul(x, W) i = ArgMax <axis = 1, keepdims = 0> (z) label = Gather(names, i)"
    )
    path = save(tmp_path, nodes, "string[N] label, double[N,M] z")
    X = random_rows(4)
    label, scores = run(path, X)

    model = read_onnx(path)

    assert model.labels == ["no", "yes"]
    assert (model.predict(X) == label).all()
    assert abs(model.decision_function(X) - scores).max() <= TOLERANCE * abs(scores).max()


def test_reads_scores_and_their_index_as_a_classifier(tmp_path: pathlib.Path) -> None:
    nodes = "z = MatMul(x, W) label = ArgMax <axis = 1, keepdims = 0> (z)"
    path = save(tmp_path, nodes, "int64[N] label, double[N,M] z")
    X = random_rows(4)

    model = read_onnx(path)

    assert not model.is_regressor
    assert (model.predict(X) == run(path, X)[0]).all()


def test_reads_the_names_of_a_zip_map(tmp_path: pathlib.Path) -> None:
    nodes = f"{PROBABILITIES} m = ai.onnx.ml.ZipMap <classlabels_int64s = [5, 7]> (p)"

    model = read_onnx(save(tmp_path, nodes, "seq(map(int64, float)) m"))

    assert model.labels == ["5", "7"]


def test_refuses_a_zip_map_with_other_names_than_the_label(tmp_path: pathlib.Path) -> None:
    nodes = (
        f"{PROBABILITIES} m = ai.onnx.ml.ZipMap <classlabels_int64s = [7, 5]> (p) "
        "i = ArgMax <axis = 1, keepdims = 0> (p) label = Gather(numbers, i)"
    )

    check_refused(
        save(tmp_path, nodes, "int64[N] label, seq(map(int64, float)) m"),
        "the outputs must have the same names of classes; got 5, 7 and 7, 5",
    )


def test_reads_images_that_are_scaled_and_flattened(tmp_path: pathlib.Path) -> None:
    nodes = "u = Div(x, half) v = Flatten(u) z = MatMul(v, W) p = Softmax(z)"
    path = save(tmp_path, nodes, inputs="double[N,2,2] x")

    check_probabilities(path, random_rows(4).reshape(-1, 2, 2) / 10)


def test_reads_integers_that_become_floats(tmp_path: pathlib.Path) -> None:
    nodes = "u = Cast <to = 11> (x) v = Mul(u, half) z = MatMul(v, W) p = Softmax(z)"
    path = save(tmp_path, nodes, inputs="int64[N,4] x")

    check_probabilities(path, np.arange(12).reshape(3, 4) % 5)


@pytest.mark.parametrize("opset", [11, 12, 13, 17])
def test_reads_a_softmax_without_an_axis(opset: int, tmp_path: pathlib.Path) -> None:
    path = save(tmp_path, "z = MatMul(x, W) p = Softmax(z)", opset=opset)

    check_probabilities(path, random_rows(4) / 10)


def test_reads_batch_norm_in_inference_of_other_versions(tmp_path: pathlib.Path) -> None:
    nodes = "z = MatMul(x, W) n = BatchNormalization(z, b, b, b, variance) p = Softmax(n)"
    for opset in (9, 14, 17):
        check_probabilities(save(tmp_path, nodes, opset=opset), random_rows(4) / 10)


def test_reads_an_unused_constant_and_an_optional_input(tmp_path: pathlib.Path) -> None:
    nodes = "z = Gemm <beta = 2.0, alpha = 0.5> (x, W, b) d = Dropout(z) p = Softmax(d)"
    path = save(tmp_path, nodes)

    check_probabilities(path, random_rows(4) / 10)
