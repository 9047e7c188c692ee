# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings that diverge, and warnings, in a running Spark."""

import logging
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from mlp import DivergedError, ParamError  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402
from pyspark.ml.evaluation import MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder  # noqa: E402

from spark.frames import make_frame  # noqa: E402

X = np.random.default_rng(1).normal(size=(40, 2))
Y = (X.sum(axis=1) > 0).astype(float)
# Steps that lose the objective.
LOST = {"solver": "sgd", "activation": "relu", "stepSize": 1e300, "maxIter": 5}


def make_classifier(**params: Any) -> MultilayerPerceptronClassifier:
    return MultilayerPerceptronClassifier(**({"layers": [2, 4, 2], "seed": 1} | params))


def test_a_training_that_diverges_raises(session: Any) -> None:
    with pytest.raises(DivergedError, match="the objective must stay finite; it is"):
        make_classifier(**LOST).fit(make_frame(session, X, Y))


def test_gives_a_model_that_ignores_the_features_if_asked(session: Any) -> None:
    frame = make_frame(session, X, Y)

    model = make_classifier(onDivergence="model", **LOST).fit(frame)

    assert not np.isfinite(model.objectiveHistory[-1])
    assert not model.model.weights.any()
    assert {row.prediction for row in model.transform(frame).collect()} == {0.0}


def test_one_point_of_a_grid_does_not_end_a_cross_validation(session: Any) -> None:
    estimator = make_classifier(onDivergence="model", **(LOST | {"maxIter": 200}))
    grid = ParamGridBuilder().addGrid(estimator.stepSize, [1e300, 0.1]).build()
    validator = CrossValidator(
        estimator=estimator, estimatorParamMaps=grid, numFolds=2, seed=1,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
    )

    validated = validator.fit(make_frame(session, X, Y))

    assert validated.avgMetrics[1] > validated.avgMetrics[0]


def test_refuses_another_choice(session: Any) -> None:
    with pytest.raises(ParamError, match="onDivergence must be 'error' or 'model'; got 'ignore'"):
        make_classifier(onDivergence="ignore").fit(make_frame(session, X, Y))


def test_logs_the_warnings_of_a_fit(session: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="mlp.spark"):
        make_classifier(maxIter=2).fit(make_frame(session, X * 1e4, Y))

    codes = [getattr(record, "code", None) for record in caplog.records]
    assert "unevenScale" in codes
