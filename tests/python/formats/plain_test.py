# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models with quantile bins as ordinary networks."""

import pathlib

import numpy as np
import pytest
from mlp import MLPClassifier, Model, ModelError
from mlp.__main__ import main
from mlp.formats import to_plain
from mlp.formats.plain import largest_deviation

from formats.networks import EDGES, random_model, random_rows, random_scaler

# Differences of numbers of a few hundred, which bins of a width of 1 divide.
TOLERANCE = 1e-11

MODELS = {
    "sigmoid": random_model((10, 5, 3), edges=EDGES),
    "scaler": random_model((10, 5, 3), edges=EDGES, scaler=random_scaler(4)),
    "no hidden layer": random_model((10, 3), edges=EDGES),
    "batch norm": random_model((10, 5, 3), edges=EDGES, batch_norm=(1,), activations=("tanh",)),
    "residual": random_model((10, 5, 6, 3), edges=EDGES, residual=(2,)),
    "names": random_model(
        (10, 5, 3),
        edges=EDGES,
        label_names=("a", "b", "c"),
        feature_names=("p", "q", "r", "s"),
        thresholds=(0.5, 0.1, 0.2),
    ),
    "linear features": random_model((4, 5, 3), edges=(4, [[]] * 4), scaler=random_scaler(4)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_plain_network_predicts_as_the_model(name: str) -> None:
    model, X = MODELS[name], random_rows(4)
    edges = np.array([[-1.0, 0, -3.0, 0], [0.5, 0, 8.0, 0], [100.0, 9, -50.0, 1]])
    rows = np.vstack([X, edges])

    plain = to_plain(model)

    assert plain.num_features == 4
    assert plain.numeric_encoding == "linear"
    assert len(plain.layers) == len(model.layers) + 1
    assert largest_deviation(model, plain, rows) <= TOLERANCE
    assert plain.predict(rows).tolist() == model.predict(rows).tolist()
    assert (plain.labels, plain.feature_names) == (model.labels, model.feature_names)


def test_a_plain_network_keeps_the_sets() -> None:
    model = random_model((10, 5, 3), edges=EDGES, prediction_set=(0.9, 0.25))
    X = random_rows(4)

    plain = to_plain(model)

    assert plain.coverage == 0.9
    assert (plain.predict_set(X) == model.predict_set(X)).all()


def test_models_that_have_no_plain_network_are_refused() -> None:
    with pytest.raises(ModelError, match="the model has no quantile bins"):
        to_plain(random_model((4, 3)))
    with pytest.raises(ModelError, match="a residual connection of the first hidden layer"):
        to_plain(random_model((10, 5, 3), edges=EDGES, residual=(1,)))


def test_the_command_states_the_deviation(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = MODELS["names"]
    model.save(tmp_path / "m.json")
    (tmp_path / "rows.csv").write_text("q,p,r,s,label\n1,2,3,4,a\n0,0,0,0,b\n")
    words = ["convert", str(tmp_path / "m.json"), "-o", str(tmp_path / "plain.json"), "--plain"]

    assert main([*words, "--rows", str(tmp_path / "rows.csv")]) == 0

    said = capsys.readouterr().err
    assert "largest deviation " in said and " of the outputs for 2 rows" in said
    assert Model.load(tmp_path / "plain.json") == to_plain(model)
    assert main([*words[:-1], "--rows", "rows.csv"]) == 2


def test_refuses_bins_that_rounding_would_lose() -> None:
    X = np.concatenate([np.geomspace(1e-9, 1, 100), np.geomspace(1e8, 1e12, 100)])[:, None]
    model = MLPClassifier(numeric_encoding="quantile:8", seed=1).fit(
        X, (X[:, 0] > 1e-4).astype(int)
    ).model_
    with pytest.raises(ModelError, match="would lose them by rounding"):
        to_plain(model)
