# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What the driver shows of a training: the log, MLflow, and warnings."""

from __future__ import annotations

import logging
import sys
import types
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp import ConvergenceWarning, Iteration  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402
from mlp.spark import monitor as monitor_module  # noqa: E402
from mlp.spark.monitor import Monitor  # noqa: E402

from spark.frames import iris_frame  # noqa: E402

FIRST = Iteration(1, 0.5, 1.0, 2, None)
SECOND = Iteration(2, 0.25, 1.0, 3, 0.75)


def make_mlflow(sent: list[Any], run_id: str | None = "run") -> types.ModuleType:
    """Makes a module with what is used of MLflow."""
    module: Any = types.ModuleType("mlflow")
    run = types.SimpleNamespace(info=types.SimpleNamespace(run_id=run_id))
    module.active_run = lambda: run if run_id else None
    module.entities = types.SimpleNamespace(
        Metric=lambda key, value, timestamp, step: (key, value, step)
    )

    class Client:
        def log_batch(self, run_id: str, metrics: Any) -> None:
            if sent is None:
                raise OSError("no server")
            sent.append((run_id, list(metrics)))

    module.MlflowClient = Client
    return module


def test_the_active_run_of_mlflow_gets_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setitem(sys.modules, "mlflow", make_mlflow(sent))

    Monitor([None])(0, [FIRST, SECOND])

    assert sent == [("run", [
        ("objective", 0.5, 1), ("objective", 0.25, 2), ("validationLoss", 0.75, 2)
    ])]


@pytest.mark.parametrize("run_id, callbacks", [(None, [None]), ("run", [None, None])])
def test_mlflow_gets_nothing_without_a_run_or_for_several_networks(
    run_id: str | None, callbacks: list[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setitem(sys.modules, "mlflow", make_mlflow(sent, run_id))

    Monitor(callbacks)(0, [FIRST])

    assert sent == []


def test_a_server_that_fails_is_a_line_of_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", make_mlflow(None))  # type: ignore[arg-type]
    monitor = Monitor([None])

    monitor(0, [FIRST])
    monitor(0, [SECOND])

    assert caplog.messages == ["MLflow gets no more metrics of this training: no server"]


def test_mlflow_without_its_parts_is_a_line_of_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise OSError("no store")

    mlflow: Any = make_mlflow([])
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    monitor = Monitor([None])
    del mlflow.entities
    monitor(0, [FIRST])
    mlflow.active_run = fail

    assert not Monitor([None]).is_used()
    assert caplog.messages == [
        "MLflow gets no more metrics of this training: module 'mlflow' has no attribute 'entities'",
        "MLflow gets no metrics of this training: no store",
    ]


@pytest.mark.parametrize("callbacks, level, run_id, expected", [
    ([None], logging.WARNING, None, False),
    ([None, print], logging.WARNING, None, True),
    ([None], logging.INFO, None, True),
    ([None], logging.WARNING, "run", True),
])
def test_tasks_report_if_anyone_gets_the_iterations(
    callbacks: list[Any], level: int, run_id: str | None, expected: bool,
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", make_mlflow([], run_id))
    caplog.set_level(level, "mlp.spark")

    assert Monitor(callbacks).is_used() == expected


def test_the_real_mlflow_has_the_history(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"file://{tmp_path}")
    with mlflow.start_run() as run:
        Monitor([None])(0, [FIRST, SECOND])

    history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "objective")
    assert [(each.step, each.value) for each in history] == [(1, 0.5), (2, 0.25)]


def test_the_log_has_one_line_a_second(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO, "mlp.spark")
    monkeypatch.setattr(monitor_module, "SECONDS_BETWEEN_LINES", 0.0)
    monitor = Monitor([None, None])
    monitor(1, [FIRST, SECOND])
    monkeypatch.setattr(monitor_module, "SECONDS_BETWEEN_LINES", 1e6)
    monitor(1, [FIRST])

    assert caplog.messages == ["training 2 of 2, iteration 2: objective 0.25"]


def test_a_fit_warns_and_logs_its_end(session: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mlp.spark")
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 4, 3], maxIter=20, seed=1)

    with pytest.warns(ConvergenceWarning, match="ended at maxIter") as caught:
        estimator.fit(iris_frame(session))

    (warning,) = [each for each in caught if each.category is ConvergenceWarning]
    assert warning.message.code == "stillImproving"  # type: ignore[union-attr]
    assert warning.filename == __file__
    assert "the training ended at maxIter" in caplog.messages[-2]
    assert caplog.messages[-1].startswith("trained: 20 iterations, objective 0.28")
