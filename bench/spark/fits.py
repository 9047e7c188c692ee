#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times fits of mlp.spark beside Spark's own, in one warm session, local[2].

    bench/spark/fits.py [iris] [mnist] [overhead] [search]

Needs Java 17 and a Python with spark-mlp[spark] and pandas < 3. Fits of ours and of
Spark's alternate; each line has the medians of the seconds, and their ratio with the
smallest and the largest of a pair.
"""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import mnist  # noqa: E402
import numpy  # noqa: E402
import spark_peer  # noqa: E402

import mlp  # noqa: E402

NUM_PAIRS = {"iris": 7, "mnist": 3}
ITERATIONS = {"iris": 100, "mnist": 100}
PARTITIONS = {"iris": [75, 75], "mnist": [5000, 5000]}


def seconds_of(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def read(name):
    rows = spark_peer.iris_rows() if name == "iris" else spark_peer.mnist_rows()
    parameters = spark_peer.PROBLEMS[name][2] | {"maxIter": ITERATIONS[name]}
    return rows, parameters


def print_pairs(what, ours, theirs):
    ratios = sorted(peer / own for own, peer in zip(ours, theirs))
    print(f"{what}: {statistics.median(ours):.3f} s, Spark {statistics.median(theirs):.3f} s: "
          f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}..{ratios[-1]:.2f})", flush=True)


def run_fit(spark, name):
    """A fit of ours, against one of Spark's."""
    from pyspark.ml.classification import MultilayerPerceptronClassifier as Theirs

    from mlp.spark import MultilayerPerceptronClassifier as Ours

    rows, parameters = read(name)
    frame = spark_peer.make_frame(spark, rows, PARTITIONS[name])
    ours, theirs = Ours(**parameters), Theirs(**parameters)
    ours.fit(frame)
    theirs.copy({theirs.maxIter: 10}).fit(frame)
    pairs = []
    for _ in range(NUM_PAIRS[name]):
        own, model = seconds_of(lambda: ours.fit(frame))
        peer, other = seconds_of(lambda: theirs.fit(frame))
        history = other.summary().objectiveHistory
        numpy.testing.assert_allclose(model.objectiveHistory[:8], history[:8], rtol=1e-9)
        pairs.append((own, peer))
    print_pairs(f"{name}, a fit", *zip(*pairs))
    frame.unpersist()


def run_overhead(spark, name):
    """What Spark adds to the same fit by the Python package."""
    from mlp.spark import MultilayerPerceptronClassifier as Ours

    rows, parameters = read(name)
    frame = spark_peer.make_frame(spark, rows, PARTITIONS[name])
    X = numpy.array([row for _, row in rows])
    y = numpy.array([int(label) for label, _ in rows])
    names = {"maxIter": "max_iter"}
    plain = mlp.MLPClassifier(**{names.get(key, key): value for key, value in parameters.items()})
    for what, tasks in (("one task", 1), ("2 tasks", 2)):
        estimator = Ours(**parameters).setNumWorkers(tasks)
        estimator.fit(frame)
        added = []
        for _ in range(NUM_PAIRS[name]):
            own, _ = seconds_of(lambda: estimator.fit(frame))
            native, _ = seconds_of(lambda: plain.fit(X, y, partition_sizes=PARTITIONS[name]))
            added.append(own - native)
        print(f"{name}, {what}, over the fit without Spark: "
              f"{statistics.median(added):.3f} s ({min(added):.3f}..{max(added):.3f})", flush=True)
    frame.unpersist()


def run_search(spark):
    """A CrossValidator of 3 folds over 12 ParamMaps, 4 at a time, on Iris."""
    from pyspark.ml.classification import MultilayerPerceptronClassifier as Theirs
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    from mlp.spark import MultilayerPerceptronClassifier as Ours

    rows, parameters = read("iris")
    frame = spark_peer.make_frame(spark, rows, PARTITIONS["iris"])

    def search(estimator):
        grid = (ParamGridBuilder().addGrid(estimator.layers, [[4, 3], [4, 5, 3], [4, 8, 3]])
                .addGrid(estimator.maxIter, [10, 40]).addGrid(estimator.seed, [1, 2]).build())
        assert len(grid) == 12
        evaluator = MulticlassClassificationEvaluator(metricName="logLoss")
        validator = CrossValidator(estimator=estimator, estimatorParamMaps=grid, numFolds=3,
                                   evaluator=evaluator, parallelism=4, seed=1)
        return validator.fit(frame)

    own, ours = seconds_of(lambda: search(Ours()))
    own, ours = seconds_of(lambda: search(Ours()))
    peer, theirs = seconds_of(lambda: search(Theirs()))
    best = [int(numpy.argmin(found.avgMetrics)) for found in (ours, theirs)]
    assert best[0] == best[1], (ours.avgMetrics, theirs.avgMetrics)
    print_pairs("iris, a search over 12 ParamMaps", [own], [peer])


def main():
    import pyspark

    chosen = sys.argv[1:] or ["iris", "mnist", "overhead", "search"]
    spark = spark_peer.start_spark()
    print(f"Spark {pyspark.__version__}, mlp {mlp.__version__}")
    for name in ("iris", "mnist"):
        if name in chosen:
            run_fit(spark, name)
    if "overhead" in chosen:
        run_overhead(spark, "iris")
        run_overhead(spark, "mnist")
    if "search" in chosen:
        run_search(spark)
    spark.stop()


if __name__ == "__main__":
    main()
