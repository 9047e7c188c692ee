# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Folders of Spark ML, without Spark."""
from __future__ import annotations

import json
import pathlib
import shutil

import numpy as np
import pytest
from mlp import Model, ModelError
from mlp.formats import read_spark, write_spark
from mlp.formats.document import spark_default_params

from formats.networks import GOLDEN, TOLERANCE, random_model, random_rows, random_scaler

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

Iris = tuple[np.ndarray, np.ndarray]
SPECIES = ("setosa", "versicolor", "virginica")


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def metadata_of(folder: pathlib.Path) -> dict[str, object]:
    return dict(json.loads((folder / "metadata" / "part-00000").read_text()))


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
    assert (model.labels, model._core.label_column) == (list(SPECIES), "species")
    assert model.feature_names[0] == "sepal_length"


MODELS = {
    "no hidden layer": random_model((4, 3)),
    "one hidden layer": random_model((4, 5, 3)),
    "scaler": random_model((4, 5, 4, 3), scaler=random_scaler(4)),
    "batch norm": random_model((4, 5, 4, 3), batch_norm=(1, 2), scaler=random_scaler(4)),
    "names": random_model((4, 5, 3), labels=("a", "ü"), scaler=random_scaler(4)),
    "thresholds": random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2), dropout=(0.5,)),
    "squared error": random_model((4, 5, 3), loss="sigmoidSquaredError"),
}


@pytest.mark.parametrize("name", MODELS)
def test_reads_what_it_wrote_with_equal_probabilities(name: str, tmp_path: pathlib.Path) -> None:
    model = MODELS[name]
    X = random_rows(4)

    write_spark(model, tmp_path / "model")
    read = read_spark(tmp_path / "model")

    assert abs(read.predict_proba(X) - model.predict_proba(X)).max() <= TOLERANCE
    assert (read.predict(X) == model.predict(X)).all()
    assert read.thresholds == model.thresholds


@pytest.mark.parametrize("name", ["spark-3.5", "spark-4.3"])
def test_writes_the_schema_that_spark_writes(name: str, tmp_path: pathlib.Path) -> None:
    row = b"org.apache.spark.sql.parquet.row.metadata"
    spark = parquet.ParquetFile(row_file(GOLDEN / name / "iris_default.model"))

    write_spark(MODELS["scaler"], tmp_path / "model")
    ours = parquet.ParquetFile(row_file(tmp_path / "model"))

    assert str(ours.schema).splitlines()[2:] == str(spark.schema).splitlines()[2:]
    assert json.loads(ours.metadata.metadata[row]) == json.loads(spark.metadata.metadata[row])


def test_writes_the_params_that_spark_knows(tmp_path: pathlib.Path) -> None:
    spark = metadata_of(GOLDEN / "spark-3.5/iris_thresholds.model")

    write_spark(read_spark(GOLDEN / "spark-3.5/iris_thresholds.model"), tmp_path / "model")
    ours = metadata_of(tmp_path / "model")

    assert list(ours) == list(spark)
    assert ours["class"] == spark["class"]
    assert set(ours["defaultParamMap"]) == set(spark["defaultParamMap"])
    assert spark["paramMap"].items() <= ours["paramMap"].items()


def test_writes_doubles_with_a_point_as_spark_demands(tmp_path: pathlib.Path) -> None:
    params = spark_default_params() | {"tol": 0, "stepSize": 1}
    model = random_model((4, 5, 3), thresholds=(1.0, 0.0, 0.2), params=params)

    write_spark(model, tmp_path / "model")
    text = (tmp_path / "model" / "metadata" / "part-00000").read_text()

    assert '"thresholds":[1.0,0.0,0.2]' in text
    assert '"tol":0.0' in text
    assert '"stepSize":1.0' in text


