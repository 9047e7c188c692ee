#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Measures every performance goal as a ratio of one run.

    cmake --workflow --preset bench  builds what is measured
    bench/goals.py                   all goals, with the peers that are there
    bench/goals.py A1 C              goal A1 and all that begin with C
    bench/goals.py --install all     makes the peers' environment first
    bench/goals.py --save            writes bench/results/ and the pictures
    bench/goals.py --kernels AVX2    the kernels of another instruction set

docs/performance.md says what each goal is and how it is measured.
"""
import argparse
import pathlib
import sys

import roofline
from goals import GOALS
from measure import environment, report
from measure.bench import BENCH, Bench

ROOT = BENCH.parent


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goals", nargs="*", metavar="GOAL",
                        help="beginnings of names: " + " ".join(GOALS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench",
                        help="where mlp_bench and mlp were built")
    parser.add_argument("--environment", type=pathlib.Path,
                        default=ROOT / "build-bench-env",
                        help="the peers' Python environment")
    parser.add_argument("--install", nargs="?", const="core",
                        choices=[*environment.GROUPS, "all"],
                        help="make that environment first")
    parser.add_argument("--pairs", type=int, default=15,
                        help="pairs per figure")
    parser.add_argument("--kernels", metavar="NAME",
                        help="an instruction set of this processor, as mlp "
                        "doctor prints it")
    parser.add_argument("--short", action="store_true",
                        help="check that every bench works; judge no time")
    parser.add_argument("--save", action="store_true",
                        help="write bench/results/ and docs/roofline.svg")
    return parser.parse_args()


def chosen_goals(beginnings):
    """The names of the goals asked for, in the table's order."""
    for beginning in beginnings:
        if not any(name.startswith(beginning) for name in GOALS):
            sys.exit(f"bench/goals.py: there is no goal {beginning}; "
                     f"expected some of {' '.join(GOALS)}")
    return [name for name in GOALS
            if not beginnings or name.startswith(tuple(beginnings))]


def run(arguments, names):
    """Runs the goals; returns the rows."""
    if not (arguments.build / "mlp_bench").exists():
        sys.exit(f"bench/goals.py: {arguments.build} has no mlp_bench; build "
                 "it, or name its folder with --build")
    with Bench(arguments.build, arguments.environment, arguments.pairs,
               arguments.short, arguments.kernels) as bench:
        print(f"{bench.machine['cpu']} ({bench.machine['kind']}), "
              f"{bench.machine['cores']} cores, kernels for "
              f"{bench.machine['kernels']}, {bench.num_pairs} pairs each")
        if bench.machine["load_average"] > 0.5 and not bench.is_short:
            print(f"note: others keep {bench.machine['load_average']} cores "
                  "busy. CPU time and the canary do not see what they take of "
                  "the caches")
        for name in names:
            GOALS[name](bench)
        if arguments.save:
            bench.machine["ceilings"] = roofline.measure_ceilings(bench)
            path = report.save(bench.rows, bench.machine, BENCH / "results")
            print(f"wrote {path}")
            bench.draw("roofline.py", path, ROOT / "docs" / "roofline.svg")
            bench.draw("growth_plot.py", path, ROOT / "docs" / "growth.svg")
        return bench.rows


def main():
    arguments = parse_arguments()
    if arguments.install:
        environment.install(arguments.environment, arguments.install,
                            BENCH / "peers")
    rows = run(arguments, chosen_goals(arguments.goals))
    num_bad = sum(row.verdict in (report.FAILED, report.VOID) for row in rows)
    counts = {}
    for row in rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if num_bad else 0


if __name__ == "__main__":
    sys.exit(main())
