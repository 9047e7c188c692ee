#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Records a fit of Spark, and the Parquet files of the DataFrame that it read.

The DataFrame has four partitions of different sizes, and Spark writes a file for each.
PySpark 4.0.1 wrote what lies in spark-4.0/.

Usage: record_parts.py FOLDER
    FOLDER   gets parts/part-*.parquet and parts.json
"""

import csv
import json
import os
import pathlib
import shutil
import sys
import tempfile

from pyspark.ml.classification import MultilayerPerceptronClassifier
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

IRIS = pathlib.Path(__file__).parents[2] / "data" / "iris.csv"
SPECIES = ("setosa", "versicolor", "virginica")
SIZES = (13, 60, 1, 76)
PARAMS = {"layers": [4, 5, 4, 3], "blockSize": 16, "seed": 3, "maxIter": 40}


def read_rows():
    """The rows of Iris, of which consecutive ones are of different species."""
    with open(IRIS, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file)][1:]
    return [(float(SPECIES.index(row[4])), Vectors.dense([float(text) for text in row[:4]]))
            for row in (rows[i * 50 % 150 + i * 50 // 150] for i in range(150))]


def main():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    folder = pathlib.Path(sys.argv[1])
    spark = SparkSession.builder.master("local[1]").getOrCreate()
    rows, parts = read_rows(), []
    for size in SIZES:
        parts.append(spark.sparkContext.parallelize(rows[:size], 1))
        rows = rows[size:]
    frame = spark.createDataFrame(spark.sparkContext.union(parts), ["label", "features"])
    model = MultilayerPerceptronClassifier(**PARAMS).fit(frame)
    summary = model.summary()
    with tempfile.TemporaryDirectory() as scratch:
        frame.write.parquet(f"{scratch}/parts")
        (folder / "parts").mkdir(parents=True, exist_ok=True)
        files = sorted(pathlib.Path(scratch, "parts").glob("part-*.parquet"))
        for number, file in enumerate(files):
            shutil.copyfile(file, folder / "parts" / f"part-{number}.parquet")
    recorded = {"params": PARAMS, "partitionSizes": SIZES,
                "objectiveHistory": list(summary.objectiveHistory),
                "totalIterations": summary.totalIterations,
                "weights": model.weights.toArray().tolist()}
    (folder / "parts.json").write_text(json.dumps(recorded) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
