# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains, scores and saves over Spark Connect, and prints what came of it.

Usage: connect_program.py FOLDER IRIS_CSV
A process has either Connect or a context, so that this is a program of its own.
"""

import json
import sys
from typing import Any

from pyspark.ml.classification import MultilayerPerceptronClassificationModel as SparkModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession

import mlp.spark
from mlp.spark import (
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
    predict_udf,
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
        "summary": summary,
    }


if __name__ == "__main__":
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    print(json.dumps(run(spark, *sys.argv[1:])))
    spark.stop()
