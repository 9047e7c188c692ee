# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains, scores and saves over Spark Connect, and prints what came of it.

Usage: connect_program.py FOLDER IRIS_CSV
A process has either Connect or a context, so that this is a program of its own.
"""

import contextlib
import io
import json
import sys
from typing import Any

from pyspark.ml import Pipeline
from pyspark.ml.classification import MultilayerPerceptronClassificationModel as SparkModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator, RegressionEvaluator
from pyspark.ml.feature import MinMaxScaler, VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import DataFrame, SparkSession

import mlp.spark
from mlp.spark import (
    HiddenLayerTransformer,
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
    MultilayerPerceptronRegressor,
    fit_groups,
    predict_udf,
    score_groups,
)

LABEL = "CASE species WHEN 'setosa' THEN 0.0D WHEN 'versicolor' THEN 1.0D ELSE 2.0D END AS label"


def make_frame(session: SparkSession, path: str) -> DataFrame:
    table = session.read.csv(path, header=True, inferSchema=True)
    assembler = VectorAssembler(inputCols=table.columns[:4], outputCol="features")
    return assembler.transform(table).selectExpr("features", LABEL)


def score(frame: DataFrame) -> float:
    evaluator = MulticlassClassificationEvaluator(metricName="accuracy")
    return float(evaluator.evaluate(frame))


def save_twice(model: Any, path: str) -> bool:
    """Saves, saves over that, and loads; returns whether the weights are the same."""
    model.write().save(path)
    model.write().overwrite().save(path)
    return bool(MultilayerPerceptronClassificationModel.load(path).weights == model.weights)


def search(frame: DataFrame) -> list[float]:
    """Searches over a pipeline, whose threads have no active session."""
    estimator = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=20, seed=1)
    pipeline = Pipeline(stages=[MinMaxScaler(inputCol="features", outputCol="scaled"), estimator])
    estimator.setFeaturesCol("scaled")
    grid = ParamGridBuilder().addGrid(estimator.activation, ["sigmoid", "relu"]).build()
    validator = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, numFolds=2, parallelism=2, seed=1,
        evaluator=MulticlassClassificationEvaluator(metricName="accuracy"),
    )
    return list(validator.fit(frame).avgMetrics)


def plan_of(frame: DataFrame) -> str:
    """Returns what explain prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        frame.explain()
    return output.getvalue()


def stream(session: SparkSession, model: Any, frame: DataFrame, folder: str) -> int:
    """Scores a stream of files; returns the number of rows."""
    frame.write.parquet(f"{folder}/rows")
    rows = session.readStream.schema(frame.schema).parquet(f"{folder}/rows")
    query = (
        model.transform(rows).select("prediction").writeStream.format("parquet")
        .option("checkpointLocation", f"{folder}/state").trigger(availableNow=True)
        .start(f"{folder}/scored")
    )
    query.awaitTermination()
    return int(session.read.parquet(f"{folder}/scored").count())


def score_others(frame: DataFrame, relu: Any) -> dict[str, Any]:
    """Scores with the stages that Spark lacks."""
    hidden = HiddenLayerTransformer(relu, layer=1).transform(frame)
    regressor = MultilayerPerceptronRegressor(layers=[4, 1], maxIter=20, seed=1)
    line = regressor.fit(frame).transform(frame)
    return {
        "hidden": hidden.first().hidden.size,
        "pruned": plan_of(hidden.select("label")),
        "scored": plan_of(hidden),
        "error": RegressionEvaluator(metricName="mse").evaluate(line),
    }


def count_rows(rank: mlp.spark.Rank) -> int:
    own = sum(batch.num_rows for batch in rank.batches)
    return int(rank.broadcast(rank.allreduce(own)))


def score_by_group(frame: DataFrame) -> list[Any]:
    """Trains and scores a model for each of two groups; returns the right rows, and an error."""
    stores = frame.selectExpr("*", "IF(label = 0, 'a', 'b') AS store")
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=30, seed=1)
    models = fit_groups(stores, "store", estimator)
    scored = score_groups(stores, "store", models, probabilityCol="probability")
    bad = fit_groups(stores.withColumn("label", stores.label + 2.0), "store", estimator)
    errors = [row.error for row in bad.orderBy("store").collect()]
    return [scored.where("prediction = label").count(), *errors]


def run(session: SparkSession, folder: str, path: str) -> dict[str, Any]:
    frame = make_frame(session, path)
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 4, 3], seed=1234)
    model = estimator.fit(frame)
    relu = estimator.copy({estimator.activation: "relu"}).fit(frame)
    pair = estimator.copy({estimator.numWorkers: 2}).fit(frame)
    session.udf.register("score", predict_udf(model))
    try:
        summary = str(model.summary())
    except NotImplementedError as error:
        summary = str(error)
    return {
        "history": list(model.objectiveHistory),
        "accuracy": score(model.transform(frame)),
        "spark": score(model.to_spark().transform(frame)),
        "relu": score(relu.transform(frame)),
        "pair": len(pair.objectiveHistory),
        "saved": save_twice(model, f"{folder}/model"),
        "saved_relu": save_twice(relu, f"{folder}/relu"),
        "loaded": SparkModel.load(f"{folder}/model").weights.size,
        "sql": session.sql("SELECT score(5.1, 3.5, 1.4, 0.2)").first()[0],
        "sums": mlp.spark.run(lambda rank: rank.allreduce([1.0]).tolist(), 2, session),
        "rows": mlp.spark.run(count_rows, 2, session, rows=session.range(10)),
        "groups": score_by_group(frame),
        "summary": summary,
        "search": search(frame),
        "streamed": [stream(session, each, frame, f"{folder}/{name}")
                     for name, each in [("own", model), ("other", relu)]],
        "again": type(MultilayerPerceptronClassificationModel.from_spark(model.to_spark())).__module__,
    } | score_others(frame, relu)


if __name__ == "__main__":
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    print(json.dumps(run(spark, *sys.argv[1:])))
    spark.stop()
