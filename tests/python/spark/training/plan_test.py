# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark knows of the rows of a frame."""

import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.plan import PlanFacts, read_plan  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402

from spark.frames import iris_frame  # noqa: E402


def facts_of(frame: Any) -> PlanFacts:
    return read_plan(training_rows(frame, "features", "label"))


def test_knows_nothing_of_an_rdd(session: Any) -> None:
    assert facts_of(iris_frame(session)) == PlanFacts(None, None, False)


def test_knows_the_rows_of_a_cache_that_an_action_has_filled(session: Any) -> None:
    frame = iris_frame(session, [70, 80]).cache()

    before = facts_of(frame)
    frame.count()
    after = facts_of(frame)
    derived = facts_of(frame.where("label > 0"))
    frame.unpersist()

    assert before == PlanFacts(None, None, False)
    assert (after.num_rows, after.is_cached) == (150, True)
    assert (derived.num_rows, derived.is_cached) == (None, False)


def test_the_bytes_of_a_file_are_those_of_all_its_columns(
    session: Any, tmp_path: pathlib.Path
) -> None:
    from pyspark.ml.feature import VectorAssembler

    names = [f"x{number}" for number in range(50)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["label", *names]) + "\n" + "\n".join(["1" + ",2" * 50] * 100) + "\n")
    table = session.read.csv(str(path), header=True, inferSchema=True)

    facts = facts_of(VectorAssembler(inputCols=names, outputCol="features").transform(table))

    assert facts.num_rows is None
    assert facts.num_bytes == path.stat().st_size


def test_a_product_of_rows_has_the_bytes_of_the_product(session: Any) -> None:
    numbers = session.range(1000)
    square = numbers.crossJoin(numbers.withColumnRenamed("id", "other"))

    facts = facts_of(square.selectExpr("array(double(id)) AS features", "double(other) AS label"))

    assert facts.num_bytes is not None
    assert facts.num_bytes >= 1000 * 1000 * 8
