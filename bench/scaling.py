#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Predicts what an evaluation takes on 1 to 1000 workers.

    bench/scaling.py                      measures this machine, prints tables
    bench/scaling.py --times 16           the same for workers 16 times as fast
    sudo bench/scaling.py --check         predictions beside trainings of two
                                          ranks over a shaped link

The rows per second are measured by the evaluation that trainings call; the rest
is arithmetic. docs/scaling.md explains the model.
"""
import argparse
import dataclasses
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import links
from goals.evaluation import DEEP
from measure import pairs
from measure.report import size_text, time_text
from measure.workers import Worker, WorkerError

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBER_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2}
# Ethernet frames of 1,500 bytes carry 1,448 bytes of TCP and take 1,538.
PAYLOAD_SHARE = 1448 / 1538
# The shaped link counts frames without their preamble and the gap.
SHAPED_SHARE = 1448 / 1514
WORKERS = (1, 2, 4, 10, 30, 100, 300, 1000)
GIGABITS = (1.0, 10.0, 100.0)
BATCH_ROWS = (128, 1024)


@dataclasses.dataclass
class Network:
    """A network, how many rows it is trained on, and how many are timed."""
    name: str
    layers: str
    num_rows: int
    num_timed_rows: int

    def num_weights(self):
        sizes = [int(size) for size in self.layers.split(",")]
        return sum((a + 1) * b for a, b in zip(sizes, sizes[1:]))


NETWORKS = (Network("Iris", "4,5,3", 150, 150),
            Network("MNIST", "784,100,10", 60_000, 12_000),
            Network("ann-benchmark", DEEP, 8_100_000, 1024))


@dataclasses.dataclass
class Cable:
    """What joins the workers."""
    bytes_per_second: float  # of numbers, in each direction
    latency_seconds: float  # of one step of a sum

    @staticmethod
    def of_gigabits(gigabits, latency_seconds, share=PAYLOAD_SHARE):
        return Cable(gigabits * 1e9 / 8 * share, latency_seconds)


def ring_seconds(cable, num_bytes, num_ranks):
    """A ring: Patarasuk and Yuan 2009, section 3."""
    sent = links.ring_bytes(num_bytes, num_ranks)
    return (sent / cable.bytes_per_second
            + 2 * (num_ranks - 1) * cable.latency_seconds)


def halving_seconds(cable, num_bytes, num_ranks):
    """Recursive halving: Rabenseifner 2004, section 2.

    Ranks beyond a power of two send all their numbers to others first, and receive
    the sums in the end.
    """
    num_bits = num_ranks.bit_length() - 1
    base = 1 << num_bits
    sent = links.ring_bytes(num_bytes, base)
    num_steps = 2 * num_bits
    if base != num_ranks:
        sent += 2 * num_bytes
        num_steps += 2
    return sent / cable.bytes_per_second + num_steps * cable.latency_seconds


def sum_seconds(cable, num_bytes, num_ranks):
    """The order that distributed/gloo/sum_steps.hpp chooses, for its stated network."""
    if num_ranks == 1:
        return 0.0
    stated = Cable.of_gigabits(10, 150e-6)
    is_halving = (halving_seconds(stated, num_bytes, num_ranks)
                  < 0.9 * ring_seconds(stated, num_bytes, num_ranks))
    predict = halving_seconds if is_halving else ring_seconds
    return predict(cable, num_bytes, num_ranks)


def evaluation_seconds(cable, network, rate, num_ranks):
    """One evaluation of all rows, each worker its share of them."""
    return (network.num_rows / num_ranks / rate
            + sum_seconds(cable, 8 * network.num_weights(), num_ranks))


def step_seconds(cable, network, rate, rows_per_rank, num_ranks, number):
    """A mini-batch: one sum after it, or sums during its backward pass.

    Backward is two thirds of the work, and the most that can hide a sum.
    """
    compute = rows_per_rank / rate
    carry = sum_seconds(cable, NUMBER_BYTES[number] * network.num_weights(),
                        num_ranks)
    return compute + carry, compute + max(0.0, carry - compute * 2 / 3)


def even_rows(cable, network, rate, num_ranks):
    """Rows per worker for which the sum takes as long as the evaluation."""
    return rate * sum_seconds(cable, 8 * network.num_weights(), num_ranks)


def measure_rate(build, network, num_threads, num_samples=7):
    """Rows per second at the best moment, which others disturb least."""
    with Worker([build / "mlp_bench", "evaluation", network.layers,
                 network.num_timed_rows, "f64", num_threads]) as worker:
        worker.calibrate(0.1)
        return network.num_timed_rows / min(
            pairs.seconds(worker.run(), "wall") for _ in range(num_samples))


def count_text(value):
    """Three digits that matter, and none below a thousandth."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.001 else "< 0.001"


