# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on a standalone cluster in one of the cases, and prints what came of it.

Usage: standalone_program.py CASE MASTER [ARGUMENT]
Spark has one context in a process, so that each case is a program of its own.
"""

import contextlib
import json
import os
import pathlib
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark import InheritableThread
from pyspark.sql import SparkSession

import mlp.spark
from mlp.spark.by_group.keys import num_tasks
from mlp.spark.training import train

from cluster_program import LONG, REQUEST, Report, compare, log_lines, make_rows, make_session

# Longer than the program may take: a fit that waits for the slot fails the test.
SECONDS_HELD = 600.0
SECONDS_TO_CANCEL = 20.0

# Each worker has an executor of one core.
PAIR = {"spark.executor.cores": "1", "spark.cores.max": "2", "spark.executor.memory": "512m"}
# Each task takes the two cores of a worker, and jobs are in fair pools.
TWO_CORES = {
    "spark.task.cpus": "2", "spark.scheduler.mode": "FAIR", "spark.executor.memory": "512m",
}
SPECULATION = {
    "spark.speculation": "true", "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.1", "spark.speculation.multiplier": "1.1",
}
ALLOCATION = SPECULATION | {
    "spark.executor.cores": "1", "spark.executor.memory": "512m",
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.maxExecutors": "2",
}


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def processes_of_ranks() -> list[tuple[int, int]]:
    """Returns the process that forks each rank, and the ranks. Executors register in turn."""
    return mlp.spark.run(lambda rank: (os.getppid(), rank.size), 2)


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


def held(session: SparkSession) -> Report:
    """Trains while another job holds one of the two slots."""
    processes_of_ranks()
    rows = make_rows(session, [70, 80])
    lines = log_lines()
    hold_slot(session)
    report: Report = {
        name: seconds_of(partial(train, rows, replace(REQUEST, num_workers=size)))
        for name, size in (("chosen", None), ("pair", 2))
    }
    is_held = len(session.sparkContext.statusTracker().getActiveJobsIds()) >= 1
    session.sparkContext.cancelAllJobs()
    return report | {"is_held": is_held, "log": lines}


def killed(session: SparkSession) -> Report:
    """Trains while an executor is killed during the iterations, and without."""
    (daemon, _), _ = processes_of_ranks()
    executor = int(pathlib.Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
    rows = make_rows(session, [70, 80])
    kills: list[float] = []
    times: list[float] = []
    lines = log_lines(times)

    def kill(number: int, iterations: Any) -> None:
        if not kills:
            kills.append(time.time())
            os.kill(executor, signal.SIGKILL)

    weights = [
        mlp.Model.from_json(train(rows, LONG, callback).model).weights
        for callback in (kill, None)
    ]
    return {
        "seconds_to_notice": times[0] - kills[0], "log": lines,
        "difference": float(abs(weights[0] / weights[1] - 1).max()),
    }


def interrupted(session: SparkSession) -> Report:
    """Trains until Ctrl-C, and then once more."""
    processes_of_ranks()
    rows = make_rows(session, [70, 80])
    pressed: list[float] = []

    def press(number: int, iterations: Any) -> None:
        if not pressed:
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    raised = ""
    try:
        train(rows, replace(LONG, params=LONG.params | {"maxIter": "100000000"}), press)
    except KeyboardInterrupt as error:
        raised = type(error).__name__
    seconds_to_raise = time.monotonic() - pressed[0]
    tracker = session.sparkContext.statusTracker()
    while tracker.getActiveJobsIds() and time.monotonic() - pressed[0] < SECONDS_TO_CANCEL:
        time.sleep(0.05)
    return {
        "raised": raised, "seconds_to_raise": seconds_to_raise,
        "seconds_to_cancel": time.monotonic() - pressed[0],
        "next_seconds": seconds_of(lambda: train(rows, REQUEST)),
    }


def at_the_same_time(session: SparkSession, rows: Any, pools: list[str]) -> Report:
    """Trains at the same time in several pools."""
    ends: list[float] = []

    def fit(pool: str) -> None:
        session.sparkContext.setLocalProperty("spark.scheduler.pool", pool)
        train(rows, REQUEST)
        ends.append(time.monotonic())

    start = time.monotonic()
    threads = [InheritableThread(target=fit, args=(pool,)) for pool in pools]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"count": len(ends), "seconds": max(ends, default=0.0) - start}


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


def two_cores(session: SparkSession) -> Report:
    processes = processes_of_ranks()
    rows = make_rows(session, [70, 80])
    return {
        "processes": processes,
        "pair": compare(rows),
        "pools": at_the_same_time(session, rows, ["first", "second"]),
        "shared": share_requests(rows),
        "num_tasks": num_tasks(session),
    }


def allocation(session: SparkSession) -> Report:
    """Trains while Spark starts executors as tasks wait for slots."""
    rows = make_rows(session, [70, 80])
    lines = log_lines()
    chosen = replace(REQUEST, num_workers=None)
    train(rows, chosen)
    return {
        "small_seconds": min(seconds_of(lambda: train(rows, chosen)) for _ in range(3)),
        # The second executor starts, and the next fit has it.
        "first_seconds": seconds_of(lambda: train(rows, REQUEST)),
        "pair_seconds": seconds_of(lambda: train(rows, REQUEST)),
        "two_fits": at_the_same_time(session, rows, ["first", "second"]),
        "pair": compare(rows),
        "adam": compare(rows, {"solver": "adam"}),
        "log": lines,
    }


def sleep_on_one_rank(rank: mlp.spark.Rank) -> float:
    if rank.rank == 1:
        time.sleep(3.0)
    return rank.rank


def speculation(session: SparkSession) -> Report:
    """Runs a rank that takes longer than the other one, of which Spark starts a copy."""
    lines = log_lines()
    processes_of_ranks()
    ranks = mlp.spark.run(sleep_on_one_rank, 2)
    return {"ranks": ranks, "log": lines, "pair": compare(make_rows(session, [70, 80]))}


def places_of_task(batches: Any) -> Any:
    import pyarrow

    yield pyarrow.RecordBatch.from_pydict({"python": [sys.executable], "mlp": [mlp.__file__]})


def archive(session: SparkSession) -> Report:
    """Trains in tasks whose Python comes from an archive."""
    processes_of_ranks()
    rows = session.range(0, 2, 1, 2)
    places = rows.mapInArrow(places_of_task, "python string, mlp string").collect()
    return {"places": [list(place) for place in places],
            "pair": compare(make_rows(session, [70, 80]))}


CASES = {
    held: PAIR | {"spark.scheduler.mode": "FAIR"}, killed: PAIR, interrupted: PAIR,
    two_cores: TWO_CORES, allocation: ALLOCATION, speculation: PAIR | SPECULATION, archive: PAIR,
}


def main(name: str, master: str, *arguments: str) -> Report:
    case, settings = next(item for item in CASES.items() if item[0].__name__ == name)
    if case is archive:
        settings |= {"spark.archives": f"{arguments[0]}#environment"}
        os.environ["PYSPARK_PYTHON"] = "./environment/bin/python"
    session = make_session(settings, master)
    report = case(session)
    session.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
