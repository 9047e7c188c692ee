# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Two trainings at the same time in one executor: each has the share that Spark gives its task."""

from typing import Any

import pytest

pytest.importorskip("pyspark")

from spark.training.clusters.programs import run_program  # noqa: E402

# Python and pyarrow take half of the share, so that 192 MB of rows do not fit twice.
MEMORY, SHARE = "1800m", 900 << 20
NUM_ROWS, NUM_FEATURES = 40_000, 600
MAX_SECONDS = 400


@pytest.fixture(scope="module")
def report() -> Any:
    sizes = str(NUM_ROWS), str(NUM_FEATURES)
    return run_program("shared_memory_program.py", MEMORY, *sizes, timeout=MAX_SECONDS)


def test_a_share_is_the_limit_that_spark_sets(report: Any) -> None:
    assert set(report["limits"]) == {SHARE}
    assert report["share"] == SHARE and report["tasks"] == 2


def test_both_trainings_keep_their_rows_in_a_file(report: Any) -> None:
    kept = [line for line in report["log"] if "so they are kept in a file in " in line]

    assert len(kept) == 2 and report["weights"][0] == report["weights"][1]
    assert all("limit by spark.executor.pyspark.memory" in line for line in kept)
