# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on several tasks of a running Spark."""

import logging
import pathlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.training import several_tasks  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.memory import RowFeatures  # noqa: E402
from mlp.spark.training.rows import HeldOut, training_rows  # noqa: E402
from mlp.spark.training import train  # noqa: E402
from mlp.spark.training.worker import TaskLost  # noqa: E402

from spark.frames import check_history, iris_frame, read_golden  # noqa: E402
from spark.training.one_task_test import request_of  # noqa: E402

ROUNDING = 1e-10
# A job of tasks that meet takes a second at most; the machine may be busy.
AT_ONCE_SECONDS = 20.0
REQUEST = FitRequest(
    "classification", {"layers": "4,5,3", "maxIter": "15", "seed": "1"}, num_workers=2
)

pytestmark = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


def fit(rows: Any, request: FitRequest) -> mlp.Model:
    return mlp.Model.from_json(train(rows, request).model)


def check_same(rows: Any, request: FitRequest) -> mlp.Model:
    """Compares a training on tasks with the one in one task."""
    alone = fit(rows, replace(request, num_workers=1))
    model = fit(rows, request)
    np.testing.assert_allclose(model.objective_history, alone.objective_history, rtol=ROUNDING)
    np.testing.assert_allclose(model.weights, alone.weights, rtol=1e-6)
    assert model._core.num_instances == alone._core.num_instances
    return model


class RankOfThreads:
    """A rank of a gang whose ranks are threads of this process."""

    def __init__(self, rank: int, sent: list[Any], barrier: threading.Barrier) -> None:
        self.rank, self._sent, self._barrier = rank, sent, barrier

    def all_gather(self, data: bytes) -> list[bytes]:
        self._barrier.wait()
        self._sent[self.rank] = data
        self._barrier.wait()
        return list(self._sent)


def on_each_rank(work: Callable[[Any], Any], size: int) -> list[Any]:
    sent, barrier = [None] * size, threading.Barrier(size)
    with ThreadPoolExecutor(size) as pool:
        ranks = (RankOfThreads(rank, sent, barrier) for rank in range(size))
        return list(pool.map(work, ranks))


def test_the_note_of_any_task_reaches_the_driver() -> None:
    def note(notes: dict[int, str]) -> list[str]:
        return on_each_rank(
            lambda group: several_tasks.note_of_all(notes.get(group.rank, ""), group), 3
        )

    assert note({}) == [""] * 3
    assert note({2: "rows are in a file"}) == ["rows are in a file"] * 3
    assert note({0: "a", 2: "b"}) == ["a; so it is in 2 of the 3 tasks"] * 3


