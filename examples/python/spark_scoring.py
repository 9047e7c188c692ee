# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores tables and streams of files in tasks of Spark, with mapInPandas.

mapInPandas gives a function the rows of a task as data frames, one after the other, so
that the function loads the model once for all of them. What it returns may have other
rows and columns than what it gets.

Run it with: spark-submit examples/python/spark_scoring.py
"""
from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Iterator

import pandas
from pyspark.sql import DataFrame, SparkSession

import mlp

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
FEATURES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
SCHEMA = ", ".join(f"{name} double" for name in FEATURES) + ", species string"


def score(rows: DataFrame, model_path: str) -> DataFrame:
    """Appends the class of each row and its probability."""

    def score_batches(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        model = mlp.Model.load(model_path)
        for batch in batches:
            probability = model.predict_proba(batch[FEATURES], n_jobs=1).max(axis=1)
            predicted = model.predict(batch[FEATURES], n_jobs=1)
            yield batch.assign(predicted=predicted, probability=probability)

    return rows.mapInPandas(score_batches, SCHEMA + ", predicted string, probability double")


def score_stream(spark: SparkSession, folder: str, model_path: str, name: str) -> DataFrame:
    """Scores the CSV files of a folder as a stream until none is left."""
    rows = spark.readStream.schema(SCHEMA).csv(folder, header=True)
    query = (
        score(rows, model_path).writeStream.format("memory").queryName(name)
        .trigger(availableNow=True).start()
    )
    query.awaitTermination()
    return spark.table(name)


def main(spark: SparkSession) -> tuple[list[str], list[str]]:
    """Returns the classes of a table and of the same rows as a stream of files."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/iris.json"
        iris = mlp.read_csv(DATA / "iris.csv", label="species")
        mlp.MLPClassifier(seed=1).fit(iris.X, iris.y).model_.save(path)

        table = spark.read.schema(SCHEMA).csv(str(DATA / "iris.csv"), header=True)
        batch = [row.predicted for row in score(table, path).collect()]

        # Three files, as they would arrive one after the other.
        table.repartition(3).write.csv(f"{folder}/arriving", header=True)
        streamed = score_stream(spark, f"{folder}/arriving", path, "scored")
        return batch, [row.predicted for row in streamed.collect()]


if __name__ == "__main__":
    session = SparkSession.builder.master("local[2]").getOrCreate()
    of_table, of_stream = main(session)
    print(f"{len(of_table)} rows of a table, {len(of_stream)} rows of a stream, "
          f"equal: {sorted(of_table) == sorted(of_stream)}")
    session.stop()
