# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Folders for Spark ML, read back without Spark."""

import json
import pathlib

import numpy as np
import pytest
from mlp import ModelError, _core
from mlp.formats import read_spark, write_spark

from formats.networks import GOLDEN, TOLERANCE, random_model, random_rows, random_scaler

parquet = pytest.importorskip("pyarrow.parquet")

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


MODELS = {
    "no hidden layer": random_model((4, 3)),
    "one hidden layer": random_model((4, 5, 3)),
    "scaler": random_model((4, 5, 4, 3), scaler=random_scaler(4)),
    "batch norm": random_model((4, 5, 4, 3), batch_norm=(1, 2), scaler=random_scaler(4)),
    "names": random_model((4, 5, 3), label_names=("a", "ü"), scaler=random_scaler(4)),
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
    params = _core.Params()
    params.set("tol", "0")
    params.set("stepSize", "1")
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
    named = random_model((4, 5, 3), label_names=SPECIES, label_column="flower")
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
        (2, 3, 2), columns=[_core.InputColumn(categories=["a", "b"])]
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
    model = random_model((2, 3), label_names=("1",))

    with pytest.raises(ModelError, match="must differ in a pipeline; got 1, 1, 2"):
        write_spark(model, tmp_path / "model")


def test_replaces_a_folder_only_if_it_may(tmp_path: pathlib.Path) -> None:
    write_spark(MODELS["scaler"], tmp_path / "model")
    before = files_of(tmp_path / "model")

    with pytest.raises(ModelError, match="model: exists; choose another folder"):
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
