#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times fits of mlp.spark beside Spark's own, in one warm session.

    bench/spark/fits.py [--on CLUSTER] [--pairs N] [--iterations N] [WORK ...]

CLUSTER is local (the default, two threads), cluster (two executors of one core), or
allocation (the same, which Spark starts when tasks wait). WORK is by default every one of
iris, letters, mnist, narrow (a million rows of 20 features), sparse (5,000 rows of 20,000
features), start (of several tasks), search (a CrossValidator), overhead and groups.

Needs Java 17 and a Python with spark-mlp[spark] and pandas < 3. Fits of ours and of
Spark's alternate; the lines have the medians of the seconds, of the clock and of all
processors, and their ratio with the smallest and the largest of a pair. A machine with other
load changes the processor time least.
"""
import argparse
import pathlib
import statistics
import sys
import time
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

import numpy  # noqa: E402
import spark_peer  # noqa: E402
from frames import letters_rows, narrow_frame, sparse_frame  # noqa: E402
from processor_time import processor_seconds  # noqa: E402

import mlp  # noqa: E402

NUM_PAIRS = {"iris": 7, "letters": 5, "mnist": 3, "narrow": 2, "sparse": 2}
NUM_GROUPS = 10_000
ITERATIONS = {"iris": 100, "mnist": 100}
PARTITIONS = {"iris": [75, 75], "mnist": [5000, 5000]}
GENERATED = {
    "letters": {"layers": [16, 40, 26], "seed": 1, "maxIter": 30, "tol": 0.0},
    "narrow": {"layers": [20, 32, 2], "seed": 1, "maxIter": 10, "tol": 0.0},
    "sparse": {"layers": [20_000, 16, 2], "seed": 1, "maxIter": 5, "tol": 0.0},
}
ALLOCATION = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.maxExecutors": "2",
}
CLUSTERS = {
    "local": ("local[2]", {}),
    "cluster": ("local-cluster[2,1,1024]", {}),
    "allocation": ("local-cluster[2,1,1024]", ALLOCATION),
}


class Seconds(NamedTuple):
    """Of a fit, and of all processors that it used."""

    wall: float
    processor: float


def seconds_of(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def both_seconds_of(work):
    start = processor_seconds()
    wall, result = seconds_of(work)
    return Seconds(wall, processor_seconds() - start), result


def read(name):
    rows = spark_peer.iris_rows() if name == "iris" else spark_peer.mnist_rows()
    parameters = spark_peer.PROBLEMS[name][2] | {"maxIter": ITERATIONS[name]}
    return rows, parameters


def cached_frame(spark, name):
    """The rows of a problem in memory, and the Params of its training."""
    if name in PARTITIONS:
        rows, parameters = read(name)
        return spark_peer.make_frame(spark, rows, PARTITIONS[name]), parameters
    if name == "letters":
        return spark_peer.make_frame(spark, letters_rows(), [10_000, 10_000]), GENERATED[name]
    frame = {"narrow": narrow_frame, "sparse": sparse_frame}[name](spark).cache()
    frame.count()
    return frame, GENERATED[name]


def print_pairs(what, ours, theirs):
    for name in Seconds._fields:
        own, peer = ([getattr(each, name) for each in pairs] for pairs in (ours, theirs))
        ratios = sorted(b / a for a, b in zip(own, peer))
        print(f"{what}, {name} time: {statistics.median(own):.3f} s, Spark "
              f"{statistics.median(peer):.3f} s: {statistics.median(ratios):.2f}x "
              f"({ratios[0]:.2f}..{ratios[-1]:.2f})", flush=True)


def run_fit(spark, name, num_pairs=None, max_iterations=None):
    """A fit of ours, against one of Spark's."""
    from pyspark.ml.classification import MultilayerPerceptronClassifier as Theirs

    from mlp.spark import MultilayerPerceptronClassifier as Ours

    frame, parameters = cached_frame(spark, name)
    if max_iterations is not None:
        parameters = parameters | {"maxIter": min(max_iterations, parameters["maxIter"])}
    ours, theirs = Ours(**parameters), Theirs(**parameters)
    ours.fit(frame)
    theirs.copy({theirs.maxIter: min(10, parameters["maxIter"])}).fit(frame)
    pairs = []
    for _ in range(num_pairs or NUM_PAIRS[name]):
        own, model = both_seconds_of(lambda: ours.fit(frame))
        peer, other = both_seconds_of(lambda: theirs.fit(frame))
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

    search(Ours())
    own, ours = both_seconds_of(lambda: search(Ours()))
    peer, theirs = both_seconds_of(lambda: search(Theirs()))
    best = [int(numpy.argmin(found.avgMetrics)) for found in (ours, theirs)]
    assert best[0] == best[1], (ours.avgMetrics, theirs.avgMetrics)
    print_pairs("iris, a search over 12 ParamMaps", [own], [peer])


