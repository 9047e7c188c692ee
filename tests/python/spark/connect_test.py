# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings and scores over Spark Connect."""

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pyspark  # noqa: E402
from conftest import ROOT, read_iris  # noqa: E402
from mlp import MLPClassifier  # noqa: E402

MAX_SECONDS = 400
X, Y = read_iris()
NUM_WEIGHTS = 64

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if pyspark.__version__ < "4":
        pytest.skip("PySpark 3 from PyPI has no server of Spark Connect")
    pytest.importorskip("grpc")
    program = pathlib.Path(__file__).with_name("connect_program.py")
    folder = tmp_path_factory.mktemp("connect")
    result = subprocess.run(
        [sys.executable, str(program), str(folder), str(ROOT / "data" / "iris.csv")],
        capture_output=True, text=True, timeout=MAX_SECONDS, cwd=folder,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert result.returncode == 0, result.stderr[-5000:]
    return json.loads(result.stdout.splitlines()[-1])


def test_trains_the_model_of_the_estimator_for_arrays(report: Any) -> None:
    expected = MLPClassifier(layers=[4, 5, 4, 3], seed=1234).fit(X, Y)

    assert report["history"][:8] == pytest.approx(expected.objective_history_[:8].tolist())
    assert report["accuracy"] == report["spark"] == pytest.approx(149 / 150)


def test_trains_other_networks_and_on_two_tasks(report: Any) -> None:
    assert report["relu"] > 0.9
    assert report["pair"] > 50
    assert report["sums"] == [[2.0], [2.0]]


def test_trains_and_scores_a_model_for_each_group(report: Any) -> None:
    right, first, second = report["groups"]

    assert right > 130
    assert first is None
    assert second.startswith("DataError: Labels MUST be in [0, 3), but got ")


def test_ranks_read_rows_and_broadcast(report: Any) -> None:
    assert report["rows"] == [10, 10]


def test_saves_over_itself_and_loads(report: Any) -> None:
    assert report["saved"] and report["saved_relu"]
    assert report["loaded"] == NUM_WEIGHTS


def test_scores_in_sql(report: Any) -> None:
    assert report["sql"] == 0.0


def test_searches_over_a_pipeline(report: Any) -> None:
    assert len(report["search"]) == 2 and min(report["search"]) > 0.5


def test_scores_streams(report: Any) -> None:
    assert report["streamed"] == [150, 150]


def test_scores_with_the_stages_that_spark_lacks(report: Any) -> None:
    assert report["hidden"] == 5 and report["error"] < 0.2
    assert "Python" in report["scored"] and "Python" not in report["pruned"]


def test_takes_over_models_of_spark(report: Any) -> None:
    assert report["again"] == "mlp.spark.classification"


def test_says_that_there_are_no_summaries(report: Any) -> None:
    assert report["summary"].startswith("Spark's summaries are objects of a JVM")
