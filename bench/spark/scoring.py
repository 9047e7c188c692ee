#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times scoring by mlp.spark beside Spark's own model, in one warm session, local[2].

    bench/spark/scoring.py [--no-jar] [--rounds N] [iris] [mnist] [narrow]

A million rows of Iris, 40,000 of MNIST and a million of 20 features (narrow) are scored
from memory by each way in turn, for queries that need all columns, the prediction, the
number of rows, and the rows with one label; nothing is stored. Each line has the median of
the seconds, and how many times faster than the query of Spark's model that is, with the
smallest and the largest of a round.

Needs Java 17 and a Python with spark-mlp[spark] and pandas < 3. model.transform scores by
the jar if the installed package has it, and by Spark's own model with --no-jar.
"""
import argparse
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import numpy  # noqa: E402
import spark_peer  # noqa: E402
from frames import narrow_frame  # noqa: E402

import mlp  # noqa: E402

COPIES = {"iris": 7000, "mnist": 4}
LAYERS = {"iris": [4, 5, 4, 3], "mnist": [784, 100, 10], "narrow": [20, 32, 2]}
NUM_ROUNDS = 5
PEER = "Spark's model"
# A row at a time in Python is slow: fewer rows are enough.
SHARE_OF_ROWS = {"iris": 0.1, "mnist": 0.25, "narrow": 0.1}


def seconds_of(frame):
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start


def make_frame(spark, name):
    """The rows of a data set many times over, in memory, in two partitions, and some of them."""
    if name == "narrow":
        many = narrow_frame(spark).cache()
        many.count()
        return many, [(row.label, row.features.toArray()) for row in many.take(1000)]
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


def queries_of(scored):
    return {
        "all columns": scored,
        "prediction": scored.select("prediction"),
        "count": scored.groupBy().count(),
        "where label = 0": scored.where("label = 0"),
    }


def ways_of(frame, name, network):
    """The ways to score, by name: their queries, and the share of the rows they score."""
    from mlp.spark import MultilayerPerceptronClassificationModel, predict_udf
    from mlp.spark.scoring import append_columns
    from pyspark.ml.functions import vector_to_array

    model = MultilayerPerceptronClassificationModel(network)
    few = frame.sample(SHARE_OF_ROWS[name], seed=1).cache()
    share = few.count() / frame.count()
    columns = [("rawPrediction", "raw"), ("probability", "probability"),
               ("prediction", "prediction")]
    arrays = predict_udf(network)(vector_to_array("features"))
    return {
        PEER: (queries_of(model.to_spark().transform(frame)), 1.0),
        "model.transform": (queries_of(model.transform(frame)), 1.0),
        "the function of Python": (
            queries_of(append_columns(frame, network, "features", columns)), 1.0),
        "predict_udf of arrays": ({"prediction": frame.select(arrays)}, 1.0),
        "a row at a time in Python": (
            {"prediction": few.select(row_udf(network)("features"))}, share),
    }


def run(spark, name, num_rounds):
    frame, rows = make_frame(spark, name)
    ways = ways_of(frame, name, train(name, rows))
    seconds = {(way, query): [] for way, (queries, _) in ways.items() for query in queries}
    for number in range(num_rounds + 1):
        for way, query in seconds:
            queries, share = ways[way]
            taken = seconds_of(queries[query]) / share
            if number > 0:  # the first round warms
                seconds[way, query].append(taken)
    print(f"{name}, {frame.count()} rows")
    for (way, query), own in seconds.items():
        ratios = sorted(theirs / ours for ours, theirs in zip(own, seconds[PEER, query]))
        print(f"  {way}, {query}: {statistics.median(own):.3f} s, "
              f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}..{ratios[-1]:.2f})", flush=True)
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

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-jar", action="store_true", help="score by Spark's own model")
    parser.add_argument("--rounds", type=int, default=NUM_ROUNDS, help="in which each way scores")
    parser.add_argument("names", nargs="*", choices=[*LAYERS, []], metavar="NAME",
                        help=f"of {', '.join(LAYERS)}; all by default")
    arguments = parser.parse_args()
    if not arguments.no_jar:
        add_jar()
    spark = spark_peer.start_spark()
    print(f"Spark {pyspark.__version__}, mlp {mlp.__version__}")
    for name in arguments.names or LAYERS:
        run(spark, name, arguments.rounds)
    spark.stop()


if __name__ == "__main__":
    main()
