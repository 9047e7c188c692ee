# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""How many tasks train, by the request, the cluster and the size."""

from __future__ import annotations

import logging
import pathlib
import warnings
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training import cluster, group, workers  # noqa: E402
from mlp.spark.training.choice import Cluster  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

from spark.frames import iris_frame  # noqa: E402
from spark.training.training_test import Rows, Session  # noqa: E402

REQUEST = FitRequest("classification", {"layers": "784,100,10", "maxIter": "100"})
ADAM = replace(REQUEST, params=REQUEST.params | {"solver": "adam", "batchSize": "16"})
TWELVE = Cluster(max_workers=12, num_threads=1, task_bytes=2.0**31)


class CountedRows(Rows):
    """Rows whose number is known to a job alone."""

    columns = ("id", "features", "label")

    def __init__(
        self, master: str = "yarn", is_dynamic: bool = False, size: int = 60_000,
        num_partitions: int = 12,
    ) -> None:
        super().__init__(Session(master, is_dynamic))
        self.size = size
        self.num_partitions = num_partitions
        self.num_jobs = 0

    def count(self) -> tuple[int, int]:
        self.num_jobs += 1
        return self.size, self.num_partitions


def choose(
    monkeypatch: pytest.MonkeyPatch, rows: Any, request: FitRequest, has_plugin: bool = True,
) -> int:
    monkeypatch.setattr(workers, "count_rows", CountedRows.count)
    monkeypatch.setattr(workers, "read_cluster", lambda session: TWELVE)
    monkeypatch.setattr(workers, "has_plugin", lambda: has_plugin)
    return workers.choose_workers(rows, [request]).number