def run_groups(spark):
    """A model for each of NUM_GROUPS groups of 150 rows, and applyInPandas with the same fits."""
    import pandas
    from pyspark.ml.classification import MultilayerPerceptronClassifier as Theirs
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    from mlp.spark import MultilayerPerceptronClassifier as Ours
    from mlp.spark import fit_groups

    rows, _ = read("iris")
    iris = spark_peer.make_frame(spark, rows, PARTITIONS["iris"])
    stores = spark.range(NUM_GROUPS).withColumnRenamed("id", "store")
    frame = stores.crossJoin(F.broadcast(iris)).cache()
    assert frame.count() == 150 * NUM_GROUPS
    parameters = {"layers": [4, 5, 4, 3], "maxIter": 20, "seed": 1}

    def sort(batches):
        for batch in batches:
            yield batch.slice(0, 1)

    def fit(group):
        names = {"maxIter": "max_iter"}
        plain = mlp.MLPClassifier(n_jobs=1, **{names.get(k, k): v for k, v in parameters.items()})
        X, y = numpy.stack(group.features.tolist()), group.label.to_numpy()
        plain.fit(X, y, partition_sizes=[150])
        return pandas.DataFrame({"store": group.store[:1], "model": [plain.model_.to_json()]})

    def write(found):
        found.write.format("noop").mode("overwrite").save()

    arrays = frame.select("store", vector_to_array("features").alias("features"), "label")
    arranged = arrays.repartition(8, "store").sortWithinPartitions("store")
    read_rows = arranged.mapInArrow(sort, arrays.schema)
    models = fit_groups(frame, "store", Ours(**parameters))
    pandas_models = arrays.repartition(8, "store").groupBy("store").applyInPandas(
        fit, "store long, model string")
    works = [read_rows, models, pandas_models]
    times = [[seconds_of(lambda: write(work))[0] for work in works] for _ in range(3)]
    reading, ours, pandas_fits = (statistics.median(column) for column in zip(*times))
    one = frame.where("store = 0").cache()
    spark_fit = statistics.median(
        seconds_of(lambda: Theirs(**parameters).fit(one))[0] for _ in range(3))
    print(f"{NUM_GROUPS} groups of 150 rows: {ours:.2f} s, with reading and sorting, which take "
          f"{reading:.2f} s; without these {1e3 * (ours - reading) / NUM_GROUPS:.3f} ms a group; "
          f"applyInPandas {pandas_fits / ours:.2f}x, a loop of fits in Spark "
          f"{spark_fit * NUM_GROUPS / ours:.0f}x (from the median of three fits)", flush=True)


def run_overheads(spark):
    run_overhead(spark, "iris")
    run_overhead(spark, "mnist")


def run_start(spark):
    """The seconds that two tasks take beyond one, for so few rows that only their start counts."""
    from mlp.spark import MultilayerPerceptronClassifier as Ours

    rows, parameters = read("iris")
    frame = spark_peer.make_frame(spark, rows, PARTITIONS["iris"])
    one, two = (Ours(**(parameters | {"maxIter": 20})).setNumWorkers(tasks) for tasks in (1, 2))
    differences = []
    for number in range(NUM_PAIRS["iris"] + 1):
        alone, _ = seconds_of(lambda: one.fit(frame))
        together, _ = seconds_of(lambda: two.fit(frame))
        if number > 0:  # the first pair warms
            differences.append(together - alone)
    print(f"iris, 2 tasks beyond one: {statistics.median(differences):.2f} s "
          f"({min(differences):.2f}..{max(differences):.2f})", flush=True)
    frame.unpersist()


WORKS = {name: None for name in NUM_PAIRS} | {
    "start": run_start,
    "search": run_search, "overhead": run_overheads, "groups": run_groups,
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", choices=CLUSTERS, default="local", help="what Spark runs on")
    parser.add_argument("--pairs", type=int, help="fits of each kind, instead of those of a work")
    parser.add_argument("--iterations", type=int, help="at most, of each fit")
    parser.add_argument("work", nargs="*", choices=[*WORKS, []], metavar="WORK",
                        help=f"of {', '.join(WORKS)}; all by default")
    return parser.parse_args()


def main():
    import pyspark

    arguments = parse()
    spark = spark_peer.start_spark(*CLUSTERS[arguments.on])
    print(f"Spark {pyspark.__version__}, mlp {mlp.__version__}, {arguments.on}")
    for name in arguments.work or WORKS:
        if name in NUM_PAIRS:
            run_fit(spark, name, arguments.pairs, arguments.iterations)
        else:
            WORKS[name](spark)
    spark.stop()


if __name__ == "__main__":
    main()
