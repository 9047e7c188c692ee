# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on executors whose Python has less memory than the rows take, and prints what came
of it.

Usage: small_executors_program.py PYSPARK_MEMORY NUM_ROWS NUM_FEATURES
Spark has one context in a process, so that this is a program of its own.
"""

import json
import pathlib
import sys
from dataclasses import replace
from typing import Any

import mlp
from mlp.spark.training import train
from mlp.spark.training.request import FitRequest
from mlp.spark.training.rows import training_rows

from cluster_program import Report, log_lines, make_session, sentence_of
from sine_rows import ROWS_AT_ONCE, sine_frame

NUM_PARTITIONS = 8


def report_of(rows: Any, request: FitRequest, lines: list[str]) -> Report:
    before = len(lines)
    model = mlp.Model.from_json(train(rows, request).model)
    return {
        "weights": model.weights.tolist(), "history": model.objective_history.tolist(),
        "log": lines[before:],
    }


def main(memory: str, num_rows: int, num_features: int) -> Report:
    session = make_session({
        "spark.executor.pyspark.memory": memory,
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(ROWS_AT_ONCE),
    })
    frame = sine_frame(session, num_rows, num_features, NUM_PARTITIONS)
    rows = training_rows(frame, "features", "label")
    few = training_rows(sine_frame(session, 10, num_features, 1), "features", "label")
    layers = f"{num_features},4,2"
    params = {"layers": layers, "maxIter": "2", "seed": "1"}
    request = FitRequest("classification", params, num_workers=1)
    wide = replace(request, params=params | {"layers": f"{num_features},20000,2"})
    lines = log_lines()
    report = {
        "one": report_of(rows, request, lines),
        "two": report_of(rows, replace(request, num_workers=2), lines),
        "wide": sentence_of(lambda: train(few, wide)),
    }
    folders = {line.partition("in a file in ")[2].partition(" while")[0] for line in lines}
    report["left"] = [
        str(path) for folder in folders if folder for path in pathlib.Path(folder).glob("*mlp*")
    ]
    session.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