def long_text(seconds):
    """A time, also one of hours."""
    return f"{count_text(seconds)} s" if seconds >= 1 else time_text(seconds)


def print_evaluations(network, rate, latency):
    """Seconds and speed-up of an evaluation by workers and link."""
    num_bytes = 8 * network.num_weights()
    alone = network.num_rows / rate
    print(f"\n### {network.name}: [{network.layers.replace(',', ', ')}], "
          f"{network.num_weights():,} weights, {network.num_rows:,} rows\n")
    print(f"A worker does {count_text(rate)} rows/s; a sum has "
          f"{size_text(num_bytes)}.\n")
    print("| workers | " + " | ".join(f"{g:g} Gb/s (speed-up)" for g in GIGABITS) + " |")
    print("|---|" + "---|" * len(GIGABITS))
    for num_ranks in WORKERS:
        cells = []
        for gigabits in GIGABITS:
            cable = Cable.of_gigabits(gigabits, latency)
            seconds = evaluation_seconds(cable, network, rate, num_ranks)
            cells.append(f"{long_text(seconds)} ({count_text(alone / seconds)})")
        print(f"| {num_ranks} | " + " | ".join(cells) + " |")
    for num_ranks in (2, 100):
        cells = [count_text(even_rows(Cable.of_gigabits(g, latency), network,
                                      rate, num_ranks)) for g in GIGABITS]
        print(f"| rows per worker where the sum of {num_ranks} is half | "
              + " | ".join(cells) + " |")


def print_steps(network, rate, latency, num_ranks=10):
    """Steps of mini-batches per second."""
    print(f"\n### {network.name}: mini-batches on {num_ranks} workers\n")
    print("| rows per worker | numbers | " + " | ".join(
        f"{g:g} Gb/s, after / during" for g in GIGABITS) + " |")
    print("|---|---|" + "---|" * len(GIGABITS))
    for rows in BATCH_ROWS:
        for number in NUMBER_BYTES:
            cells = []
            for gigabits in GIGABITS:
                cable = Cable.of_gigabits(gigabits, latency)
                cells.append(" / ".join(long_text(s) for s in step_seconds(
                    cable, network, rate, rows, num_ranks, number)))
            print(f"| {rows:,} | {number} | " + " | ".join(cells) + " |")


def write_rows(folder, num_rows):
    """The first of MNIST's test rows; returns the words that name them."""
    paths = []
    for name, header, row in (("images-idx3", 16, 784), ("labels-idx1", 8, 1)):
        with gzip.open(ROOT / "data" / f"t10k-{name}-ubyte.gz") as stream:
            data = stream.read(header + row * num_rows)
        path = folder / f"{name}-ubyte"
        path.write_bytes(data[:4] + struct.pack(">I", num_rows) + data[8:])
        paths.append(path)
    return [str(paths[0]), "--labels", str(paths[1])]


def evaluation_of(answer):
    """Seconds of one evaluation, by what a training says of itself."""
    told = json.loads(answer)
    return told["seconds"] / told["evaluations"]