@pytest.mark.parametrize("block_numbers", [4, 1000])
def test_every_rank_gets_the_validation_rows_of_all(
    block_numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(several_tasks, "BLOCK_NUMBERS", block_numbers)
    X, y = np.arange(14.0).reshape(7, 2), np.arange(7.0)
    parts = [HeldOut(X[:3], y[:3], None), None, HeldOut(X[3:3], y[3:3], None),
             HeldOut(X[3:], y[3:], None)]
    gathered = on_each_rank(
        lambda group: several_tasks.gather_held_out(parts[group.rank], RowFeatures(2), group),
        len(parts),
    )

    for rows in gathered:
        np.testing.assert_array_equal(rows.X, X)
        np.testing.assert_array_equal(rows.y, y)


@pytest.mark.parametrize("name", ["iris_default", "iris_3_partitions"])
def test_has_the_history_of_spark(name: str, session: Any) -> None:
    golden = read_golden(name)
    rows = training_rows(iris_frame(session, golden["partitionSizes"]), "features", "label")

    model = fit(rows, replace(request_of(golden), num_workers=2))

    check_history(model.objective_history, golden)


@pytest.mark.parametrize("sizes", [[75, 75], [3, 0, 130, 17], [0, 150], [150], [1, 1, 1, 1, 146]])
def test_partitions_of_any_size_give_the_model_of_one_task(sizes: list[int], session: Any) -> None:
    rows = training_rows(iris_frame(session, sizes), "features", "label")

    check_same(rows, REQUEST)


def test_weights_and_rows_that_only_validate_give_the_model_of_one_task(session: Any) -> None:
    frame = iris_frame(session, [40, 80, 30]).selectExpr(
        "*", "1 + label as weight", "abs(hash(features)) % 4 = 0 as held_out"
    )
    rows = training_rows(frame, "features", "label", "weight", "held_out")
    request = replace(REQUEST, params=REQUEST.params | {"patience": "5"})

    model = check_same(rows, request)

    assert len(model._core.validation_history) > 1


def test_a_regression_gives_the_model_of_one_task(session: Any) -> None:
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    params = {"layers": "4,5,1", "maxIter": "15", "seed": "1"}

    check_same(rows, replace(REQUEST, task="regression", params=params))


@pytest.mark.parametrize("column, error, sentence", [
    ("if(label = 2, cast(null as double), label)", mlp.DataError, "Labels MUST NOT be Null"),
    ("if(label = 2, double('nan'), label)", mlp.DataError, "Labels MUST NOT be Null or NaN"),
    ("label + 1", mlp.DataError, r"Labels MUST be in \[0, 3\), but got 3.0"),
])
def test_a_wrong_row_of_one_task_is_the_error_of_all(
    column: str, error: type[Exception], sentence: str, session: Any
) -> None:
    frame = iris_frame(session, [50, 50, 50]).selectExpr("features", f"{column} as label")
    start = time.monotonic()

    with pytest.raises(error, match=sentence):
        fit(training_rows(frame, "features", "label"), REQUEST)
    assert time.monotonic() - start < AT_ONCE_SECONDS


def test_no_rows_are_refused(session: Any) -> None:
    rows = training_rows(iris_frame(session).where("label > 5"), "features", "label")

    with pytest.raises(mlp.DataError, match="at least 1 instance"):
        fit(rows, REQUEST)


def test_more_tasks_than_slots_are_refused_with_both_numbers(session: Any) -> None:
    rows = training_rows(iris_frame(session), "features", "label")

    with pytest.raises(mlp.ParamError, match="at most 2.*got 5"):
        fit(rows, replace(REQUEST, num_workers=5))


def test_a_lost_task_starts_the_training_again_from_its_checkpoint(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = training_rows(iris_frame(session, [70, 80]), "features", "label")
    expected = fit(rows, REQUEST)
    resumed: list[bool] = []

    def train_and_lose(
        rows: Any, request: FitRequest, size: int, run: tuple[Any, ...]
    ) -> Any:
        """Loses the first attempt after some of its iterations."""
        checkpoints, *others = run
        resumed.append(checkpoints["resume_file"] != "")
        if len(resumed) > 1:
            return train_once(rows, request, size, run)
        shorter = replace(request, params=request.params | {"maxIter": "7"})
        train_once(rows, shorter, size, (checkpoints | {"seconds": 0.0}, *others))
        raise TaskLost("the executor was lost")

    train_once = several_tasks.train_once
    monkeypatch.setattr(several_tasks, "train_once", train_and_lose)
    with caplog.at_level(logging.WARNING):
        model = fit(rows, replace(REQUEST, checkpoint_dir=str(tmp_path)))

    assert resumed == [False, True]
    assert "starts again from its last checkpoint" in caplog.text
    np.testing.assert_array_equal(model.weights, expected.weights)
    np.testing.assert_array_equal(model.objective_history, expected.objective_history)


def test_gives_up_after_three_attempts(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*arguments: Any) -> None:
        raise TaskLost("the executor was lost")

    monkeypatch.setattr(several_tasks, "train_once", lose)
    rows = training_rows(iris_frame(session), "features", "label")

    with pytest.raises(mlp.CommunicationError, match="failed 3 times; the last time: the executor"):
        fit(rows, REQUEST)
