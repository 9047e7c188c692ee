# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A model for each group of rows."""

import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassifier,
    MultilayerPerceptronRegressor,
    fit_groups,
)

from mlp.spark.by_group import fit  # noqa: E402
from mlp.spark.training.memory import TaskMemory  # noqa: E402

from spark.frames import iris_frame  # noqa: E402
from spark.training.clusters.sine_rows import sine_frame  # noqa: E402

# The rows of Iris in three groups, of which the last is null, and of 20, 60 and 70 rows.
STORE = "CASE WHEN row < 20 THEN 'a' WHEN row < 80 THEN 'b' END AS store"


def make_estimator(**params: Any) -> MultilayerPerceptronClassifier:
    return MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=10, seed=1, **params)


def make_stores(session: Any) -> Any:
    """Returns Iris with the columns row and store, sorted, in two partitions."""
    frame = iris_frame(session, [75, 75]).selectExpr("*", "monotonically_increasing_id() AS id")
    frame = frame.selectExpr("*", "pmod(id, 75) * 2 + shiftright(id, 33) AS row")
    return frame.selectExpr("features", "label", "row", STORE)


def texts_of(models: Any) -> dict[Any, Any]:
    return {row.store: row for row in models.collect()}


def weights_of(text: str) -> bytes:
    return mlp.Model.from_json(text).weights.tobytes()


def test_each_model_is_that_of_a_fit_on_the_rows_of_its_group(session: Any) -> None:
    stores = make_stores(session)

    found = texts_of(fit_groups(stores, "store", make_estimator()))

    assert set(found) == {"a", "b", None}
    for store, row in found.items():
        rows = stores.where("store IS NULL" if store is None else f"store = '{store}'")
        expected = make_estimator().fit(rows.coalesce(1))
        assert weights_of(row.model) == expected.model.weights.tobytes()
        assert row.metrics.numRows == rows.count()
        assert row.metrics.accuracy == pytest.approx(expected.summary().accuracy)
        assert row.metrics.objective == expected.objectiveHistory[-1]
        assert row.error is None


def test_a_group_may_be_larger_than_a_batch(session: Any) -> None:
    stores = make_stores(session)
    expected = texts_of(fit_groups(stores, "store", make_estimator(), num_partitions=1))
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
    try:
        found = texts_of(fit_groups(stores, "store", make_estimator(), num_partitions=1))
    finally:
        session.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")

    for store, row in found.items():
        assert weights_of(row.model) == weights_of(expected[store].model)


