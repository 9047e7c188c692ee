# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Folds choose a model, and networks of other seeds are merged."""

import json
import pathlib
import shutil
import subprocess
from typing import Any

import mlp
import numpy as np
import pytest
from mlp._instances import check_groups

WINE = pathlib.Path(__file__).resolve().parents[3] / "data" / "wine.csv"
Table = tuple[np.ndarray, np.ndarray]


@pytest.fixture(name="wine", scope="module")
def read_wine() -> Table:
    table = np.genfromtxt(WINE, delimiter=",", skip_header=1, dtype=str)
    return table[:, :-1].astype(np.float64), table[:, -1]


def train(X: np.ndarray, y: np.ndarray, **params: Any) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(effort="standard", seed=1, **params).fit(X, y)


def test_merges_networks_and_says_how_they_were_chosen(wine: Table) -> None:
    model = train(*wine).model_

    found = model.selection
    assert found["folds"] == 5
    assert 1 < found["networks"] <= 5
    assert found["unseen_rows"] == len(wine[1])
    assert found["unseen_accuracy"] > 0.95
    assert found["unseen_loss"] < 0.2
    assert 0.2 < found["temperature"] < 5
    assert model.layers[1] % found["networks"] == 0


def test_a_saved_model_keeps_its_selection(wine: Table, tmp_path: pathlib.Path) -> None:
    model = train(*wine).model_
    model.save(tmp_path / "model.json")

    read = mlp.Model.load(tmp_path / "model.json")

    assert read.selection == model.selection
    assert (read.predict_proba(wine[0]) == model.predict_proba(wine[0])).all()


def test_a_single_training_has_no_selection(wine: Table) -> None:
    assert mlp.MLPClassifier(effort="quick", seed=1).fit(*wine).model_.selection is None


def test_a_regression_has_the_error_of_unseen_rows(wine: Table) -> None:
    X, _ = wine
    model = mlp.MLPRegressor(effort="standard", seed=1).fit(X[:, 1:], X[:, 0]).model_

    assert 0.0 < model.selection["unseen_loss"] < 0.7
    assert "temperature" not in model.selection


def test_values_that_are_given_are_not_chosen(wine: Table) -> None:
    model = train(*wine, reg_param=0.5, numeric_encoding="quantile:3").model_

    assert json.loads(model.to_json())["params"]["regParam"] == 0.5
    assert model.numeric_encoding == "quantile:3"


def test_the_default_encoding_is_kept_if_it_is_given() -> None:
    X = np.linspace(-1, 1, 300).reshape(-1, 1)
    y = np.sign(np.sin(15 * X[:, 0]))

    chosen = mlp.MLPRegressor(effort="standard", seed=1).fit(X, y).model_
    given = mlp.MLPRegressor(effort="standard", seed=1, numeric_encoding="linear").fit(X, y)

    assert chosen.numeric_encoding != "linear"
    assert given.model_.numeric_encoding == "linear"


def test_the_program_trains_the_same_model(wine: Table, tmp_path: pathlib.Path) -> None:
    program = shutil.which("mlp")
    assert program is not None
    path = tmp_path / "model.json"
    subprocess.run([program, "train", WINE, "--effort", "standard", "--seed", "1",
                    "--quiet", "-o", path], check=True)

    read = mlp.Model.load(path)

    assert (read.weights == train(*wine).model_.weights).all()


@pytest.mark.parametrize("params", [{"layers": [13, 5, 3]}, {"layers": [13, 5, 3], "preset": "spark"}])
def test_layers_are_refused(wine: Table, params: dict[str, Any]) -> None:
    with pytest.raises(mlp.ParamError, match="effort must be quick with layers"):
        train(*wine, **params)


def test_an_unknown_effort_is_refused(wine: Table) -> None:
    with pytest.raises(mlp.ParamError, match="effort must be quick, standard or best; got 'most'"):
        mlp.MLPClassifier(effort="most").fit(*wine)


@pytest.mark.parametrize(("arguments", "what"), [
    ({"on_iteration": lambda _: None}, "a callback"),
    ({"eval_set": "training"}, "a validation set"),
])
def test_what_one_training_has_is_refused(wine: Table, arguments: dict[str, Any], what: str) -> None:
    if arguments.get("eval_set"):
        arguments = {"eval_set": wine}
    with pytest.raises(mlp.ParamError, match=f"effort must be quick with {what}"):
        mlp.MLPClassifier(effort="standard").fit(*wine, **arguments)


