# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings in one task of a running Spark."""

import dataclasses
import threading
import time
from typing import Any

import pytest
from conftest import read_iris

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
import mlp  # noqa: E402
from mlp.spark.training.memory import TaskMemory  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.rows import TrainingArrays, training_rows  # noqa: E402
from mlp.spark.training import one_task, train, train_all, worker  # noqa: E402

from spark.frames import check_history, iris_frame, read_golden  # noqa: E402

REQUEST = FitRequest("classification", {"layers": "4,5,3", "maxIter": "5", "seed": "1"})


def request_of(fit: dict[str, Any]) -> FitRequest:
    params = {
        name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in ({"seed": fit["effectiveSeed"]} | fit["params"]).items()
    }
    return FitRequest("classification", params)


@pytest.mark.parametrize("name", [
    "iris_default", "iris_3_partitions",
    pytest.param("iris_200_partitions", marks=pytest.mark.slow),
])
def test_has_the_history_of_spark(name: str, session: Any) -> None:
    fit = read_golden(name)
    rows = training_rows(iris_frame(session, fit["partitionSizes"]), "features", "label")

    result = train(rows, request_of(fit))

    check_history(mlp.Model.from_json(result.model).objective_history, fit)


@pytest.mark.parametrize("sizes", [[75, 75], [10, 0, 140], [150]])
def test_has_the_model_of_the_estimator(sizes: list[int], session: Any) -> None:
    X, y = read_iris()
    estimator = mlp.MLPClassifier(layers=[4, 5, 3], max_iter=5, seed=1)
    expected = estimator.fit(X, y, partition_sizes=sizes).model_
    frame = iris_frame(session, sizes)

    result = train(training_rows(frame, "features", "label"), REQUEST)

    model = mlp.Model.from_json(result.model)
    assert model.weights.tobytes() == expected.weights.tobytes()


@pytest.mark.parametrize("has_action, expected", [(False, "Exchange"), (True, "Coalesce 1")])
def test_rows_that_spark_does_not_hold_are_computed_in_parallel(
    has_action: bool, expected: str, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def collect(frame: Any, work: Any, description: str) -> Any:
        plans.append(frame._jdf.queryExecution().toString())
        return worker.collect(frame, work, description=description)

    monkeypatch.setattr(one_task, "collect", collect)
    frame = iris_frame(session, [75, 75]).cache()
    if has_action:
        frame.count()

    (result,) = train_all(training_rows(frame, "features", "label"), [REQUEST])
    frame.unpersist()

    physical = plans[0].partition("== Physical Plan ==")[2].partition("InMemoryTableScan")[0]
    assert expected in physical
    assert mlp.Model.from_json(result.model).total_iterations > 0


def test_trains_once_for_each_request(session: Any) -> None:
    rows = training_rows(iris_frame(session), "features", "label")
    requests = [
        dataclasses.replace(REQUEST, params=REQUEST.params | {"maxIter": str(count)})
        for count in (3, 1, 2)
    ]

    results = train_all(rows, requests)

    models = [mlp.Model.from_json(result.model) for result in results]
    assert [model.total_iterations for model in models] == [3, 1, 2]


@pytest.mark.parametrize("max_bytes, threads, expected", [
    (1 << 30, 4, (3, 1)), (150 * 4 * 8 * 2, 4, (2, 2)), (1, 4, (1, 4)), (1 << 30, 1, (1, 1)),
])
def test_trainings_at_the_same_time_copy_few_rows(
    max_bytes: int, threads: int, expected: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, running, most, shared = threading.Lock(), 0, 0, set()

    def fit(arrays: Any, request: FitRequest, on_iteration: Any) -> str:
        nonlocal running, most
        with lock:
            running, most = running + 1, max(most, running + 1)
            shared.add(request.threads)
        time.sleep(0.05)
        with lock:
            running -= 1
        return request.params["seed"]

    monkeypatch.setattr(one_task, "MAX_COPIED_BYTES", max_bytes)
    monkeypatch.setattr(one_task, "fit_arrays", fit)
    X, y = read_iris()
    request = dataclasses.replace(REQUEST, threads=threads)
    requests = [dataclasses.replace(request, params={"seed": seed}) for seed in "123"]

    arrays = TrainingArrays(X, y, None, [150], None)
    found = list(one_task.fit_each(arrays, [(each, None) for each in requests]))

    assert found == ["1", "2", "3"]
    assert most <= expected[0] and shared == {expected[1]}


def test_trainings_at_the_same_time_fit_into_the_memory_of_the_task(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def at_once(settings: Any, left: Any, copied_bytes: float) -> int:
        asked.append((len(settings), left, copied_bytes))
        return 2

    monkeypatch.setattr(one_task, "memory_left", lambda memory: memory.num_tasks)
    monkeypatch.setattr(one_task, "trainings_at_once", at_once)
    X, y = read_iris()
    arrays = TrainingArrays(X, y, None, [150], None)

    assert one_task.num_at_once(arrays, [REQUEST] * 3, TaskMemory(7)) == 2
    assert one_task.num_at_once(arrays, [REQUEST] * 3, None) == 3
    assert asked == [(3, 7, X.nbytes)]


def test_raises_what_the_library_raises_in_the_task(session: Any) -> None:
    rows = training_rows(iris_frame(session).where("label > 5"), "features", "label")

    with pytest.raises(mlp.DataError, match="must have at least 1 instance; got none"):
        train(rows, REQUEST)


def test_names_the_host_with_another_version(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlp._core.__version__", "0.0.7")
    rows = training_rows(iris_frame(session), "features", "label")

    with pytest.raises(Exception, match="needs the package spark-mlp 0.0.7, which"):
        train(rows, REQUEST)
