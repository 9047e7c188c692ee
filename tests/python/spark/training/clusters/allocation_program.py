# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains under dynamic allocation, and prints what came of it.

Usage: allocation_program.py
Spark has one context in a process, so that this is a program of its own.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mlp.spark
from mlp.spark.training import train

from cluster_program import REQUEST, Report, compare, log_lines, make_rows, make_session

SETTINGS = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.maxExecutors": "2",
    "spark.speculation": "true",
    "spark.speculation.interval": "50ms",
    "spark.speculation.quantile": "0.1",
    "spark.speculation.multiplier": "1.1",
}


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def train_at_the_same_time(rows: Any, count: int) -> None:
    threads = [threading.Thread(target=train, args=(rows, REQUEST)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> Report:
    session = make_session(SETTINGS)
    rows = make_rows(session, [70, 80])
    lines = log_lines()
    chosen = replace(REQUEST, num_workers=None)
    train(rows, chosen)
    report = {
        "small_seconds": min(seconds_of(lambda: train(rows, chosen)) for _ in range(3)),
        # The second executor starts, and the next fit has it.
        "first_seconds": seconds_of(lambda: train(rows, REQUEST)),
        "pair_seconds": seconds_of(lambda: train(rows, REQUEST)),
        "two_fits_seconds": seconds_of(lambda: train_at_the_same_time(rows, 2)),
        "pair": compare(rows),
        "adam": compare(rows, {"solver": "adam"}),
        "sizes": mlp.spark.run(lambda rank: rank.size, 2),
        "log": lines,
    }
    session.stop()
    return report


if __name__ == "__main__":
    print(json.dumps(main()))
