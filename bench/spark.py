#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times training against real Spark, per iteration, on the same cores.

Iris, [4, 5, 4, 3], in one partition, and MNIST's 10,000 test rows,
[784, 100, 10], in two: the same seed and the same history, Spark as local[2],
the program with two threads, in turn. Needs PySpark 3.5 and a JDK:

    python3 -m venv /tmp/spark && /tmp/spark/bin/pip install pyspark==3.5.7 numpy
    /tmp/spark/bin/python bench/spark.py [PROGRAM] [ROUNDS]
"""
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data"


class Problem:
    """One training on both sides."""

    def __init__(self, name, layers, seed, iterations, tolerance, partitions,
                 rows, arguments):
        self.name = name
        self.layers = layers
        self.seed = seed
        self.iterations = iterations
        self.tolerance = tolerance
        self.partitions = partitions
        self.rows = rows
        self.arguments = arguments


def iris():
    with open(DATA / "iris.csv", encoding="utf-8") as file:
        lines = [line.split(",") for line in file.read().split()[1:]]
    species = sorted({line[-1] for line in lines})
    rows = [(float(species.index(line[-1])), [float(x) for x in line[:-1]])
            for line in lines]
    return Problem("Iris", [4, 5, 4, 3], 1234, 100, 1e-6, [150], rows,
                   [str(DATA / "iris.csv")])


def mnist():
    with gzip.open(DATA / "t10k-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    with gzip.open(DATA / "t10k-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    features = pixels.reshape(-1, 784) / 255.0
    rows = [(float(label), row.tolist())
            for label, row in zip(labels, features)]
    return Problem("MNIST, 10,000 rows", [784, 100, 10], 1, 25, 0.0,
                   [5000, 5000], rows,
                   [str(DATA / "t10k-images-idx3-ubyte.gz"), "--labels",
                    str(DATA / "t10k-labels-idx1-ubyte.gz"), "--scale", "255"])


def start_spark():
    from pyspark.sql import SparkSession

    # The workers must run the Python that has PySpark.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (SparkSession.builder.master("local[2]").appName("mlp")
             .config("spark.ui.enabled", "false")
             .config("spark.ui.showConsoleProgress", "false")
             # Spark's fastest Java BLAS needs this module of the JDK.
             .config("spark.driver.extraJavaOptions",
                     "--add-modules=jdk.incubator.vector")
             .config("spark.driver.memory", "6g").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    return spark


def make_frame(spark, problem):
    from pyspark.ml.linalg import Vectors

    rows = iter((label, Vectors.dense(row)) for label, row in problem.rows)
    parts = [[next(rows) for _ in range(size)] for size in problem.partitions]
    frame = (spark.sparkContext.parallelize(parts, len(parts))
             .flatMap(lambda part: part).toDF(["label", "features"]).cache())
    frame.count()
    return frame


def spark_fit(frame, problem):
    """Returns seconds per iteration and the objective history."""
    from pyspark.ml.classification import MultilayerPerceptronClassifier

    classifier = MultilayerPerceptronClassifier(
        layers=problem.layers, seed=problem.seed, maxIter=problem.iterations,
        tol=problem.tolerance)
    start = time.perf_counter()
    model = classifier.fit(frame)
    seconds = time.perf_counter() - start
    history = list(model.summary().objectiveHistory)
    return seconds / (len(history) - 1), history


def program_fit(program, problem, folder):
    """Returns seconds per iteration and the objective history."""
    command = [program, "train", *problem.arguments, "--layers",
               ",".join(map(str, problem.layers)), "--seed", str(problem.seed),
               "--max-iter", str(problem.iterations),
               "--tol", str(problem.tolerance), "--partition-sizes",
               ",".join(map(str, problem.partitions)), "--threads", "2",
               "-o", f"{folder}/model.json", "--json"]
    done = subprocess.run(command, check=True, capture_output=True)
    result = json.loads(done.stdout)
    return (result["seconds"] / result["totalIterations"],
            result["objectiveHistory"])


def compare(program, problem, frame, rounds, folder):
    spark_fit(frame, problem)
    ratios = []
    for _ in range(rounds):
        ours, history = program_fit(program, problem, folder)
        theirs, recorded = spark_fit(frame, problem)
        ratios.append(theirs / ours)
        beginning = max(abs(a - b) / abs(b)
                        for a, b in zip(history[:16], recorded[:16]))
        print(f"{problem.name:18} mlp {ours * 1e3:8.4f} ms   Spark "
              f"{theirs * 1e3:7.2f} ms   ratio {ratios[-1]:7.1f}   "
              f"first 16 entries differ by {beginning:.0e}", flush=True)
    print(f"{problem.name:18} median ratio {statistics.median(ratios):.1f}",
          flush=True)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "mlp")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    spark = start_spark()
    with tempfile.TemporaryDirectory() as folder:
        for problem in (iris(), mnist()):
            compare(program, problem, make_frame(spark, problem), rounds,
                    folder)


if __name__ == "__main__":
    main()
