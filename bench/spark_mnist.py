#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times training on MNIST's 10,000 test rows against real Spark.

Both train [784, 100, 10] from the same seed on the same two partitions, Spark
as local[2], the program with two threads, in turn. Needs PySpark 3.5 and a JDK:

    python3 -m venv /tmp/spark && /tmp/spark/bin/pip install pyspark==3.5.7 numpy
    /tmp/spark/bin/python bench/spark_mnist.py [PROGRAM] [ROUNDS]
"""
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
ITERATIONS = 25
SEED = 1


def read_mnist():
    with gzip.open(ROOT / "data" / "t10k-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    with gzip.open(ROOT / "data" / "t10k-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    return pixels.reshape(-1, 784) / 255.0, labels


def make_spark_frame():
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    spark = (SparkSession.builder.master("local[2]").appName("mnist")
             .config("spark.ui.enabled", "false")
             .config("spark.driver.memory", "6g").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    features, labels = read_mnist()
    rows = [(float(label), Vectors.dense(row))
            for label, row in zip(labels, features)]
    half = len(rows) // 2
    parts = spark.sparkContext.parallelize([rows[:half], rows[half:]], 2)
    frame = parts.flatMap(lambda part: part).toDF(["label", "features"]).cache()
    frame.count()
    return frame


def spark_fit(frame):
    """Returns seconds per iteration and the objective history."""
    from pyspark.ml.classification import MultilayerPerceptronClassifier

    classifier = MultilayerPerceptronClassifier(
        layers=[784, 100, 10], seed=SEED, maxIter=ITERATIONS, tol=0.0)
    start = time.perf_counter()
    model = classifier.fit(frame)
    seconds = time.perf_counter() - start
    history = list(model.summary().objectiveHistory)
    return seconds / (len(history) - 1), history


def program_fit(program, folder):
    command = [program, "train", str(ROOT / "data" / "t10k-images-idx3-ubyte.gz"),
               "--labels", str(ROOT / "data" / "t10k-labels-idx1-ubyte.gz"),
               "--scale", "255", "--layers", "784,100,10", "--seed", str(SEED),
               "--max-iter", str(ITERATIONS), "--tol", "0",
               "--partition-sizes", "5000,5000", "--threads", "2",
               "-o", f"{folder}/mnist.json", "--json"]
    done = subprocess.run(command, check=True, capture_output=True)
    result = json.loads(done.stdout)
    return result["seconds"] / result["totalIterations"], result["objectiveHistory"]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "mlp")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    frame = make_spark_frame()
    spark_fit(frame)
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            ours, history = program_fit(program, folder)
            theirs, recorded = spark_fit(frame)
            ratios.append(theirs / ours)
            difference = max(abs(a - b) / abs(b)
                             for a, b in zip(history, recorded))
            print(f"mlp {ours * 1e3:7.2f} ms   Spark {theirs * 1e3:7.2f} ms   "
                  f"ratio {ratios[-1]:5.2f}   histories differ by {difference:.1e}",
                  flush=True)
    print(f"median ratio per iteration: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
