#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Times what Spark-exact users do with two builds in turn.

    bench/before_after.py BEFORE [AFTER]

Both are folders with mlp_bench, such as build-bench of two working trees; AFTER
is build-bench of this one unless it is given. A row says what the later build
takes of the earlier one's time: more than 1.02 is a slow-down.
"""
import argparse
import pathlib
import sys

from goals.evaluation import MNIST
from measure import report
from measure.bench import Bench
from measure.report import ratio_row

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_RATIO = 1.02
TASKS = (
    ("one evaluation of Iris", ("evaluation", "iris", "f64", "1")),
    ("fit of Iris", ("fit", "iris", "1")),
    ("one evaluation of MNIST, f64", ("evaluation", MNIST, "12000", "f64", "1")),
    ("one evaluation of MNIST, f32", ("evaluation", MNIST, "12000", "f32", "1")),
    ("fit of MNIST", ("fit", "mnist", "1")),
    ("score of an Iris row", ("scoring", "4,5,4,3", "f64", "back_to_back")),
    ("score of an MNIST row", ("scoring", MNIST, "f64", "back_to_back")),
    ("reading CSV", ("reading", "csv", "20000")),
)


def compare(bench, before, what, arguments):
    """Times one task with both builds, by CPU time: it has one thread."""
    command = [before / "mlp_bench", *arguments]
    with bench.guarded("2 %", what), bench.worker(*arguments) as ours, \
            bench.started(command, 0.2) as peer:
        measured = bench.measure(ours, peer)
        row = ratio_row("2 %", what, MAX_RATIO, measured, "cpu")
        row.values = [1.0 / ratio for ratio in row.values]
        row.is_least = False
        bench.void(row, measured, "f32" if "f32" in arguments else "f64")
        bench.add(row)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path, nargs="?",
                        default=ROOT / "build-bench")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="tasks whose names hold it")
    parser.add_argument("--short", action="store_true",
                        help="check that every task works; judge no time")
    arguments = parser.parse_args()
    tasks = [task for task in TASKS if arguments.only in task[0]]
    if not tasks:
        sys.exit(f"bench/before_after.py: no task holds {arguments.only}; "
                 "expected part of " + ", ".join(what for what, _ in TASKS))
    with Bench(arguments.after, pathlib.Path(), arguments.pairs,
               arguments.short) as bench:
        for what, task in tasks:
            compare(bench, arguments.before, what, task)
        bad = (report.FAILED, report.VOID, report.NOT_MET)
        return 1 if any(row.verdict in bad for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
