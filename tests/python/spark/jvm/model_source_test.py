# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A stage of the jar keeps the model file that it has read."""

import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402
from mlp import MLPRegressor  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.jvm.stages import java_array  # noqa: E402

X, Y = read_iris()
NETWORK = random_model((4, 5, 3))
REGRESSOR = MLPRegressor(seed=1, max_iter=2).fit(X, X[:, 0]).model_
STAGES = [("NativeMlpModel", NETWORK), ("NativeMlpRegressionModel", REGRESSOR)]


def stage_of(classes: Any, name: str, path: pathlib.Path) -> Any:
    return getattr(classes, name)().setModelPath(f"file://{path}")


@pytest.mark.parametrize("name, network", STAGES, ids=["classes", "numbers"])
def test_a_stage_is_saved_where_its_file_was(
    name: str, network: Any, session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "iris"
    folder.mkdir()
    network.save(folder / "model.json")
    text = (folder / "model.json").read_text()

    stage_of(classes, name, folder / "model.json").write().overwrite().save(f"file://{folder}")

    assert (folder / "model.json").read_text() == text
    assert getattr(classes, name).load(f"file://{folder}").toJson() == text


def test_a_pipeline_is_saved_where_a_file_was(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    ml = session._jvm.org.apache.spark.ml
    NETWORK.save(tmp_path / "model.json")
    stages = java_array(session, ml.PipelineStage, [
        stage_of(classes, "NativeMlpModel", tmp_path / "model.json")
    ])
    # The model of a pipeline without estimators has the stages of the pipeline.
    rows = session.sql("SELECT array(1, 2, 3, 4) AS features")

    model = ml.Pipeline().setStages(stages).fit(rows._jdf)
    model.write().overwrite().save(f"file://{tmp_path}")

    (loaded,) = ml.PipelineModel.load(f"file://{tmp_path}").stages()
    assert loaded.toJson() == NETWORK.to_json()


@pytest.mark.parametrize("name, network", STAGES, ids=["classes", "numbers"])
def test_a_serialized_stage_needs_no_file(
    name: str, network: Any, session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    network.save(tmp_path / "model.json")
    stage = stage_of(classes, name, tmp_path / "model.json")
    jvm = session._jvm
    row = jvm.org.apache.spark.ml.linalg.Vectors.dense(
        java_array(session, jvm.double, X[7].tolist()))
    expected = stage.predict(row)

    (tmp_path / "model.json").unlink()
    sent = jvm.org.apache.commons.lang3.SerializationUtils.clone(stage)

    assert sent.predict(row) == stage.predict(row) == expected
    assert sent.toJson() == network.to_json()