def test_a_group_that_exceeds_the_memory_of_a_task_is_kept_in_a_file(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.ml.functions import array_to_vector

    # Twice this is above the 64 MB that rows may always take.
    rows = sine_frame(session, 18_000, 250, 2).selectExpr("*", "1 AS store")
    rows = rows.withColumn("features", array_to_vector("features")).cache()
    estimator = MultilayerPerceptronClassifier(layers=[250, 2, 2], maxIter=2, seed=1)
    expected = texts_of(fit_groups(rows, "store", estimator))[1]
    counts: list[int] = []

    def little(frame: Any, requests: Any, num_tasks: int) -> TaskMemory:
        counts.append(num_tasks)
        return TaskMemory(2, 1e6, "spark.executor.memoryOverhead", 2)

    monkeypatch.setattr(fit, "plan_memory", little)
    row = texts_of(fit_groups(rows, "store", estimator))[1]

    rows.unpersist()
    assert counts == [session.sparkContext.defaultParallelism]
    assert "so they are kept in a file in " in row.warnings[-1]
    assert weights_of(row.model) == weights_of(expected.model)
    assert row.metrics == expected.metrics and len(row.warnings) == len(expected.warnings) + 1


def test_one_bad_group_fails_alone(session: Any) -> None:
    stores = make_stores(session).selectExpr("features", "store", "IF(store = 'a', 7, label) AS label")

    found = texts_of(fit_groups(stores, "store", make_estimator()))

    assert found["a"].error.startswith("DataError: Labels MUST be in [0, 3), but got 7.0 (row ")
    assert found["a"].model is None and found["a"].metrics is None
    assert found["b"].error is None and found[None].error is None


def test_groups_may_have_several_columns(session: Any) -> None:
    stores = make_stores(session).selectExpr("*", "row % 2 = 0 AS `is.even`")

    models = fit_groups(stores, ["store", "is.even"], make_estimator())

    assert models.columns == ["store", "is.even", "model", "metrics", "warnings", "error"]
    sizes = {(row[0], row[1]): row.metrics.numRows for row in models.collect()}
    assert sizes[("a", True)] == sizes[("a", False)] == 10
    assert len(sizes) == 6 and sum(sizes.values()) == 150


def test_regressors_and_weights_have_their_metrics(session: Any) -> None:
    stores = make_stores(session).selectExpr("*", "double(row % 3) AS weight", "row % 5 = 0 AS held")
    estimator = MultilayerPerceptronRegressor(
        layers=[4, 1], seed=1, weightCol="weight", validationIndicatorCol="held"
    )

    row = texts_of(fit_groups(stores, "store", estimator))["b"]

    assert row.metrics.numRows == 48 and row.metrics.accuracy is None
    assert 0 < row.metrics.meanSquaredError < 0.2
    assert row.metrics.validationLoss > 0


def test_groups_that_a_table_has_are_left_out(session: Any, tmp_path: pathlib.Path) -> None:
    from pyspark.sql import functions as F

    stores, path = make_stores(session), f"file://{tmp_path}/models"
    fit_groups(stores.where("store = 'a'"), "store", make_estimator()).write.parquet(path)

    done = session.read.parquet(path).select(F.col("store").alias("done"))
    rows = stores.join(done, F.col("store").eqNullSafe(F.col("done")), "left_anti")
    fit_groups(rows, "store", make_estimator()).write.mode("append").parquet(path)

    models = session.read.parquet(path)
    assert sorted(str(row.store) for row in models.collect()) == ["None", "a", "b"]


@pytest.mark.parametrize("by, text", [
    ([], "by must be the name of a column"),
    ("model", "other than model, metrics, warnings, error; got 'model'"),
    ("features", "must have one value in each row, such as a number or a text; got features"),
])
def test_refuses_columns_that_are_no_groups(session: Any, by: Any, text: str) -> None:
    stores = make_stores(session).selectExpr("*", "1 AS model")

    with pytest.raises(mlp.ParamError, match=text):
        fit_groups(stores, by, make_estimator())


def test_refuses_other_estimators_and_several_tasks(session: Any) -> None:
    from pyspark.ml import Pipeline

    stores = make_stores(session)
    with pytest.raises(mlp.ParamError, match="got Pipeline; fit other stages"):
        fit_groups(stores, "store", Pipeline(stages=[make_estimator()]))
    with pytest.raises(mlp.ParamError, match="numWorkers must not be set, .* got 2"):
        fit_groups(stores, "store", make_estimator(numWorkers=2))


def test_refuses_functions_of_iterations(session: Any) -> None:
    estimator = make_estimator().setOnIteration(print)

    with pytest.raises(mlp.ParamError, match=r"call setOnIteration\(None\)"):
        fit_groups(make_stores(session), "store", estimator)


def test_a_group_does_not_keep_the_batch_of_its_rows() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.RecordBatch.from_pydict({"key0": ["a" * 100] * 1000, "id": range(1000)})

    key = fit.copy_key(rows.slice(500), 1)

    assert key.to_pydict() == {"key0": ["a" * 100]}
    assert key.get_total_buffer_size() < 1000


def test_batches_of_results_have_a_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr(fit, "TEXT_PER_BATCH", 10)
    monkeypatch.setattr(fit, "RESULTS_PER_BATCH", 3)
    texts = ["m" * 9, "m", "m" * 20, None, None, None, "m"]
    keys = [pyarrow.RecordBatch.from_pydict({"store": [number]}) for number in range(len(texts))]
    results = [(key, fit.Result(model=text)) for key, text in zip(keys, texts)]

    found = list(fit.join_results(results, ["store", *fit.Result._fields]))

    assert [batch.column(0).to_pylist() for batch in found] == [[0, 1], [2], [3, 4, 5], [6]]
    assert [text for batch in found for text in batch.column(1).to_pylist()] == texts


def test_what_all_groups_have_ends_the_job(session: Any) -> None:
    estimator = make_estimator(device="cuda:99")

    with pytest.raises(Exception, match="NotCompiled|DeviceError|cuda"):
        fit_groups(make_stores(session), "store", estimator).collect()