@pytest.mark.parametrize("master, request_, expected", [
    ("local[8]", REQUEST, 1),
    ("local[8]", replace(REQUEST, num_workers=3), 3),
    ("yarn", replace(REQUEST, num_workers=1), 1),
    ("yarn", replace(REQUEST, num_workers=5), 5),
    ("yarn", replace(REQUEST, num_workers=0), 0),
    ("yarn", REQUEST, 10),
    ("local-cluster[2,1,1024]", REQUEST, 10),
])
def test_obeys_the_request_and_otherwise_the_rule(
    master: str, request_: FitRequest, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = CountedRows(master)

    assert choose(monkeypatch, rows, request_) == expected
    is_open = request_.num_workers is None and not master.startswith("local[")
    assert rows.num_jobs == is_open


@pytest.mark.parametrize("size, num_partitions, expected", [
    (150, 12, 1), (60_000, 12, 10), (60_000, 3, 3), (60_000, 1, 1), (0, 0, 1),
    (1_200_000, 1, 4), (1_200_000, 5, 5),
])
def test_no_more_tasks_than_partitions_unless_memory_needs_them(
    size: int, num_partitions: int, expected: int,
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    rows = CountedRows(size=size, num_partitions=num_partitions)

    with caplog.at_level(logging.INFO, logger="mlp.spark"):
        assert choose(monkeypatch, rows, REQUEST) == expected
    assert f"{expected} of at most 12 tasks train" in caplog.text
    assert (
        f"{size} rows of 786 numbers in {num_partitions} partitions, 79510 weights, 100 passes"
    ) in caplog.text


@pytest.mark.parametrize("master, num_workers, num_requests, num_jobs", [
    ("yarn", None, 1, 1), ("yarn", None, 2, 1), ("yarn", 1, 1, 0), ("yarn", 1, 2, 1),
    ("local[8]", 1, 2, 0), ("yarn", 3, 2, 0),
])
def test_rows_are_counted_once_where_their_number_matters(
    master: str, num_workers: int | None, num_requests: int, num_jobs: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows: Any = CountedRows(master, size=150)
    monkeypatch.setattr(workers, "count_rows", CountedRows.count)
    monkeypatch.setattr(workers, "read_cluster", lambda session: TWELVE)
    monkeypatch.setattr(workers, "has_plugin", lambda: True)
    request = replace(REQUEST, num_workers=num_workers)

    found = workers.choose_workers(rows, [request] * num_requests)

    assert rows.num_jobs == num_jobs
    assert found == ((num_workers or 1), 150 * 786 * 8.0 if num_jobs else None)


@pytest.mark.parametrize("size, num_workers, num_jobs", [(150, 1, 0), (60_000, 10, 1)])
def test_cached_rows_are_counted_only_if_several_tasks_may_train(
    size: int, num_workers: int, num_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = CountedRows(size=size)
    monkeypatch.setattr(workers, "cached_size", lambda rows: (size, 200))

    assert choose(monkeypatch, rows, REQUEST) == num_workers
    assert rows.num_jobs == num_jobs


def test_counts_rows_and_the_partitions_that_have_some(session: Any) -> None:
    frame = iris_frame(session, [70, 0, 80])
    rows = training_rows(frame, "features", "label")
    longer = training_rows(
        frame.withColumn("copy", F.explode(F.array(F.lit(1), F.lit(2)))), "features", "label"
    )

    assert workers.count_rows(rows) == (150, 2)
    assert workers.count_rows(longer) == (300, 2)
    assert workers.count_rows(rows.limit(0)) == (0, 0)


@pytest.mark.parametrize("request_, batch_size", [(REQUEST, None), (ADAM, 16)])
def test_solvers_with_mini_batches_sum_in_each_step(
    request_: FitRequest, batch_size: int | None
) -> None:
    assert workers.training_of(request_).batch_size == batch_size


@pytest.mark.parametrize("master, request_, expected", [
    ("yarn", REQUEST, 10),
    ("yarn", replace(REQUEST, num_workers=4), 4),
    ("local[8]", replace(REQUEST, num_workers=4), 4),
    ("yarn", replace(REQUEST, num_workers=1), 1),
    ("local[8]", REQUEST, 1),
])
def test_one_task_trains_with_a_warning_where_there_is_no_gloo(
    master: str, request_: FitRequest, expected: int,
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group, "plugin_file", lambda: tmp_path / "libmlp_gloo.so")
    rows: Any = CountedRows(master)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert choose(monkeypatch, rows, request_, has_plugin=False) == 1

    assert len(caught) == (expected > 1)
    for warning in caught:
        assert warning.category is RuntimeWarning
        assert str(warning.message) == (
            f"one task trains instead of {expected}, and holds all rows: tasks sum over Gloo, "
            "which this build of the package spark-mlp does not have (there is no file "
            f"{tmp_path}/libmlp_gloo.so); install the wheel that scripts/build-wheels builds, "
            "or set numWorkers=1 to train in one task without this warning"
        )


@pytest.mark.parametrize("is_dynamic, expected", [(False, 3), (True, 1)])
def test_one_task_trains_over_connect_where_spark_has_no_barrier_stages(
    is_dynamic: bool, expected: int, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = CountedRows("yarn", is_dynamic)
    del rows.sparkSession.sparkContext

    assert choose(monkeypatch, rows, replace(REQUEST, num_workers=3)) == expected
    assert ("spark.dynamicAllocation.enabled=true" in caplog.text) == is_dynamic


@pytest.mark.parametrize("settings, num_bytes, expected", [
    ({"spark.executor.cores": "4"}, 2.0**30, 12),  # four tasks fit
    ({"spark.executor.cores": "4"}, 2.0**31, 2),
    ({"spark.executor.cores": "4", "spark.task.cpus": "2"}, 2.0**31, 12),
    ({"spark.executor.cores": "4"}, 2.0**34, 1),
    ({}, 2.0**30, 4),  # one executor may have all slots
    ({}, 0.0, 12),
    ({}, None, 1),
])
def test_the_tasks_of_an_executor_hold_together_what_one_may(
    settings: dict[str, str], num_bytes: float | None, expected: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session: Any = Session("yarn", False)
    session.conf.settings |= {"spark.executor.memory": "8g"} | settings
    monkeypatch.setattr(cluster, "usable_slots", lambda session: 12)

    assert cluster.parallel_tasks(session, num_bytes) == expected


@pytest.mark.parametrize("settings, slots, free, expected", [
    ({}, None, 0, Cluster(1, 1, 2.0**29)),
    ({}, 0, 0, Cluster(1, 1, 2.0**29)),
    ({"spark.task.cpus": "2", "spark.executor.memory": "8g"}, 12, 12, Cluster(12, 2, 2.0**32)),
    ({"spark.executor.memory": "2048"}, 300, 300, Cluster(300, 1, 2.0**30)),
    ({}, 4, 3, Cluster(3, 1, 2.0**29)),
    ({}, 4, 1, Cluster(4, 1, 2.0**29)),
    ({"spark.dynamicAllocation.enabled": "true"}, 2, 0, Cluster(1024, 1, 2.0**29)),
    ({"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "5",
      "spark.executor.cores": "4", "spark.task.cpus": "2"}, 2, 0, Cluster(10, 2, 2.0**29)),
])
def test_reads_what_the_cluster_gives(
    settings: dict[str, str], slots: int | None, free: int, expected: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session: Any = Session("yarn", False)
    session.conf.settings |= settings
    monkeypatch.setattr(cluster, "count_slots", lambda session: slots)
    monkeypatch.setattr(cluster, "count_free_slots", lambda session: free)

    assert cluster.read_cluster(session) == expected
