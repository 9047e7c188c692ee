# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Folders that Spark ML saved, read without Spark."""

import json
import pathlib
import shutil

import numpy as np
import pytest
from mlp import Model, ModelError
from mlp.formats import read_spark

from formats.networks import GOLDEN, TOLERANCE

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Iris = tuple[np.ndarray, np.ndarray]


def row_file(folder: pathlib.Path) -> pathlib.Path:
    return next((folder / "data").glob("part-*"))


def copy_golden(name: str, folder: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copytree(GOLDEN / name, folder / "model"))


@pytest.mark.parametrize("name", ["iris_default", "iris_thresholds"])
def test_reads_the_weights_that_spark_trained(name: str) -> None:
    golden = json.loads((GOLDEN / f"spark-3.5/{name}.json").read_text())

    model = read_spark(GOLDEN / f"spark-3.5/{name}.model")

    assert model.weights.tolist() == golden["weights"]
    assert model.thresholds == golden["params"].get("thresholds", [])
    assert model._core.param("seed") == str(golden["effectiveSeed"])


@pytest.mark.parametrize("version", ["4.0", "4.3"])
def test_reads_a_model_of_spark_4(version: str, iris: Iris) -> None:
    expected = read_spark(GOLDEN / "spark-3.5/iris_default.model")

    model = read_spark(GOLDEN / f"spark-{version}/iris_default.model")

    # Spark 4.3 has another BLAS, so its training differs in the last bits.
    assert model.layers == [4, 5, 4, 3]
    assert (model.predict(iris[0]) == expected.predict(iris[0])).all()


def test_reads_a_model_of_spark_2_4_with_the_defaults_of_its_training() -> None:
    golden = json.loads((GOLDEN / "spark-2.4/mlp-2.4.4.json").read_text())

    model = read_spark(GOLDEN / "spark-2.4/mlp-2.4.4.model")

    assert (model.layers, model.weights.tolist()) == (golden["layers"], golden["weights"])
    assert model._core.param("maxIter") == "100"


def test_reads_a_pipeline_and_predicts_as_spark_did(iris: Iris) -> None:
    golden = json.loads((GOLDEN / "spark-pipeline/iris.json").read_text())

    model = read_spark(GOLDEN / "spark-pipeline/iris.model")

    expected = np.array([row["probability"] for row in golden])
    assert abs(model.predict_proba(iris[0][::10]) - expected).max() <= TOLERANCE
    assert model.predict(iris[0][::10]).tolist() == [row["flower"] for row in golden]
    assert model.labels == ["setosa", "versicolor", "virginica"]
    assert model._core.label_column == "species"
    assert model.feature_names[0] == "sepal_length"


def replace_text(folder: pathlib.Path, old: str, new: str) -> None:
    file = folder / "metadata" / "part-00000"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def replace_row(folder: pathlib.Path, columns: dict[str, list[object]]) -> None:
    parquet.write_table(arrow.table(columns), row_file(folder))


DAMAGES = {
    "must be a MultilayerPerceptronClassificationModel": lambda f: replace_text(
        f, "MultilayerPerceptronClassificationModel", "LogisticRegressionModel"
    ),
    "must be one line of JSON": lambda f: replace_text(f, "{", "["),
    r"layers must be sizes; got \[\]": lambda f: replace_text(f, '"layers"', '"sizes"'),
    "layers must be an array; got 4": lambda f: replace_text(f, "[4,5,4,3]", "4"),
    "layers must be sizes; got": lambda f: replace_text(f, "[4,5,4,3]", '["4",5]'),
    "must have at most 43 values": lambda f: replace_text(f, "[4,5,4,3]", "[4,5,3]"),
    "metadata: is missing": lambda f: shutil.rmtree(f / "metadata"),
    "data: is missing": lambda f: shutil.rmtree(f / "data"),
    "must have one row; got 0": lambda f: row_file(f).unlink(),
    "must have one row; got 2": lambda f: replace_row(f, {"weights": [[1.0], [2.0]]}),
    "must be a vector of Spark ML": lambda f: replace_row(f, {"weights": [[1.0]]}),
    "must have the column weights; got w": lambda f: replace_row(f, {"w": [1.0]}),
    "must have the column weights; got weights": lambda f: replace_row(f, {"weights": [None]}),
    "is no Parquet file": lambda f: row_file(f).write_bytes(b"PAR1 damaged PAR1"),
    r"must be a finite number": lambda f: replace_row(
        f, {"weights": [{"type": 1, "size": None, "indices": None, "values": [np.nan] * 64}]}
    ),
}


