#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares mlp with its peers on raw tables that it did not see.

    bench/tables/compare.py build/mlp
    bench/tables/compare.py build/mlp --tables german phoneme --peers quick standard

Downloads the tables of KEEL, trains on 70 % of each with every seed, and prints the mean
accuracy and log-loss of the rest, the mean ranks, and the CPU seconds of the trainings, on
one thread. Needs what requirements.txt lists;
--own NAME FLAG=VALUE adds a row of mlp with flags.
"""
import argparse
import os
import pathlib
import statistics
import tempfile

import peers as known
import tables

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--tables", nargs="+", metavar="NAME",
                        help="all unless given")
    parser.add_argument("--peers", nargs="+", choices=known.PEERS,
                        default=list(known.PEERS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--own", nargs="+", action="append", default=[],
                        metavar=("NAME", "FLAG=VALUE"),
                        help="a row of mlp with flags of its own, without their --")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=ROOT / "build-python" / "tables",
                        help="where the tables are kept")
    return parser.parse_args()


def own_peers(given):
    return {name: known.mlp(*(f"--{flag}" for flag in flags))
            for name, *flags in given}


def ranks(values):
    """Returns the rank of each value, 1 for the least; equal ones share theirs."""
    return [1 + sum(other < value for other in values) + (values.count(value) - 1) / 2
            for value in values]


def mean_ranks(lists):
    """Returns the mean rank of each position over several lists of values."""
    return [statistics.fmean(column) for column in zip(*map(ranks, lists))]


def mean_of(scores, what):
    return statistics.fmean(getattr(score, what) for score in scores)


def print_table(name, scores):
    cells = []
    for peer, found in scores.items():
        cells.append(f"{peer} {mean_of(found, 'accuracy'):.3f}/"
                     f"{mean_of(found, 'log_loss'):.3f}")
    encodings = {s.details["encoding"] for found in scores.values() for s in found
                 if s.details.get("encoding")}
    print(f"{name:16}", "  ".join(cells), " ".join(sorted(encodings)), flush=True)


def print_summary(results):
    peers = list(next(iter(results.values())))
    accuracy, loss = ([[mean_of(table[peer], what) for peer in peers]
                       for table in results.values()]
                      for what in ("accuracy", "log_loss"))
    by_accuracy = mean_ranks([[-value for value in row] for row in accuracy])
    by_loss = mean_ranks(loss)
    print(f"\n{'':12} accuracy log-loss  rank by accuracy, by log-loss  CPU s")
    for i, peer in enumerate(peers):
        seconds = sum(s.cpu_seconds for table in results.values() for s in table[peer])
        print(f"{peer:12} {statistics.fmean(row[i] for row in accuracy):8.4f} "
              f"{statistics.fmean(row[i] for row in loss):8.4f}  {by_accuracy[i]:16.2f} "
              f"{by_loss[i]:12.2f} {seconds:10.1f}")
    print_work(results, peers)


def print_work(results, peers):
    """The multiplications of mlp's trainings, in those of quick."""
    if "quick" not in peers:
        return
    counted = {peer: [sum(s.details["multiplications"] for s in table[peer])
                      for table in results.values()]
               for peer in peers
               if all("multiplications" in s.details for s in
                      next(iter(results.values()))[peer])}
    for peer, found in counted.items():
        if peer != "quick":
            quotients = {name: own / quick for name, own, quick
                         in zip(results, found, counted["quick"])}
            most = max(quotients, key=quotients.get)
            print(f"{peer}: {sum(found) / sum(counted['quick']):.1f} times the "
                  f"multiplications of quick in sum, at most {quotients[most]:.1f} times "
                  f"on {most}")


def main():
    arguments = parse_arguments()
    for library in "OMP", "OPENBLAS":
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    archive = tables.download(arguments.folder)
    peers = {name: known.PEERS[name] for name in arguments.peers}
    peers.update(own_peers(arguments.own))
    results = {}
    for name in arguments.tables or tables.names(archive):
        rows = tables.read(archive, name)
        scores = {peer: [] for peer in peers}
        for seed in range(1, arguments.seeds + 1):
            train_rows, test_rows = tables.split(rows, seed)
            for peer, train in peers.items():
                with tempfile.TemporaryDirectory() as folder:
                    scores[peer].append(train(arguments.program, train_rows, test_rows,
                                              seed, pathlib.Path(folder)))
        results[name] = scores
        print_table(name, scores)
    print_summary(results)


if __name__ == "__main__":
    main()
