# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mlp


@pytest.fixture
def model(iris, names) -> mlp.Model:
    return mlp.MLPClassifier(layers=[4, 5, 3], seed=1).fit(iris[0], names).model_


def test_a_file_has_the_whole_model(model, iris, tmp_path) -> None:
    path = tmp_path / "model.json"
    model.save(path)
    loaded = mlp.Model.load(path)
    assert loaded == model
    assert loaded.layers == [4, 5, 3]
    assert loaded.labels == ["setosa", "versicolor", "virginica"]
    assert loaded.weights.tobytes() == model.weights.tobytes()
    assert (loaded.predict(iris[0]) == model.predict(iris[0])).all()
    assert loaded.objective_history.tolist() == model.objective_history.tolist()
    assert path.read_text() == loaded.to_json()


def test_the_file_states_the_training(model) -> None:
    document = json.loads(model.to_json())
    assert document["params"]["seed"] == 1
    assert document["training"]["rows"] == 150
    assert len(document["selfTest"]) == 3


def test_weights_are_a_view_that_cannot_be_written(model) -> None:
    with pytest.raises(ValueError, match="read-only"):
        model.weights[0] = 1.0


def test_a_view_keeps_the_model_alive(iris) -> None:
    weights = mlp.MLPClassifier(layers=[4, 3], max_iter=1).fit(*iris).model_.weights
    copy = weights.copy()
    for _ in range(20):
        mlp.MLPClassifier(layers=[4, 50, 3], max_iter=1).fit(*iris)
    assert (weights == copy).all()


def test_computes_hidden_layers(model, iris) -> None:
    features, _ = iris
    expected = 1 / (1 + np.exp(-(features @ model.coefs_[0] + model.intercepts_[0])))
    np.testing.assert_allclose(model.transform(features, layer=1), expected, rtol=1e-12)
    with pytest.raises(mlp.ParamError, match="must be a hidden layer, 1 to 1"):
        model.transform(features, layer=2)


def test_shows_itself(model) -> None:
    assert repr(model) == "<mlp.Model: classifier, layers [4, 5, 3], 43 weights>"
    assert "<td>[4, 5, 3]</td>" in model._repr_html_()


def test_draws_its_history(model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = model.plot_history()
    assert ax.lines[0].get_ydata().tolist() == model.objective_history.tolist()


def test_pickles(model) -> None:
    assert pickle.loads(pickle.dumps(model)) == model


def test_importing_needs_numpy_alone() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None; import mlp; "
        "e = mlp.MLPClassifier(layers=[1, 2]).fit([[0.0], [1.0]], [0, 1]); "
        "print(e, e.score([[0.0], [1.0]], [0, 1]), e.get_params()['layers'])"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert output.strip() == "MLPClassifier(layers=[1, 2]) 1.0 [1, 2]"
