# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains twice at the same time in an executor of two slots, and prints the memory of its tasks.

Usage: shared_memory_program.py PYSPARK_MEMORY NUM_ROWS NUM_FEATURES
"""

import json
import resource
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mlp
import pyarrow
from mlp.spark.training import train
from mlp.spark.training.memory import read_task_memory
from mlp.spark.training.request import FitRequest
from mlp.spark.training.rows import training_rows

from cluster_program import Report, log_lines, make_session
from sine_rows import ROWS_AT_ONCE, sine_frame


def limit_of_tasks(session: Any) -> list[int]:
    """Returns the address space that Spark gives the Python of each task."""

    # The Python of an executor gets a function of a function by value, and has no tests.
    def look(batches: Iterable[Any]) -> Iterator[Any]:
        list(batches)
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        yield pyarrow.RecordBatch.from_pydict({"bytes": [limit]})

    frame = session.range(0, 8, 1, 4).mapInArrow(look, "bytes long")
    return [row.bytes for row in frame.collect()]


def main(memory: str, num_rows: int, num_features: int) -> Report:
    session = make_session({
        "spark.executor.cores": "2",
        "spark.executor.pyspark.memory": memory,
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_AT_ONCE),
    }, "local-cluster[1,2,1024]")
    params = {"layers": f"{num_features},4,2", "maxIter": "2", "seed": "1"}
    request = FitRequest("classification", params, num_workers=1)
    lines = log_lines()

    def fit(number: int) -> list[float]:
        frame = sine_frame(session, num_rows, num_features, 2)
        model = mlp.Model.from_json(train(training_rows(frame, "features", "label"), request).model)
        weights: list[float] = model.weights.tolist()
        return weights

    with ThreadPoolExecutor(2) as threads:
        weights = list(threads.map(fit, range(2)))
    share = read_task_memory(session, 1)
    report = {
        "limits": limit_of_tasks(session), "share": share.num_bytes, "tasks": share.num_tasks,
        "weights": weights, "log": lines,
    }
    session.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