def test_networks_that_cannot_be_merged_are_refused(wine: Table) -> None:
    with pytest.raises(mlp.ParamError, match="effort must be quick with batch normalisation"):
        train(*wine, batch_norm=True)


@pytest.mark.parametrize("params", [{}, {"solver": "adam"}])
def test_a_second_fit_starts_from_merged_networks(wine: Table, params: dict[str, Any]) -> None:
    first = train(*wine, **params).model_
    estimator = mlp.MLPClassifier(seed=1, **params)
    model = estimator.fit(*wine, init_model=first).model_

    assert model.layers == first.layers
    assert model.numeric_encoding == first.numeric_encoding
    assert model.selection is None


def test_partial_fit_goes_on_with_merged_networks(wine: Table) -> None:
    estimator = mlp.MLPClassifier(seed=1, solver="adam").fit(*wine)
    layers = estimator.model_.layers
    assert estimator.partial_fit(*wine).model_.layers == layers


def test_partition_sizes_are_refused(wine: Table) -> None:
    with pytest.raises(mlp.ParamError, match="effort must be quick with partition_sizes"):
        mlp.MLPClassifier(effort="standard").fit(*wine, partition_sizes=[100, 78])


def test_partial_fit_trains_one_network(wine: Table) -> None:
    model = mlp.MLPClassifier(effort="standard", solver="adam")
    with pytest.raises(mlp.ParamError, match="effort must be quick with partial_fit"):
        model.partial_fit(*wine, classes=np.unique(wine[1]))


def test_a_group_is_predicted_by_others() -> None:
    generator = np.random.default_rng(1)
    names = [f"patient {i}" for i in range(30)]
    X = np.repeat(generator.random((30, 3)), 6, axis=0)
    y = np.repeat(np.arange(30) * 13 % 17 % 2, 6)
    groups = np.repeat(names, 6)

    alone = mlp.MLPClassifier(seed=1).fit(X, y).model_.selection
    together = mlp.MLPClassifier(seed=1).fit(X, y, groups=groups).model_.selection

    assert alone["unseen_accuracy"] > 0.95
    assert together["unseen_accuracy"] < 0.8


def test_groups_need_folds(wine: Table) -> None:
    groups = np.arange(len(wine[1])) % 9
    with pytest.raises(mlp.ParamError, match="groups need folds, in which instances of one"):
        mlp.MLPClassifier(effort="quick").fit(*wine, groups=groups)


def test_groups_that_leave_no_fold_are_refused(wine: Table) -> None:
    X, y = wine
    with pytest.raises(mlp.DataError, match="^all instances are of one group; expected at least 2"):
        mlp.MLPClassifier().fit(X, y, groups=np.full(len(y), 7))
    with pytest.raises(mlp.DataError, match="^the groups leave no fold, because a training with"):
        mlp.MLPClassifier().fit(X, y, groups=y)


@pytest.mark.parametrize("groups, expected", [
    ([3, 3.0, 4], [0, 0, 1]),
    (["3", "3.0", " 4"], [0, 0, 1]),
    ([3, "3.0", "4"], [0, 0, 1]),
    (["3", "a", "a "], [0, 1, 1]),
    (["b", "a", "b"], [0, 1, 0]),
    ([1, "a", 1.0], [0, 1, 0]),
    (np.array([0.5, 0.25, 0.5], dtype=np.float32), [0, 1, 0]),
    ([True, False, True], [0, 1, 0]),
])
def test_groups_are_compared_as_those_of_a_file(groups: Any, expected: list[int]) -> None:
    assert check_groups(groups, 3).tolist() == expected


def test_groups_are_one_for_each_row(wine: Table) -> None:
    with pytest.raises(mlp.ShapeError, match=r"groups must have the shape \(178,\)"):
        mlp.MLPClassifier().fit(*wine, groups=[1, 2])


@pytest.mark.parametrize("missing", [None, float("nan"), "NA", ""])
def test_a_missing_group_is_refused(wine: Table, missing: Any) -> None:
    groups = ["a", missing] + ["b"] * 176
    with pytest.raises(mlp.DataError, match="groups must be known; instance 1 has (None|nan|'(NA)?')"):
        mlp.MLPClassifier().fit(*wine, groups=np.array(groups, dtype=object))
