#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how prediction intervals and sets cover rows that were not trained on.

    bench/tables/coverage.py build/mlp
    bench/tables/coverage.py build/mlp --coverage 0.8 --seeds 10

For each seed, 70 % of each table train, and the rest is scored. Prints the means over the
seeds: the coverage that the report states of unseen rows, the coverage and the mean size of
the test rows, and the standard deviation of the latter coverage. Needs scikit-learn and
what keel.py downloads.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

import keel
from sklearn.datasets import load_diabetes, make_friedman1

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLASSES = ("contraceptive", "german", "phoneme")


def regressions():
    """Returns the rows of each regression; the last cell is the label."""
    pairs = {"diabetes": load_diabetes(return_X_y=True),
             "friedman1": make_friedman1(400, noise=3.0, random_state=1)}
    return {name: [[*row, label] for row, label in zip(X.tolist(), y.tolist())]
            for name, (X, y) in pairs.items()}


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{i}" for i in range(len(rows[0]) - 1)), "label"])
        writer.writerows(rows)


def measure(program, path, flags):
    """Returns the report of a training on 70 % of a file."""
    done = subprocess.run(
        [program, "train", path, "--label", "label", "--split", "0.7,0.3", "--json", "-q",
         *flags],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--coverage", default="0.9")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build-python" / "tables",
                        help="where the tables are kept")
    options = parser.parse_args()
    cases = {name: (rows, ["--task", "regression", "--interval"])
             for name, rows in regressions().items()}
    cases |= {name: (keel.read(name, options.folder), ["--coverage"]) for name in CLASSES}
    print(f"{'table':14} {'rows':>5} {'unseen':>7} {'test':>7} {'+-':>7} {'size':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (rows, flags) in cases.items():
            path = f"{folder}/{name}.csv"
            write(path, rows)
            found = [measure(options.program, path,
                             [*flags, options.coverage, "--seed", str(seed)])
                     for seed in range(1, options.seeds + 1)]
            test = [report["testCoverage"] for report in found]
            unseen, size = (statistics.fmean(report[key] for report in found)
                            for key in ("unseenCoverage", "testMeanSize"))
            print(f"{name:14} {len(rows):5} {unseen:7.3f} {statistics.fmean(test):7.3f} "
                  f"{statistics.stdev(test):7.3f} {size:8.4g}", flush=True)


if __name__ == "__main__":
    main()
