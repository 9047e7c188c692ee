# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs that other libraries wrote, compared with onnxruntime."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlp import ModelError
from mlp.formats import read_onnx, write_onnx

from formats.networks import GOLDEN, TOLERANCE, random_model, random_rows, random_scaler

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
helper = onnx.helper

# The converters of other libraries write float32 unless they are asked for float64.
FLOAT32_TOLERANCE = 2e-5
CLASSIFIERS = ["skl2onnx_names", "skl2onnx_two_classes", "skl2onnx_identity"]


def run(path: pathlib.Path, X: np.ndarray) -> list[Any]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    kind = np.float32 if session.get_inputs()[0].type == "tensor(float)" else np.float64
    return list(session.run(None, {session.get_inputs()[0].name: X.astype(kind)}))


def to_matrix(probabilities: Any) -> np.ndarray:
    """Turns the dictionaries of ZipMap into a matrix."""
    if isinstance(probabilities, np.ndarray):
        return probabilities
    return np.array([list(row.values()) for row in probabilities])


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_reads_a_classifier_of_scikit_learn(name: str, kind: str) -> None:
    path = GOLDEN / f"onnx/{name}_{kind}.onnx"
    X = random_rows(4)
    label, probabilities = run(path, X)

    model = read_onnx(path)

    tolerance = TOLERANCE if kind == "float64" else FLOAT32_TOLERANCE
    assert abs(model.predict_proba(X) - to_matrix(probabilities)).max() <= tolerance
    assert model.predict(X).tolist() == label.tolist()


def test_keeps_the_layers_and_the_names_of_the_classes() -> None:
    model = read_onnx(GOLDEN / "onnx/skl2onnx_names_float64.onnx")
    linear = read_onnx(GOLDEN / "onnx/skl2onnx_identity_float64.onnx")

    assert (model.layers, model.labels) == ([4, 5, 3], ["high", "low", "mid"])
    assert (linear.layers, linear.labels) == ([4, 3], [])


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_reads_a_regressor_behind_a_scaler(kind: str) -> None:
    path = GOLDEN / f"onnx/skl2onnx_regressor_{kind}.onnx"
    X = random_rows(4)
    (expected,) = run(path, X)

    model = read_onnx(path)

    tolerance = TOLERANCE if kind == "float64" else FLOAT32_TOLERANCE
    assert model.is_regressor
    assert abs(model.predict(X) - expected[:, 0]).max() <= tolerance * abs(expected).max()


def test_reads_what_the_converter_of_spark_wrote() -> None:
    path = GOLDEN / "onnx/onnxmltools_spark.onnx"
    X = random_rows(4)
    label, probabilities = run(path, X)

    model = read_onnx(path)

    assert abs(model.predict_proba(X) - probabilities).max() <= FLOAT32_TOLERANCE
    assert model.predict(X).tolist() == label.tolist()


def test_refuses_several_labels_per_instance() -> None:
    with pytest.raises(ModelError, match="no part for the ONNX operator Binarizer"):
        read_onnx(GOLDEN / "onnx/skl2onnx_several_labels_float64.onnx")


MODELS = {
    "names": random_model((4, 5, 4, 3), label_names=("a", "b"), activations=("relu", "tanh")),
    "scaler": random_model((4, 5, 3), scaler=random_scaler(4), feature_names=tuple("wxyz")),
    "batch norm": random_model((4, 5, 3), batch_norm=(1,)),
    "regressor": random_model((4, 5, 1), loss="squaredError"),
}


@pytest.mark.parametrize("name", MODELS)
def test_reads_what_mlp_wrote(name: str, tmp_path: pathlib.Path) -> None:
    model, X = MODELS[name], random_rows(4)

    write_onnx(model, tmp_path / "model.onnx")
    read = read_onnx(tmp_path / "model.onnx")

    assert abs(read.decision_function(X) - model.decision_function(X)).max() <= TOLERANCE * 100
    assert read.labels == model.labels + (["2"] if model.labels else [])
    assert read.feature_names == model.feature_names


@pytest.mark.parametrize(
    ("model", "operator"),
    [
        (random_model((4, 4, 3), residual=(1,)), "Add"),
        (random_model((4, 4, 3), thresholds=(0.2, 0.3, 0.5)), "Div"),
        (random_model((4, 4, 3), activations=("softplus",)), "Abs"),
    ],
)
def test_names_the_operator_that_no_layer_has(
    model: Any, operator: str, tmp_path: pathlib.Path
) -> None:
    write_onnx(model, tmp_path / "model.onnx")

    with pytest.raises(ModelError, match=f"no part for the ONNX operator {operator}:"):
        read_onnx(tmp_path / "model.onnx")