def test_writes_a_pipeline_if_the_classes_have_names(tmp_path: pathlib.Path) -> None:
    write_spark(MODELS["names"], tmp_path / "auto")
    write_spark(MODELS["names"], tmp_path / "plain", pipeline=False)
    write_spark(MODELS["scaler"], tmp_path / "indices", pipeline=True)

    assert metadata_of(tmp_path / "auto")["class"] == "org.apache.spark.ml.PipelineModel"
    assert read_spark(tmp_path / "auto").labels == ["a", "ü", "2"]
    assert read_spark(tmp_path / "plain").labels == []
    assert read_spark(tmp_path / "indices").labels == ["0", "1", "2"]


def test_keeps_the_names_of_the_columns(tmp_path: pathlib.Path) -> None:
    named = random_model((4, 5, 3), labels=SPECIES, label_column="flower")
    plain = random_model((4, 5, 3), label_column="flower")

    write_spark(named, tmp_path / "named")
    write_spark(plain, tmp_path / "plain")

    assert read_spark(tmp_path / "named")._core.label_column == "flower"
    assert read_spark(tmp_path / "plain")._core.label_column == "flower"


def test_equal_models_give_equal_bytes(tmp_path: pathlib.Path) -> None:
    write_spark(MODELS["names"], tmp_path / "first")
    write_spark(MODELS["names"], tmp_path / "second")

    assert files_of(tmp_path / "first") == files_of(tmp_path / "second")


REFUSED = {
    "relu, tanh": random_model((4, 5, 5, 3), activations=("tanh", "relu")),
    "residual connections": random_model((4, 4, 3), residual=(1,)),
    "predicts numbers": random_model((4, 4, 1), loss="squaredError"),
    "encodes columns": random_model(
        (2, 3, 2),
        columns=({"kind": "category", "categories": ["a", "b"]},),
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refuses_what_spark_cannot_express(reason: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ModelError, match=reason):
        write_spark(REFUSED[reason], tmp_path / "model")

    assert list(tmp_path.iterdir()) == []


def test_refuses_weights_that_overflow_when_the_scaler_is_folded(tmp_path: pathlib.Path) -> None:
    model = random_model((2, 2), scaler=(np.zeros(2), np.full(2, 5e-324)))

    with pytest.raises(ModelError, match="the weights overflow"):
        write_spark(model, tmp_path / "model")


def test_refuses_a_pipeline_with_two_classes_of_one_name(tmp_path: pathlib.Path) -> None:
    model = random_model((2, 3), labels=("1",))

    with pytest.raises(ModelError, match="must differ in a pipeline; got 1, 1, 2"):
        write_spark(model, tmp_path / "model")


def test_replaces_a_folder_only_if_it_may(tmp_path: pathlib.Path) -> None:
    write_spark(MODELS["scaler"], tmp_path / "model")
    before = files_of(tmp_path / "model")

    with pytest.raises(ModelError, match="model exists; choose another folder"):
        write_spark(MODELS["names"], tmp_path / "model")

    assert files_of(tmp_path / "model") == before
    write_spark(MODELS["names"], tmp_path / "model", overwrite=True)
    assert read_spark(tmp_path / "model").labels == ["a", "ü", "2"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_replaces_no_folder_that_is_not_of_spark(tmp_path: pathlib.Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")

    with pytest.raises(ModelError, match="is not what would replace it"):
        write_spark(MODELS["scaler"], tmp_path / "home", overwrite=True)

    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"


def test_keeps_the_old_folder_if_writing_fails(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_spark(MODELS["scaler"], tmp_path / "model")
    before = files_of(tmp_path / "model")

    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("mlp.formats.spark.write_vector", fail)
    with pytest.raises(OSError, match="no space left"):
        write_spark(MODELS["one hidden layer"], tmp_path / "model", overwrite=True)

    assert files_of(tmp_path / "model") == before
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


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
    "must have layers; got None": lambda f: replace_text(f, '"layers"', '"sizes"'),
    "must have layers; got": lambda f: replace_text(f, "[4,5,4,3]", '["4",5]'),
    "must be 43": lambda f: replace_text(f, "[4,5,4,3]", "[4,5,3]"),
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
