# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Generated rows for the timings in Spark."""
import numpy

NARROW_ROWS = 1_000_000
NARROW_FEATURES = 20


def letters_rows():
    """20,000 rows of 26 classes around centres."""
    random = numpy.random.default_rng(1)
    labels = random.integers(0, 26, size=20_000)
    rows = random.normal(size=(26, 16))[labels] + 0.7 * random.normal(size=(20_000, 16))
    return list(zip(labels.astype(float).tolist(), rows.tolist()))


def narrow_frame(spark):
    """A million rows of 20 features, made in the JVM."""
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions as F

    names = [f"x{number}" for number in range(NARROW_FEATURES)]
    columns = [F.randn(number).alias(name) for number, name in enumerate(names)]
    table = spark.range(0, NARROW_ROWS, 1, 2).select(*columns)
    labelled = table.withColumn("label", F.expr("double(x0 * x1 + x2 > 0)"))
    assembled = VectorAssembler(inputCols=names, outputCol="features").transform(labelled)
    return assembled.select("label", "features")


def sparse_frame(spark):
    """5,000 rows of 20,000 features, 100 of which are not 0."""
    from pyspark.ml.linalg import Vectors

    random = numpy.random.default_rng(1)
    indices = [sorted(random.choice(20_000, 100, replace=False).tolist()) for _ in range(5_000)]
    rows = [(float(row[0] < 100), Vectors.sparse(20_000, row, [1.0] * 100)) for row in indices]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), ["label", "features"])
