# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on executors whose Python has less memory than the rows take."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402

from spark.training.clusters.programs import run_program  # noqa: E402
from spark.training.clusters.sine_rows import sine_features  # noqa: E402

# Python and pyarrow take half of it, so that 192 MB of rows do not fit twice.
MEMORY = "900m"
NUM_ROWS, NUM_FEATURES = 40_000, 600
ROUNDING = 1e-9
MAX_SECONDS = 400
# Executors of 1 GB train 4 GB of rows.
LARGE_MEMORY, LARGE = "1g", (500_000, 1000)
MAX_LARGE_SECONDS = 1500

pytestmark = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


def run(memory: str, num_rows: int, num_features: int, timeout: float) -> Any:
    sizes = str(num_rows), str(num_features)
    return run_program("small_executors_program.py", memory, *sizes, timeout=timeout)


@pytest.fixture(scope="module")
def report() -> Any:
    return run(MEMORY, NUM_ROWS, NUM_FEATURES, MAX_SECONDS)


def test_one_task_has_the_bits_of_rows_in_memory(report: Any) -> None:
    ids = np.arange(NUM_ROWS)
    X = sine_features(ids, NUM_FEATURES)
    estimator = mlp.MLPClassifier(layers=[NUM_FEATURES, 4, 2], max_iter=2, seed=1)
    expected = estimator.fit(X, ids % 2, partition_sizes=[NUM_ROWS // 8] * 8).model_

    assert report["one"]["weights"] == expected.weights.tolist()
    assert report["one"]["history"] == expected.objective_history.tolist()


def test_two_tasks_have_the_history_of_one(report: Any) -> None:
    found = np.array(report["two"]["history"])

    np.testing.assert_allclose(found, report["one"]["history"], rtol=ROUNDING)


def test_the_log_says_where_the_rows_are_and_which_setting_keeps_them_in_memory(
    report: Any
) -> None:
    (line,) = report["one"]["log"]

    assert "limit by spark.executor.pyspark.memory), so they are kept in a file in " in line
    assert line.endswith("to keep them in memory, raise spark.executor.pyspark.memory")


def test_a_training_beyond_the_memory_names_the_setting(report: Any) -> None:
    assert report["wide"].startswith("ResourceError: training needs ")
    assert report["wide"].endswith("raise spark.executor.pyspark.memory")


def test_nothing_is_left_in_the_folders(report: Any) -> None:
    assert report["left"] == []


@pytest.mark.slow
def test_executors_of_1_gb_train_4_gb_of_rows() -> None:
    report = run(LARGE_MEMORY, *LARGE, MAX_LARGE_SECONDS)

    one, two = np.array(report["one"]["history"]), np.array(report["two"]["history"])
    for case in ("one", "two"):
        assert "so they are kept in a file in " in report[case]["log"][0]
    assert len(one) == 3 and one[-1] < one[0]
    np.testing.assert_allclose(two, one, rtol=ROUNDING)
    assert report["left"] == []
