# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on a standalone master with two workers, and prints what came of it.

Usage: standalone_program.py
The master and the workers are processes of their own, on 127.0.0.1. Each task takes two
cores, so that each worker has one slot, and jobs are in fair pools.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyspark
from pyspark import InheritableThread
from pyspark.sql import SparkSession

import mlp.spark
from mlp.spark.by_group.keys import num_tasks
from mlp.spark.training import train

from cluster_program import REQUEST, SETTINGS, Report, compare, log_lines, make_rows

HOST = "127.0.0.1"
SPARK = pathlib.Path(pyspark.__file__).parent
SECONDS_TO_START = 120.0
SECONDS_HELD = 60.0
PARAMS = {"spark.task.cpus": "2", "spark.scheduler.mode": "FAIR", "spark.executor.memory": "1g"}


def free_port() -> int:
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1.0):
            return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens on port {port}")


@contextlib.contextmanager
def start_cluster(folder: str) -> Iterator[str]:
    """Starts a master and two workers of two cores; yields the URL of the master."""
    port, processes = free_port(), []
    environment = os.environ | {"SPARK_HOME": str(SPARK), "SPARK_LOCAL_IP": HOST}
    master = ["Master", "--host", HOST, "--port", str(port), "--webui-port", "0"]
    worker = ["Worker", f"spark://{HOST}:{port}", "--host", HOST, "--cores", "2", "--memory", "1g",
              "--webui-port", "0"]
    commands = [master, *([*worker, "--work-dir", f"{folder}/{n}"] for n in range(2))]
    try:
        for name, *arguments in commands:
            command = [str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{name.lower()}.{name}"]
            log = open(f"{folder}/{len(processes)}.log", "w")
            processes.append(subprocess.Popen(
                command + arguments, env=environment, stdout=log, stderr=log
            ))
            wait_for_port(port)
        yield f"spark://{HOST}:{port}"
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(20)


def make_session(master: str) -> SparkSession:
    builder = SparkSession.builder.master(master)
    for name, value in (SETTINGS | PARAMS).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def hold_slot(session: SparkSession) -> None:
    """Runs a job in a pool of its own, until it has a slot."""
    context = session.sparkContext

    def hold() -> None:
        context.setLocalProperty("spark.scheduler.pool", "held")
        with contextlib.suppress(Exception):
            context.parallelize([0], 1).foreach(lambda number: time.sleep(SECONDS_HELD))

    InheritableThread(target=hold, daemon=True).start()
    tracker = context.statusTracker()
    while not any(
        stage is not None and stage.numActiveTasks
        for stage in map(tracker.getStageInfo, tracker.getActiveStageIds())
    ):
        time.sleep(0.05)


def train_beside(session: SparkSession, rows: Any) -> Report:
    """Trains while another job holds one of the two slots."""
    lines = log_lines()
    hold_slot(session)
    seconds = {}
    for name, size in (("chosen", None), ("pair", 2)):
        start = time.monotonic()
        train(rows, replace(REQUEST, num_workers=size))
        seconds[name] = time.monotonic() - start
    session.sparkContext.cancelAllJobs()
    return {"seconds": seconds, "log": lines}


def train_in_pools(session: SparkSession, rows: Any) -> Report:
    """Trains twice at the same time, in two fair pools."""
    ends: list[float] = []

    def fit(pool: str) -> None:
        session.sparkContext.setLocalProperty("spark.scheduler.pool", pool)
        train(rows, REQUEST)
        ends.append(time.monotonic())

    start = time.monotonic()
    threads = [InheritableThread(target=fit, args=(pool,)) for pool in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"count": len(ends), "seconds": max(ends) - start}


def share_requests(rows: Any) -> int:
    """Trains five networks in two tasks; returns how many are those of one task."""
    from mlp.spark.training.one_task import train_one_task

    requests = [
        replace(REQUEST, num_workers=1, params=REQUEST.params | {"seed": str(seed)})
        for seed in range(5)
    ]
    found = train_one_task(rows, requests, 2)
    alone = [train_one_task(rows, [request])[0] for request in requests]
    weights = [[mlp.Model.from_json(each.model).weights.tobytes() for each in results]
               for results in (found, alone)]
    return sum(first == second for first, second in zip(*weights))


def main() -> Report:
    with tempfile.TemporaryDirectory() as folder, start_cluster(folder) as master:
        session = make_session(master)
        # Executors register one after the other.
        processes = mlp.spark.run(lambda rank: (os.getppid(), rank.size), 2)
        rows = make_rows(session, [70, 80])
        report = {
            "processes": processes,
            "pair": compare(rows),
            "pools": train_in_pools(session, rows),
            "shared": share_requests(rows),
            "num_tasks": num_tasks(session),
            "held": train_beside(session, rows),
        }
        session.stop()
        return report


if __name__ == "__main__":
    print(json.dumps(main()))
