# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Searches over ParamMaps, and the trainings that they share."""

import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
import mlp  # noqa: E402
import pyspark.ml.classification as spark  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402
from mlp.spark import estimator as estimator_module  # noqa: E402
from mlp.spark.fit_multiple import SharedFits  # noqa: E402
from mlp.spark.training.one_task import gather, train_one_task  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402
from pyspark.ml.evaluation import MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.tuning import (  # noqa: E402
    CrossValidator,
    CrossValidatorModel,
    ParamGridBuilder,
    TrainValidationSplit,
)

from spark.frames import iris_frame  # noqa: E402


def make_evaluator() -> MulticlassClassificationEvaluator:
    return MulticlassClassificationEvaluator(metricName="accuracy")


def make_grid(estimator: Any) -> Any:
    builder = ParamGridBuilder().addGrid(estimator.maxIter, [2, 10])
    return builder.addGrid(estimator.layers, [[4, 3], [4, 5, 3]]).build()


def search(estimator: Any, frame: Any, parallelism: int = 2) -> Any:
    validator = CrossValidator(
        estimator=estimator, estimatorParamMaps=make_grid(estimator),
        evaluator=make_evaluator(), numFolds=2, seed=1, parallelism=parallelism,
    )
    return validator.fit(frame)


def test_cross_validation_finds_what_spark_finds(session: Any) -> None:
    frame = iris_frame(session)
    ours = search(MultilayerPerceptronClassifier(seed=1), frame)
    theirs = search(spark.MultilayerPerceptronClassifier(seed=1), frame)

    assert ours.avgMetrics == pytest.approx(theirs.avgMetrics)
    assert ours.bestModel.getLayers() == theirs.bestModel.getLayers()
    assert ours.bestModel.getMaxIter() == theirs.bestModel.getMaxIter()


def test_a_split_finds_what_spark_finds(session: Any) -> None:
    frame = iris_frame(session)
    metrics = []
    for classifier in (MultilayerPerceptronClassifier, spark.MultilayerPerceptronClassifier):
        estimator = classifier(seed=1)
        validator = TrainValidationSplit(
            estimator=estimator, estimatorParamMaps=make_grid(estimator),
            evaluator=make_evaluator(), seed=1,
        )
        metrics.append(validator.fit(frame).validationMetrics)

    assert metrics[0] == pytest.approx(metrics[1])


def test_a_fitted_search_is_saved(session: Any, tmp_path: pathlib.Path) -> None:
    frame = iris_frame(session)
    fitted = search(MultilayerPerceptronClassifier(seed=1), frame, parallelism=1)
    fitted.write().overwrite().save(str(tmp_path / "search"))

    again = CrossValidatorModel.load(str(tmp_path / "search"))

    assert again.bestModel.weights == fitted.bestModel.weights


def count_trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns a list that gets the number of requests of each training."""
    train_all, sizes = estimator_module.train_all, []

    def counted(rows: Any, requests: Any, *more: Any) -> Any:
        sizes.append(len(requests))
        return train_all(rows, requests, *more)

    monkeypatch.setattr(estimator_module, "train_all", counted)
    return sizes


def test_reads_the_data_once_for_all_param_maps(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = count_trainings(monkeypatch)
    estimator = MultilayerPerceptronClassifier(seed=1)

    models = estimator.fit(iris_frame(session), make_grid(estimator))

    assert sizes == [4]
    alone = estimator.fit(iris_frame(session), make_grid(estimator)[3])
    assert models[3].weights == alone.weights


def test_reads_each_column_of_features(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = count_trainings(monkeypatch)
    frame = iris_frame(session).selectExpr("*", "features AS again")
    estimator = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=1, seed=1)

    first, second = estimator.fit(frame, [{}, {estimator.featuresCol: "again"}])

    assert sizes == [1, 1]
    assert first.weights == second.weights
    assert second.getFeaturesCol() == "again"


def test_the_iterator_trains_at_its_first_step() -> None:
    calls = []
    fits = SharedFits(lambda: calls.append(1) or ["a", "b"], 2)  # type: ignore[func-returns-value]

    assert not calls
    assert list(fits) == [(0, "a"), (1, "b")]
    assert calls == [1]


def test_several_tasks_share_the_param_maps(session: Any) -> None:
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=5)
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    requests = [estimator.copy({estimator.seed: seed})._request() for seed in range(5)]

    shared = train_one_task(rows, requests, 3)

    for request, result in zip(requests, shared):
        alone = mlp.Model.from_json(train_one_task(rows, [request])[0].model)
        assert mlp.Model.from_json(result.model).weights.tobytes() == alone.weights.tobytes()


def test_rows_that_spark_does_not_hold_are_computed_in_their_partitions(session: Any) -> None:
    rows = training_rows(iris_frame(session, [70, 80]).cache(), "features", "label")

    before = gather(rows, 1)._jdf.queryExecution().optimizedPlan().toString()
    rows.count()
    after = gather(rows, 1)._jdf.queryExecution().optimizedPlan().toString()

    assert "Repartition 1, true" in before
    assert "Repartition 1, false" in after
