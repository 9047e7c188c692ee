# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models that a running Spark loads, and models that it saves."""

import pathlib
from typing import Any

import numpy as np
import pytest
from mlp import Model
from mlp.formats import read_spark, write_spark

from formats.networks import TOLERANCE, random_model, random_rows, random_scaler

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.classification import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
)
from pyspark.ml.feature import IndexToString, StringIndexer  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

Session = Any
X = random_rows(4)


def make_frame(session: Session, **columns: list[Any]) -> Any:
    """Makes a frame with the features, and with the columns."""
    rows = list(zip([Vectors.dense(row) for row in X.tolist()], *columns.values()))
    return session.createDataFrame(rows, ["features", *columns])


def check(rows: list[Any], model: Model) -> None:
    probabilities = np.array([row.probability.toArray() for row in rows])
    assert abs(probabilities - model.predict_proba(X)).max() <= TOLERANCE
    assert [int(row.prediction) for row in rows] == model._core.predict_index(X).tolist()


MODELS = {
    "no hidden layer": random_model((4, 3)),
    "scaler": random_model((4, 5, 4, 3), scaler=random_scaler(4)),
    "batch norm": random_model((4, 5, 3), batch_norm=(1,), scaler=random_scaler(4)),
    "thresholds": random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2)),
    "label column": random_model((4, 5, 3), label_column="flower"),
}


@pytest.mark.parametrize("name", MODELS)
def test_spark_loads_a_model_and_gives_equal_probabilities(
    name: str, session: Session, tmp_path: pathlib.Path
) -> None:
    model = MODELS[name]
    write_spark(model, tmp_path / "model")

    loaded = MultilayerPerceptronClassificationModel.load(str(tmp_path / "model"))

    assert loaded.getLayers() == model.layers
    assert loaded.getSeed() == int(model._core.param("seed"))
    check(loaded.transform(make_frame(session)).collect(), model)


def test_spark_saves_what_it_loaded(session: Session, tmp_path: pathlib.Path) -> None:
    write_spark(MODELS["thresholds"], tmp_path / "model")

    loaded = MultilayerPerceptronClassificationModel.load(str(tmp_path / "model"))
    loaded.save(str(tmp_path / "saved"))

    read = read_spark(tmp_path / "saved")
    assert read.weights.tobytes() == MODELS["thresholds"].weights.tobytes()
    assert read.thresholds == MODELS["thresholds"].thresholds


NAMED = random_model((4, 5, 3), label_names=("a", "ü"), label_column="flower", scaler=random_scaler(4))


def test_a_pipeline_scores_data_without_labels(session: Session, tmp_path: pathlib.Path) -> None:
    write_spark(NAMED, tmp_path / "model")

    loaded = PipelineModel.load(str(tmp_path / "model"))
    rows = loaded.transform(make_frame(session)).collect()

    check(rows, NAMED)
    assert [row.predictedLabel for row in rows] == NAMED.predict(X).tolist()


def test_a_pipeline_scores_labels_that_it_does_not_know(
    session: Session, tmp_path: pathlib.Path
) -> None:
    write_spark(NAMED, tmp_path / "model")
    labels = (["a", "ü", "2", "new", None] * len(X))[: len(X)]

    loaded = PipelineModel.load(str(tmp_path / "model"))
    rows = loaded.transform(make_frame(session, flower=labels)).collect()

    check(rows, NAMED)
    assert [row.flowerIndex for row in rows[:5]] == [0, 1, 2, 3, 3]


def test_reads_a_model_that_spark_trained(session: Session, tmp_path: pathlib.Path) -> None:
    frame = make_frame(session, label=[float(i % 3) for i in range(len(X))])
    classifier = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=20, seed=1)
    trained = classifier.fit(frame)
    trained.save(str(tmp_path / "model"))

    model = read_spark(tmp_path / "model")

    assert model.weights.tolist() == trained.weights.toArray().tolist()
    check(trained.transform(frame).collect(), model)


def test_reads_a_pipeline_that_spark_trained(session: Session, tmp_path: pathlib.Path) -> None:
    frame = make_frame(session, flower=["rose", "iris", "rose", "lily", "lily"] * (len(X) // 5))
    indexer = StringIndexer(inputCol="flower", outputCol="label").fit(frame)
    classifier = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=20, seed=1)
    namer = IndexToString(inputCol="prediction", outputCol="name", labels=indexer.labels)
    trained = Pipeline(stages=[indexer, classifier, namer]).fit(frame)
    trained.save(str(tmp_path / "model"))

    model = read_spark(tmp_path / "model")

    rows = trained.transform(frame).collect()
    check(rows, model)
    assert model.labels == indexer.labels
    assert [row.name for row in rows] == model.predict(X).tolist()
