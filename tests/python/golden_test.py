# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Every recorded fit of Spark, through the estimator."""

import json
import re
import subprocess

import numpy as np
import pytest
from conftest import DATA, ROOT, read_iris

import mlp

GOLDEN = ROOT / "tests" / "golden" / "spark-3.5"
# Leading entries of the history that must agree, of those that agree in Spark's own runs
# with another order of summation.
SHARE = 0.9
# Every order of summation agrees this long.
FEW_ENTRIES = 100
SNAKE = re.compile(r"(?<=[a-z])([A-Z])")


def read_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == "iris.csv":
        return read_iris()
    if name == "digits.csv":
        table = np.loadtxt(DATA / name, delimiter=",", skiprows=1)
        return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)
    rows = [line.split() for line in (DATA / name).read_text().splitlines()]
    features = np.zeros((len(rows), 4))
    for row, (_, *items) in zip(features, rows):
        for item in items:
            index, value = item.split(":")
            row[int(index) - 1] = float(value)
    return features, np.array([int(float(row[0])) for row in rows])


def instances_of(fit: dict) -> tuple[np.ndarray, np.ndarray]:
    name, _, change = fit["data"].partition(", ")
    rows = fit.get("instances") or fit.get("train")
    if rows:
        return np.array([row["features"] for row in rows], float), np.array(
            [int(row["label"]) for row in rows]
        )
    features, labels = read_table(name)
    if change == "first 50 rows":
        return features[:50].copy(), labels[:50]
    factor = {"": 1.0, "every feature divided by 16": 1 / 16, "every feature times 1000": 1000.0}
    return features * factor[change], labels


def read_fit(path) -> dict:
    return json.loads(path.read_text())


def is_fit(path) -> bool:
    return "objectiveHistory" in read_fit(path)


def estimator_of(fit: dict) -> mlp.MLPClassifier:
    given = {"seed": fit["effectiveSeed"]} | fit["params"] if "effectiveSeed" in fit else fit["params"]
    params = {SNAKE.sub(r"_\1", name).lower(): value for name, value in given.items()}
    return mlp.MLPClassifier(**params)


def numbers(history: list) -> np.ndarray:
    return np.array([float(entry) for entry in history])


FITS = [path for path in sorted(GOLDEN.glob("*.json")) if is_fit(path)]


def has_drawn_weights(path) -> bool:
    """Spark drew and recorded its initial weights, with which the objective is finite."""
    fit = read_fit(path)
    is_drawn = "initialWeights" in fit and "initialWeights" not in fit["params"]
    return is_drawn and bool(np.isfinite(float(fit["objectiveHistory"][0])))


DRAWN = [path for path in FITS if has_drawn_weights(path)]


@pytest.mark.parametrize("path", FITS, ids=lambda path: path.stem)
def test_takes_the_steps_of_spark(path) -> None:
    fit = read_fit(path)
    features, labels = instances_of(fit)
    estimator = estimator_of(fit)
    expected = numbers(fit["objectiveHistory"])
    if not np.isfinite(expected[-1]):
        # Spark returns a model; this package keeps the history only.
        with pytest.raises(mlp.DivergedError) as caught:
            estimator.fit(features, labels, partition_sizes=fit.get("partitionSizes"))
        np.testing.assert_array_equal(caught.value.objective_history, expected)
        return
    estimator.fit(features, labels, partition_sizes=fit.get("partitionSizes"))
    assert len(estimator.objective_history_) == len(expected)
    assert estimator.total_iterations_ == fit["totalIterations"]
    counts = fit.get("agreement", {}).get("entries", {})
    agreeing = counts.get("1e-9", min(len(expected), FEW_ENTRIES))
    count = max(1, int(SHARE * agreeing))
    np.testing.assert_allclose(
        estimator.objective_history_[:count], expected[:count], rtol=1e-9, equal_nan=True
    )
    if "predictions" in fit and agreeing == len(expected):
        assert estimator.predict(features).tolist() == fit["predictions"]


def test_there_are_recorded_fits() -> None:
    assert len(FITS) == 39


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_starts_with_the_bits_of_spark(path) -> None:
    fit = read_fit(path)
    features, labels = instances_of(fit)
    estimator = estimator_of(fit).set_params(max_iter=0)

    estimator.fit(features, labels, partition_sizes=fit.get("partitionSizes"))

    assert estimator.model_.weights.tobytes() == np.array(fit["initialWeights"]).tobytes()


@pytest.mark.parametrize("name", ["iris_default", "iris_3_partitions", "iris_gd", "iris_block1"])
def test_has_the_bits_of_the_program(name, tmp_path) -> None:
    program = pytest.importorskip("shutil").which("mlp")
    if program is None:
        pytest.skip("the program mlp is not installed")
    fit = read_fit(GOLDEN / f"{name}.json")
    flags = []
    for key, value in fit["params"].items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        flags += ["--" + key, text]
    sizes = ",".join(map(str, fit["partitionSizes"]))
    path = tmp_path / "model.json"
    subprocess.run(
        [program, "train", DATA / "iris.csv", *flags, "--partition-sizes", sizes, "-o", path, "-q"],
        check=True,
    )
    features, labels = instances_of(fit)
    ours = estimator_of(fit).fit(features, labels, partition_sizes=fit["partitionSizes"])
    assert ours.model_.weights.tobytes() == mlp.Model.load(path).weights.tobytes()
