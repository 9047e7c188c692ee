#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares mlp with its peers on rows of tables that it did not see.

    bench/tables/compare.py build/mlp
    bench/tables/compare.py build/mlp --tables german phoneme --peers quick standard

Downloads the tables, trains on 70 % of each with every seed, on one thread, scores the
rest, and prints tables in Markdown: each table, and in sum the mean scores and ranks, the
calibration error, the CPU seconds of training and predicting, and mlp's multiplications.
Each measurement is stored at once, and is not repeated by a later run. Needs
what requirements.txt lists; --own NAME FLAG=VALUE adds a row of mlp with flags.
"""
import argparse
import importlib.metadata
import os
import pathlib
import sys

import measure
import peers as known
import report
import results
import scores
import tables
from program import Program

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ("quick", "standard")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="mlp, as the preset release builds it")
    parser.add_argument("--tables", nargs="+", metavar="NAME",
                        default=["shown", "aside", "regressions"],
                        help="names, or groups of them: shown, aside, regressions; all "
                             "unless given")
    parser.add_argument("--peers", nargs="+", choices=[*OWN, *known.PEERS], metavar="PEER",
                        default=[*OWN, *known.PEERS],
                        help="of %(choices)s; all unless given")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--own", nargs="+", action="append", default=[],
                        metavar=("NAME", "FLAG=VALUE"),
                        help="a row of mlp with flags of its own, without their --")
    parser.add_argument("--cpu-limit", type=int, default=1800, metavar="SECONDS",
                        help="processor time of one training; %(default)s unless given")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build-python" / "tables",
                        help="where the tables and the measurements are kept")
    parser.add_argument("--stored", action="store_true",
                        help="trains nothing, and shows what is stored")
    return parser.parse_args()


def chosen_peers(arguments):
    """Returns the peers by name; one whose package is missing is left out."""
    found = {}
    for name in arguments.peers:
        peer = (Program(arguments.program, ["--effort", name]) if name in OWN
                else known.PEERS[name])
        try:
            peer.version()
            found[name] = peer
        except importlib.metadata.PackageNotFoundError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    for name, *flags in arguments.own:
        found[name] = Program(arguments.program, [f"--{flag}" for flag in flags])
    return found


def score(peer, table, seed):
    train_rows, test_rows = tables.split(table, seed)
    predicted, details = peer.train(table, train_rows, test_rows, seed)
    labels = [row[-1] for row in test_rows]
    if table.is_regression:
        return {**scores.of_numbers(predicted, list(map(float, labels))), **details}
    return {**scores.of_classes(predicted, table.classes, labels), **details}


def measured(stored, table, name, peer, arguments):
    """Returns a record for each seed. After a seed that was out of time, the others are
    not tried."""
    records = []
    version = peer.version()
    for seed in range(1, arguments.seeds + 1):
        key = {"table": table.name, "peer": name, "version": version, "seed": seed}
        record = stored.get(key, arguments.cpu_limit)
        if record is None and arguments.stored:
            record = {"failed": report.NOT_MEASURED}
        if record is None:
            peer.load()
            record = {**key, "cpuLimit": arguments.cpu_limit,
                      **measure.in_process(lambda: score(peer, table, seed),
                                           arguments.cpu_limit)}
            stored.add(record)
            print(table.name, name, seed, record.get("failed", "measured"),
                  file=sys.stderr, flush=True)
        records.append(record)
    return records


def main():
    arguments = parse_arguments()
    for library in "OMP", "OPENBLAS":
        os.environ[f"{library}_NUM_THREADS"] = "1"
    peers = chosen_peers(arguments)
    stored = results.Results(arguments.folder / "results.jsonl")
    chosen = [tables.load(name, arguments.folder) for group in arguments.tables
              for name in tables.names_of(group, arguments.folder)]
    found = []
    for table in sorted(chosen, key=lambda table: table.num_cells):
        found.append(report.Found(table.name, table.task, len(table.rows), {
            name: measured(stored, table, name, peer, arguments)
            for name, peer in peers.items()}))
    found.sort(key=lambda table: table.name)
    for task in report.METRICS:
        print("\n".join(report.lines_of(found, task)))


if __name__ == "__main__":
    main()
