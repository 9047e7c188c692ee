# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Real Spark as local[2]: whole fits of stored data, the session warm.

    spark_peer.py iris|mnist

Iris, [4, 5, 4, 3], in one partition; MNIST's 10,000 test rows, [784, 100, 10],
in two. The same seeds and parameters as fit.cpp has.
"""
import os
import sys

import mnist
from protocol import serve


def iris_rows():
    with open(mnist.DATA / "iris.csv", encoding="utf-8") as file:
        lines = [line.split(",") for line in file.read().split()[1:]]
    species = sorted({line[-1] for line in lines})
    return [(float(species.index(line[-1])), [float(x) for x in line[:-1]])
            for line in lines]


def mnist_rows():
    pixels, labels = mnist.read_pixels()
    features = pixels / 255.0
    return [(float(label), row.tolist()) for label, row in zip(labels, features)]


PROBLEMS = {
    "iris": (iris_rows, [150],
             {"layers": [4, 5, 4, 3], "seed": 1234, "maxIter": 100}),
    "mnist": (mnist_rows, [5000, 5000],
              {"layers": [784, 100, 10], "seed": 1, "maxIter": 25, "tol": 0.0}),
}


def start_spark(master="local[2]", settings=None):
    """Starts a session, with settings by name."""
    from pyspark.sql import SparkSession

    # The workers must run the Python that has PySpark.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Else it asks the network for the machine's name first.
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = (SparkSession.builder.master(master).appName("mlp")
               .config("spark.ui.enabled", "false")
               .config("spark.ui.showConsoleProgress", "false")
               # Spark's fastest Java BLAS needs this module of the JDK.
               .config("spark.driver.extraJavaOptions",
                       "--add-modules=jdk.incubator.vector")
               .config("spark.executor.extraJavaOptions",
                       "--add-modules=jdk.incubator.vector")
               .config("spark.driver.memory", "6g"))
    for name, value in (settings or {}).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def make_frame(spark, rows, partitions):
    """The rows in exactly these partitions, cached."""
    from pyspark.ml.linalg import Vectors

    waiting = iter((label, Vectors.dense(row)) for label, row in rows)
    parts = [[next(waiting) for _ in range(size)] for size in partitions]
    frame = (spark.sparkContext.parallelize(parts, len(parts))
             .flatMap(lambda part: part).toDF(["label", "features"]).cache())
    frame.count()
    return frame


def main():
    from pyspark.ml.classification import MultilayerPerceptronClassifier

    read_rows, partitions, parameters = PROBLEMS[sys.argv[1]]
    spark = start_spark()
    frame = make_frame(spark, read_rows(), partitions)
    classifier = MultilayerPerceptronClassifier(**parameters)

    def work():
        return classifier.fit(frame)

    def describe(model):
        history = list(model.summary().objectiveHistory)
        return {"history": history, "iterations": len(history) - 1}

    work()
    serve(work, describe)


if __name__ == "__main__":
    main()