class Trainings:
    """The same training of two ranks, as threads and over a link."""

    def __init__(self, build, folder, layers, num_rows, num_iterations):
        self.words = [str((build / "mlp").resolve()), "train",
                      *write_rows(folder, num_rows), "--layers", layers,
                      "--scale", "255", "--seed", "1", "--tol", "0",
                      "--max-iter", str(num_iterations), "--json", "--quiet",
                      "--out", str(folder / "model.json")]

    def as_threads(self):
        done = subprocess.run([*self.words, "--ranks", "2", "--threads", "2"],
                              check=True, capture_output=True, text=True)
        return evaluation_of(done.stdout)

    def over(self, link):
        with tempfile.TemporaryDirectory() as meeting:
            processes = [subprocess.Popen(
                link.command(rank, [*self.words, "--threads", "1",
                                    "--rendezvous", meeting, "--rank",
                                    str(rank), "--world-size", "2",
                                    "--address", link.address(rank)]),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True) for rank in range(2)]
            answers = [process.communicate() for process in processes]
        for process, (_, complaint) in zip(processes, answers):
            if process.returncode:
                raise WorkerError(f"mlp train: {complaint.strip()}")
        return evaluation_of(answers[0][0])


def check(build, gigabits, latency, num_rounds):
    """Prints predicted and measured seconds of evaluations over a link."""
    print("| network | rows | as threads | sum, predicted | predicted | "
          "measured | predicted / measured |")
    print("|---|---|---|---|---|---|---|")
    cable = Cable.of_gigabits(gigabits, latency, SHAPED_SHARE)
    with links.Link(gigabits) as link, \
            tempfile.TemporaryDirectory() as name:
        for layers, num_rows in (("784,100,10", 10_000), ("784,100,10", 1000),
                                 ("784,1000,10", 1000)):
            trainings = Trainings(build, pathlib.Path(name), layers, num_rows,
                                  15)
            carry = sum_seconds(
                cable, 8 * Network("", layers, 0, 0).num_weights(), 2)
            rounds = []
            for _ in range(num_rounds):
                rounds.append((trainings.as_threads(),
                               trainings.over(link)))
            print_check(layers, num_rows, carry, rounds)


def print_check(layers, num_rows, carry, rounds):
    """One row: medians, and the range of the rounds' ratios."""
    threads, measured = (pairs.percentile(side, 0.5) for side in zip(*rounds))
    ratios = sorted((alone + carry) / linked for alone, linked in rounds)
    print(f"| [{layers.replace(',', ', ')}] | {num_rows:,} | "
          f"{time_text(threads)} | {time_text(carry)} | "
          f"{time_text(threads + carry)} | {time_text(measured)} | "
          f"{pairs.percentile(ratios, 0.5):.2f} "
          f"({ratios[0]:.2f}..{ratios[-1]:.2f}) |", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench",
                        help="where mlp_bench and mlp were built")
    parser.add_argument("--threads", type=int, default=2,
                        help="of the evaluations that are timed")
    parser.add_argument("--times", type=float, default=1.0,
                        help="how many times faster a worker is than that")
    parser.add_argument("--latency-us", type=float, default=150.0,
                        help="of one step of the ring; bench/goals.py D1 "
                        "measures two of them as the sum of 8 bytes")
    parser.add_argument("--check", action="store_true",
                        help="compare with trainings over a shaped link")
    parser.add_argument("--gigabits", type=float, default=1.0,
                        help="rate of that link, in Gb/s")
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each training of --check runs")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    latency = 1e-6 * arguments.latency_us
    try:
        if arguments.check:
            check(arguments.build, arguments.gigabits, latency,
                  arguments.rounds)
            return 0
        rates = [(network, arguments.times * measure_rate(
            arguments.build, network, arguments.threads))
            for network in NETWORKS]
    except links.NoLink as reason:
        print(f"skipped: {reason}")
        return 77
    except WorkerError as error:
        print(f"bench/scaling.py: {error}", file=sys.stderr)
        return 1
    for network, rate in rates:
        print_evaluations(network, rate, latency)
    for network, rate in rates[1:]:
        print_steps(network, rate, latency)
    return 0


if __name__ == "__main__":
    sys.exit(main())
