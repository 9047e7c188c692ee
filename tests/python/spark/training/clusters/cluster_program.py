# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on a cluster of two executors, one of which is killed, and prints what came of it.

Usage: cluster_program.py FOLDER
Spark has one context in a process, so that this is a program of its own.
"""

import json
import logging
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from pyspark.sql import SparkSession

import mlp
import mlp.spark
from mlp.spark.training import checkpoints
from mlp.spark.training.request import FitRequest
from mlp.spark.training.rows import training_rows
from mlp.spark.training import train

Report = dict[str, Any]

PARAMS = {"layers": "4,5,3", "maxIter": "20", "seed": "1"}
REQUEST = FitRequest("classification", PARAMS, num_workers=2)
# Gradient descent that does not converge: some seconds of training.
LONG = replace(REQUEST, params=PARAMS | {"solver": "gd", "maxIter": "12000", "tol": "0"})
SECONDS_TO_BEGIN = 60.0


SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def make_session(more: dict[str, str], master: str = "local-cluster[2,1,1024]") -> SparkSession:
    builder = SparkSession.builder.master(master)
    for name, value in (SETTINGS | more).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def make_rows(session: SparkSession, sizes: list[int]) -> Any:
    """Makes rows of three classes in partitions of these sizes."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(sum(sizes), 4))
    rows = [(row, float(np.argmax(row[:3]))) for row in X.tolist()]
    bounds = np.cumsum([0, *sizes])
    parts = [rows[begin:end] for begin, end in zip(bounds, bounds[1:])]
    collection = session.sparkContext.parallelize(parts, len(parts)).flatMap(list)
    frame = session.createDataFrame(collection, "features array<double>, label double")
    return training_rows(frame, "features", "label")


def compare(rows: Any, params: dict[str, str] | None = None) -> Report:
    """Compares a training on all executors with one in one task."""
    request = replace(REQUEST, params=REQUEST.params | (params or {}))
    alone = mlp.Model.from_json(train(rows, replace(request, num_workers=1)).model)
    model = mlp.Model.from_json(train(rows, request).model)
    difference = np.abs(model.objective_history / alone.objective_history - 1).max()
    return {"difference": float(difference), "size": len(model.objective_history)}


def kill_executor(session: SparkSession, folder: pathlib.Path, killed: list[float]) -> None:
    """Kills an executor once the training has written a checkpoint."""
    driver = session.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    deadline = time.monotonic() + SECONDS_TO_BEGIN
    while not list(folder.glob("mlp-*/attempt-1")) and time.monotonic() < deadline:
        time.sleep(0.05)
    listed = subprocess.run(
        ["pgrep", "-P", str(driver), "-f", "CoarseGrainedExecutorBackend"],
        capture_output=True, text=True, check=True,
    )
    os.kill(int(listed.stdout.split()[0]), signal.SIGKILL)
    killed.append(time.time())


def fit_without_workers(rows: Any) -> Report:
    """Trains on as many tasks as the rule chooses."""
    lines = log_lines()
    train(rows, replace(REQUEST, num_workers=None))
    start = time.monotonic()
    train(rows, replace(REQUEST, num_workers=None))
    return {"seconds": time.monotonic() - start, "log": lines}


def log_lines(times: list[float] | None = None) -> list[str]:
    """Returns a list that gets what mlp.spark logs from now on."""
    lines: list[str] = []

    def emit(record: logging.LogRecord) -> None:
        lines.append(record.getMessage())
        if times is not None:
            times.append(record.created)

    handler = logging.Handler()
    handler.emit = emit  # type: ignore[method-assign]
    logger = logging.getLogger("mlp.spark")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return lines


def lose_executor(session: SparkSession, rows: Any, folder: pathlib.Path) -> Report:
    """Trains while an executor is killed, and without."""
    killed: list[float] = []
    times: list[float] = []
    thread = threading.Thread(target=kill_executor, args=(session, folder, killed))
    thread.start()
    lines = log_lines(times)
    request = replace(LONG, checkpoint_dir=str(folder))
    model = mlp.Model.from_json(train(rows, request).model)
    thread.join()
    expected = mlp.Model.from_json(train(rows, LONG).model)
    is_same = model.weights.tobytes() == expected.weights.tobytes()
    return {
        "num_killed": len(killed), "seconds_to_notice": times[0] - killed[0], "log": lines,
        "is_same": is_same, "left": os.listdir(folder),
    }


def sentence_of(work: Callable[[], Any]) -> str:
    try:
        work()
    except mlp.MLPError as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"


def fail(rank: mlp.spark.Rank) -> None:
    if rank.rank == 1:
        raise ValueError("no more data")
    rank.allreduce([1.0])


def main(folder: pathlib.Path) -> Report:
    checkpoints.SECONDS_BETWEEN = 0.3
    session = make_session({})
    # Executors register one after the other.
    processes = mlp.spark.run(lambda rank: (os.getppid(), rank.size), 2)
    rows = make_rows(session, [70, 80])
    report = {
        "processes": processes,
        "small": fit_without_workers(rows),
        "equal": compare(rows),
        "unequal": compare(make_rows(session, [0, 140, 0, 3, 7])),
        "empty": compare(make_rows(session, [150])),
        "slots": sentence_of(lambda: train(rows, replace(REQUEST, num_workers=5, timeout=1.0))),
        "raises": sentence_of(lambda: mlp.spark.run(fail)),
        "lost": lose_executor(session, rows, folder),
    }
    session.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(main(pathlib.Path(sys.argv[1]))))