@pytest.mark.parametrize("sentence", DAMAGES)
def test_names_what_is_damaged(sentence: str, tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-3.5/iris_default.model", tmp_path)
    DAMAGES[sentence](folder)

    with pytest.raises(ModelError, match=sentence):
        read_spark(folder)


@pytest.mark.parametrize("member", ["paramMap", "class"])
def test_refuses_metadata_that_nest_too_deeply(member: str, tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-2.4/mlp-2.4.4.model", tmp_path)
    for levels in (100, 100_000):
        text = f'{{"{member}":' + "[" * levels + "]" * levels + "}"
        (folder / "metadata" / "part-00000").write_text(text)

        with pytest.raises(ModelError) as caught:
            read_spark(folder)

        assert str(caught.value) == (
            f"{folder}/metadata: must be one line of JSON as Spark writes it that nests at most "
            f"32 levels; got {text[:60]!r}"
        )


def test_reads_sparse_weights(tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-3.5/iris_default.model", tmp_path)
    replace_row(
        folder, {"weights": [{"type": 0, "size": 64, "indices": [1, 63], "values": [2.0, 3.0]}]}
    )

    model: Model = read_spark(folder)

    assert np.flatnonzero(model.weights).tolist() == [1, 63]
    assert model.weights[[1, 63]].tolist() == [2.0, 3.0]


def test_refuses_a_stage_that_a_model_has_no_part_for(tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-pipeline/iris.model", tmp_path)
    scaler = next((folder / "stages").glob("2_*"))
    replace_text(scaler, "StandardScalerModel", "PCAModel")

    with pytest.raises(ModelError, match="no part for the stage PCAModel"):
        read_spark(folder)


def test_refuses_stages_that_do_not_read_each_other(tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-pipeline/iris.model", tmp_path)
    scaler = next((folder / "stages").glob("2_*"))
    replace_text(scaler, '"outputCol":"features"', '"outputCol":"scaled"')

    with pytest.raises(ModelError, match="must be the column features.*got scaled"):
        read_spark(folder)


def test_refuses_names_that_are_not_utf_8(tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-pipeline/iris.model", tmp_path)
    file = row_file(next((folder / "stages").glob("0_*")))
    texts = arrow.array([b"a\xff", b"b", b"c"], arrow.binary()).view(arrow.string())
    column = arrow.ListArray.from_arrays([0, 1], arrow.ListArray.from_arrays([0, 3], texts))
    parquet.write_table(arrow.table({"labelsArray": column}), file)

    with pytest.raises(ModelError, match="labelsArray must be UTF-8"):
        read_spark(folder)


def test_no_damaged_byte_does_more_than_raise_an_error(tmp_path: pathlib.Path) -> None:
    folder = copy_golden("spark-3.5/iris_default.model", tmp_path)
    num_errors = 0
    for file in (folder / "metadata" / "part-00000", row_file(folder)):
        data = file.read_bytes()
        for place in range(0, len(data), 9):
            file.write_bytes(data[:place] + bytes([data[place] ^ 0x91]) + data[place + 1 :])
            try:
                read_spark(folder)
            except ModelError:
                num_errors += 1
        file.write_bytes(data)

    assert num_errors > 100