Node = tuple[str, list[str], dict[str, Any]]
CONSTANTS = {
    "W": np.arange(8.0).reshape(4, 2) - 3,
    "T": np.arange(8.0).reshape(2, 4) - 3,
    "V": np.array([[1.0], [-2.0]]),
    "b": np.array([0.5, -0.5]),
    "column": np.ones((4, 1)),
    "four": np.array([1.0, 2.0, 4.0, 8.0]),
    "one": np.array(1.0),
    "two": np.array(2.0),
    "flat": np.array([-1, 2]),
    "yes": np.array(True),
}


def save_graph(path: pathlib.Path, *nodes: Node, inputs: int = 1) -> pathlib.Path:
    """Saves a graph; each node reads the output of the node before it as "-"."""
    made, last = [], "x0"
    for number, (operator, names, attributes) in enumerate(nodes):
        names = [last if name == "-" else name for name in names]
        domain = "ai.onnx.ml" if operator == "Scaler" else ""
        last = f"y{number}"
        made.append(helper.make_node(operator, names, [last], domain=domain, **attributes))
    kind = onnx.TensorProto.DOUBLE
    graph = helper.make_graph(
        made,
        "graph",
        [helper.make_tensor_value_info(f"x{i}", kind, [None, 4]) for i in range(inputs)],
        [helper.make_tensor_value_info(last, kind, ["rows", "outputs"])],
        [onnx.numpy_helper.from_array(value, name) for name, value in CONSTANTS.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


SOFTMAX: Node = ("Softmax", ["-"], {})
MATMUL: Node = ("MatMul", ["-", "W"], {})
READ: dict[str, tuple[Node, ...]] = {
    "gemm": (("Gemm", ["-", "T", "b"], {"transB": 1, "alpha": 0.5, "beta": 3.0}), SOFTMAX),
    "constant first": (MATMUL, ("Add", ["b", "-"], {}), ("Mul", ["two", "-"], {}), SOFTMAX),
    "scaler": (("Div", ["-", "four"], {}), ("Sub", ["-", "one"], {}), MATMUL, SOFTMAX),
    "reshape": (MATMUL, ("Reshape", ["-", "flat"], {}), SOFTMAX),
    "dropout": (("Flatten", ["-"], {}), MATMUL, ("Dropout", ["-"], {}), SOFTMAX),
    "batch norm": (
        MATMUL,
        ("BatchNormalization", ["-", "b", "b", "b", "p"], {}),
        SOFTMAX,
    ),
    "affine maps": (MATMUL, ("MatMul", ["-", "V"], {}), ("Sigmoid", ["-"], {})),
    "sigmoid": (MATMUL, ("Sigmoid", ["-"], {}), ("MatMul", ["-", "V"], {})),
}
CONSTANTS["p"] = np.array([0.5, 2.0])


@pytest.mark.parametrize("name", READ)
def test_reads_the_forms_of_a_layer(name: str, tmp_path: pathlib.Path) -> None:
    path = save_graph(tmp_path / "model.onnx", *READ[name])
    X = random_rows(4) / 10
    (expected,) = run(path, X)

    model = read_onnx(path)

    if model.is_regressor:
        received = model.predict(X)[:, np.newaxis]
    else:
        received = model.predict_proba(X)[:, -expected.shape[1] :]
    assert abs(received - expected).max() <= TOLERANCE


def test_reads_the_scaler_of_ai_onnx_ml(tmp_path: pathlib.Path) -> None:
    scale = ("Scaler", ["-"], {"offset": [1.0, 2.0, 3.0, 4.0], "scale": [1.0, 0.5, 2.0, 4.0]})
    X = random_rows(4)

    model = read_onnx(save_graph(tmp_path / "model.onnx", scale, MATMUL, SOFTMAX))

    expected = ((X - [1, 2, 3, 4]) * [1, 0.5, 2, 4]) @ CONSTANTS["W"]
    assert abs(model.decision_function(X) - expected).max() <= TOLERANCE * abs(expected).max()


def test_reads_swish_as_pytorch_exports_it(tmp_path: pathlib.Path) -> None:
    gate: Node = ("Sigmoid", ["y0"], {})
    layer = (MATMUL, gate, ("Mul", ["y0", "-"], {}), ("Gemm", ["-", "V"], {}))
    path = save_graph(tmp_path / "model.onnx", *layer)
    X = random_rows(4) / 10

    model = read_onnx(path)

    z = X @ CONSTANTS["W"]
    expected = z / (1 + np.exp(-z)) @ CONSTANTS["V"]
    assert abs(model.predict(X) - expected[:, 0]).max() <= TOLERANCE


def test_asks_what_several_outputs_without_a_softmax_are(tmp_path: pathlib.Path) -> None:
    path = save_graph(tmp_path / "model.onnx", MATMUL)

    with pytest.raises(ModelError, match="2 outputs without a softmax: pass task="):
        read_onnx(path)

    assert read_onnx(path, task="classification").layers == [4, 2]


REFUSED: dict[str, tuple[Node, ...]] = {
    "got the activation relu without one": (("Relu", ["-"], {}), MATMUL),
    "needs a matrix of weights; got the end": (MATMUL, ("Relu", ["-"], {})),
    "Erf: known are Add, ": (MATMUL, ("Erf", ["-"], {})),
    "LeakyRelu: alpha must be 0.01; got 0.5": (MATMUL, ("LeakyRelu", ["-"], {"alpha": 0.5})),
    "Softmax: axis must be 1 or -1; got 0": (MATMUL, ("Softmax", ["-"], {"axis": 0})),
    "MatMul: its first input must be the network": (("MatMul", ["T", "x0"], {}),),
    "MatMul: input 1 must be a constant": (MATMUL, ("MatMul", ["-", "-"], {})),
    "MatMul: its constant must be a matrix": (("MatMul", ["-", "four"], {}),),
    "must have 4 inputs, the outputs before it; got 2": (
        ("Add", ["-", "four"], {}),
        ("MatMul", ["-", "V"], {}),
    ),
    "layer 2 must have 2 inputs, the outputs of layer 1; got 4": (
        MATMUL,
        ("Relu", ["-"], {}),
        MATMUL,
        SOFTMAX,
    ),
    "Gemm: transA must be 0": (("Gemm", ["-", "W"], {"transA": 1}),),
    "Add: its constant must be a vector": (MATMUL, ("Add", ["-", "column"], {})),
    "a constant must have 2 numbers, one for each output": (MATMUL, ("Add", ["-", "four"], {})),
    "Add: its inputs must be the network and a constant": (MATMUL, ("Add", ["-", "-"], {})),
    "Cast: the network must compute with float": (("Cast", ["-"], {"to": 7}), MATMUL),
    "Dropout: training_mode must be false": (("Dropout", ["-", "", "yes"], {}), MATMUL),
    "Reshape: the shape must be": (("Reshape", ["-", "flat"], {}), MATMUL),
    "Flatten: axis must be 1": (("Flatten", ["-"], {"axis": 0}), MATMUL),
    "ArgMax: axis must be 1": (MATMUL, ("ArgMax", ["-"], {"axis": 0})),
    "Concat: its inputs must be the probabilities": (MATMUL, ("Concat", ["-"], {"axis": 1})),
    "must put out the probabilities": (MATMUL, ("ArgMax", ["-"], {"axis": 1})),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses_what_is_no_layer(sentence: str, tmp_path: pathlib.Path) -> None:
    path = save_graph(tmp_path / "model.onnx", *REFUSED[sentence])

    with pytest.raises(ModelError, match=sentence):
        read_onnx(path)


def test_refuses_two_inputs(tmp_path: pathlib.Path) -> None:
    path = save_graph(tmp_path / "model.onnx", MATMUL, SOFTMAX, inputs=2)

    with pytest.raises(ModelError, match="must have one input, the features; got 2"):
        read_onnx(path)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "text": lambda data: b"features,label\n1,2\n",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_refuses_a_file_that_is_no_graph(name: str, tmp_path: pathlib.Path) -> None:
    data = (GOLDEN / "onnx/onnxmltools_spark.onnx").read_bytes()
    (tmp_path / "model.onnx").write_bytes(DAMAGES[name](data))

    with pytest.raises(ModelError, match="is no ONNX graph"):
        read_onnx(tmp_path / "model.onnx")


@pytest.mark.parametrize("text", ["[" * 100_000, '["a"', "[" * 40 + "]" * 40])
def test_refuses_names_of_features_that_are_no_json(text: str, tmp_path: pathlib.Path) -> None:
    write_onnx(random_model((4, 5, 3)), tmp_path / "model")
    proto = onnx.load(tmp_path / "model")
    helper.set_model_props(proto, {"featureNames": text})
    onnx.save(proto, tmp_path / "model")

    with pytest.raises(ModelError, match="the metadata featureNames of the ONNX graph: must be"):
        read_onnx(tmp_path / "model")


def test_no_damaged_byte_does_more_than_raise_an_error(tmp_path: pathlib.Path) -> None:
    data = bytearray((GOLDEN / "onnx/skl2onnx_two_classes_float64.onnx").read_bytes())
    num_errors = 0
    for place in range(0, len(data), 7):
        damaged = bytes(data[:place]) + bytes([data[place] ^ 0x55]) + bytes(data[place + 1 :])
        (tmp_path / "model.onnx").write_bytes(damaged)
        try:
            read_onnx(tmp_path / "model.onnx")
        except ModelError:
            num_errors += 1

    assert num_errors > 10
