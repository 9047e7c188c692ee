#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times scoring by mlp.spark beside Spark's own model, in one warm session, local[2].

    bench/spark/scoring.py [iris] [mnist]

A million rows of Iris and 40,000 of MNIST are scored from memory by each way in turn,
with the columns rawPrediction, probability and prediction where it has them; nothing is
stored. Each line has the median of the seconds, and how many times faster than Spark's
model that is, with the smallest and the largest of a round.

Needs Java 17 and a Python with spark-mlp[spark] and pandas < 3. The ways of the JVM are
left out if the installed package has no jars.
"""
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import numpy  # noqa: E402
import spark_peer  # noqa: E402

import mlp  # noqa: E402

COPIES = {"iris": 7000, "mnist": 4}
LAYERS = {"iris": [4, 5, 4, 3], "mnist": [784, 100, 10]}
NUM_ROUNDS = 5
# A row at a time in Python is slow: fewer rows are enough.
SHARE_OF_ROWS = {"iris": 0.1, "mnist": 0.25}


def seconds_of(frame):
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def make_frame(spark, name):
    """The rows of a data set many times over, in memory, in two partitions."""
    rows = spark_peer.iris_rows() if name == "iris" else spark_peer.mnist_rows()
    size = len(rows) // 2
    frame = spark_peer.make_frame(spark, rows, [size, len(rows) - size])
    many = (frame.crossJoin(spark.range(COPIES[name])).select("label", "features")
            .repartition(2).cache())
    many.count()
    frame.unpersist()
    return many, rows


def train(name, rows):
    """A network that Spark can express."""
    X = numpy.array([row for _, row in rows])
    y = numpy.array([int(label) for label, _ in rows])
    return mlp.MLPClassifier(layers=LAYERS[name], max_iter=10, seed=1).fit(X, y).model_


def row_udf(network):
    """A function of Python that scores one row."""
    from mlp.spark.scoring import send
    from pyspark.sql.functions import udf

    sent = send(network)

    @udf("double")
    def score(vector):
        from mlp.spark.scoring import load_once

        return float(load_once(sent).predict(vector.toArray().reshape(1, -1), 1)[0])

    return score


def ways_of(spark, frame, name, network):
    """The ways to score, by name, each with the share of the rows that it scores."""
    from mlp.spark import MultilayerPerceptronClassificationModel, predict_udf
    from mlp.spark.scoring import score_columns
    from pyspark.ml.functions import vector_to_array

    model = MultilayerPerceptronClassificationModel(network)
    few = frame.sample(SHARE_OF_ROWS[name], seed=1).cache()
    share = few.count() / frame.count()
    columns = ("features", "prediction", "rawPrediction", "probability")
    ways = {
        "Spark's model": (model.to_spark().transform(frame), 1.0),
        "model.transform": (model.transform(frame), 1.0),
        "the native path": (score_columns(frame, network, *columns), 1.0),
        "predict_udf of arrays": (
            frame.select(predict_udf(network)(vector_to_array("features"))), 1.0),
        "a row at a time in Python": (few.select(row_udf(network)("features")), share),
    }
    if "PYSPARK_SUBMIT_ARGS" in os.environ:
        from pyspark.sql import DataFrame

        native = spark._jvm.io.mlp.spark.NativeMlpModel().setModelText(network.to_json())
        ways["NativeMlpModel of the JVM"] = (DataFrame(native.transform(frame._jdf), spark), 1.0)
    return ways


def run(spark, name):
    frame, rows = make_frame(spark, name)
    ways = ways_of(spark, frame, name, train(name, rows))
    seconds = {way: [] for way in ways}
    for number in range(NUM_ROUNDS + 1):
        for way, (scored, share) in ways.items():
            taken = seconds_of(scored) / share
            if number > 0:  # the first round warms
                seconds[way].append(taken)
    peer = seconds["Spark's model"]
    print(f"{name}, {frame.count()} rows")
    for way, own in seconds.items():
        ratios = sorted(theirs / ours for ours, theirs in zip(own, peer))
        print(f"  {way}: {statistics.median(own):.3f} s, {statistics.median(ratios):.2f}x "
              f"({ratios[0]:.2f}..{ratios[-1]:.2f})", flush=True)
    frame.unpersist()


def add_jar():
    """Gives the jar to the session that starts later, if there is one."""
    from mlp.spark import jar_path

    try:
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jar_path()} pyspark-shell"
    except mlp.NotCompiled as error:
        print(error)


def main():
    import pyspark

    add_jar()
    spark = spark_peer.start_spark()
    print(f"Spark {pyspark.__version__}, mlp {mlp.__version__}")
    for name in sys.argv[1:] or ["iris", "mnist"]:
        run(spark, name)
    spark.stop()


if __name__ == "__main__":
    main()
