# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""ONNX graphs that mlp writes, run by onnxruntime."""

import pathlib
import sys
from typing import Any

import numpy as np
import pytest
from mlp import Model, ModelError, _core
from mlp.formats import write_onnx

from formats.networks import (
    ACTIVATIONS,
    EDGES,
    TOLERANCE,
    random_model,
    random_rows,
    random_scaler,
)

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

MODELS = {
    "no hidden layer": random_model((4, 3)),
    "scaler": random_model((4, 5, 3), scaler=random_scaler(4)),
    "batch norm": random_model((4, 5, 5, 3), batch_norm=(1, 2), activations=("tanh",) * 2),
    "residual": random_model((4, 4, 6, 3), residual=(1, 2), scaler=random_scaler(4)),
    "names": random_model((4, 5, 3), label_names=("a", "ü")),
    "bins": random_model((10, 5, 3), edges=EDGES, scaler=random_scaler(4)),
    "bins without a scaler": random_model((10, 5, 3), edges=EDGES, activations=("relu",)),
    "no feature with bins": random_model((4, 5, 3), edges=(4, [[]] * 4)),
    "squared error": random_model((4, 5, 3), loss="sigmoidSquaredError"),
    "one class": random_model((4, 1)),
    "all parts": random_model(
        (4, 6, 6, 3),
        activations=("swish", "elu"),
        residual=(1, 2),
        batch_norm=(1, 2),
        dropout=(0.2, 0.5),
        scaler=random_scaler(4),
        label_names=("x", "y", "z"),
        thresholds=(0.5, 0.1, 0.2),
    ),
}


def run(path: pathlib.Path, X: np.ndarray) -> list[Any]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return list(session.run(None, {"features": X}))


def check(model: Model, X: np.ndarray, folder: pathlib.Path) -> None:
    """Compares the outputs of a graph with those of its model."""
    write_onnx(model, folder / "model.onnx")
    label, probabilities = run(folder / "model.onnx", X)
    assert probabilities.dtype == np.float64
    assert abs(probabilities - model.predict_proba(X)).max() <= TOLERANCE
    assert label.tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", MODELS)
def test_onnxruntime_predicts_as_the_model(name: str, tmp_path: pathlib.Path) -> None:
    check(MODELS[name], random_rows(4), tmp_path)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_is_equal_also_for_large_features(
    name: str, tmp_path: pathlib.Path
) -> None:
    model = random_model((4, 6, 3), activations=(name,))

    for scale in (0.0, 1e-6, 1.0, 500.0):
        check(model, random_rows(4) * scale, tmp_path)


def test_a_regressor_has_its_numbers_as_output(tmp_path: pathlib.Path) -> None:
    model = random_model((4, 5, 1), loss="squaredError", scaler=random_scaler(4))
    X = random_rows(4)

    write_onnx(model, tmp_path / "model.onnx")
    (prediction,) = run(tmp_path / "model.onnx", X)

    assert prediction.shape == (len(X), 1)
    assert abs(prediction[:, 0] - model.predict(X)).max() <= TOLERANCE


@pytest.mark.parametrize("thresholds", [(0.2, 0.5, 0.3), (0.0, 0.7, 0.3), (0.4, 0.0, 0.6)])
def test_the_label_obeys_the_thresholds(
    thresholds: tuple[float, ...], tmp_path: pathlib.Path
) -> None:
    model = random_model((4, 5, 3), thresholds=thresholds)
    plain = random_model((4, 5, 3))
    X = random_rows(4)

    check(model, X, tmp_path)
    assert (model.predict(X) != plain.predict(X)).any()


def test_a_class_of_threshold_0_wins_only_if_its_probability_is_above_0(
    tmp_path: pathlib.Path,
) -> None:
    # z of class 0 is -800 x; its probability is 0 for x = 1, 1 / 2 for x = 0.
    weights = np.array([-800.0, 0.0, 0.0, 0.0])
    model = Model(_core.Model.make((1, 2), weights, thresholds=(0.0, 1.0)))
    X = np.array([[1.0], [0.0], [-1.0]])

    check(model, X, tmp_path)
    assert model.predict(X).tolist() == [1, 0, 0]


def test_a_tie_is_the_first_class(tmp_path: pathlib.Path) -> None:
    model = random_model((2, 3), scaler=(np.zeros(2), np.zeros(2)))
    X = random_rows(2)

    check(model, X, tmp_path)


def test_declares_a_version_that_onnxruntime_1_13_reads(tmp_path: pathlib.Path) -> None:
    write_onnx(MODELS["all parts"], tmp_path / "model.onnx")
    graph = onnx.load(tmp_path / "model.onnx")

    assert graph.ir_version == 8
    assert [(entry.domain, entry.version) for entry in graph.opset_import] == [("", 17)]


def test_equal_models_give_equal_bytes(tmp_path: pathlib.Path) -> None:
    for name in ("first", "second"):
        write_onnx(MODELS["all parts"], tmp_path / name)

    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_refuses_a_model_that_encodes_columns(tmp_path: pathlib.Path) -> None:
    columns = [_core.InputColumn(categories=["a", "b"])]

    with pytest.raises(ModelError, match="encodes columns of its data file"):
        write_onnx(random_model((2, 2), columns=columns), tmp_path / "model.onnx")

    assert list(tmp_path.iterdir()) == []


def test_names_the_extra_if_the_library_is_missing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)

    with pytest.raises(ImportError, match=r"needs onnx.*pip install 'spark-mlp\[onnx\]'"):
        write_onnx(MODELS["names"], tmp_path / "model.onnx")
