#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Two machines of one network, made of two network namespaces and a cable.

    sudo bench/links.py --build build-bench            sums over 1 Gb/s
    sudo bench/links.py --gigabits 10 --bytes 1000000

Both ends of the cable send no faster than asked for (a token bucket), so that a
sum over it takes what it takes between two machines, less the latency of real
switches. Prints our sum beside Gloo's own call, and beside the least time that
the bytes of a ring need. Needs root; all is gone afterwards, also where it
failed.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from measure import pairs
from measure.report import time_text
from measure.workers import Worker, WorkerError

ROOT = pathlib.Path(__file__).resolve().parent.parent
BURST_BYTES = 256 * 1024


class NoLink(Exception):
    """Why this machine cannot have namespaces with a shaped cable."""


def ring_bytes(num_bytes, num_ranks=2):
    """What each rank of a ring sends: Patarasuk and Yuan 2009, section 3."""
    return 2 * (num_ranks - 1) / num_ranks * num_bytes


class Link:
    """Two namespaces joined by a cable.

    A rate of None leaves the cable as fast as the machine copies.
    """

    def __init__(self, gigabits):
        self.gigabits = gigabits
        self.names = [f"mlp-{os.getpid()}-{side}" for side in ("left", "right")]
        self.addresses = ["10.249.17.1", "10.249.17.2"]

    def __enter__(self):
        if os.geteuid() != 0:
            raise NoLink("namespaces need root")
        for tool in ("ip", "tc"):
            if shutil.which(tool) is None:
                raise NoLink(f"the program {tool} is missing")
        # A signal to end is an exception from here on, so that __exit__ runs.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self):
        left, right = self.names
        for name in self.names:
            self.do("ip", "netns", "add", name)
        self.do("ip", "link", "add", "cable", "netns", left, "type", "veth",
                "peer", "name", "cable", "netns", right)
        for name, address in zip(self.names, self.addresses):
            self.do("ip", "-n", name, "addr", "add", f"{address}/24", "dev",
                    "cable")
            for device in ("lo", "cable"):
                self.do("ip", "-n", name, "link", "set", device, "up")
            if self.gigabits is None:
                continue
            self.do("tc", "-n", name, "qdisc", "add", "dev", "cable", "root",
                    "tbf", "rate", f"{self.gigabits}gbit", "burst",
                    str(BURST_BYTES), "latency", "50ms")

    def remove(self):
        """Takes the cable away together with its ends."""
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True,
                           check=False)

    @staticmethod
    def do(*command):
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise NoLink(f"{' '.join(command[:4])}: {done.stderr.strip()}")

    def command(self, rank, words):
        """The command that runs in the namespace of that rank."""
        return ["ip", "netns", "exec", self.names[rank], *words]

    def address(self, rank):
        """Where the other rank reaches that rank."""
        return self.addresses[rank]


class LinkedSums:
    """Sums of two ranks over a link; rank 0 is asked, as any worker is."""

    def __init__(self, link, program, side, num_bytes):
        self.folder = tempfile.TemporaryDirectory(prefix="mlp-bench-")

        def command(rank):
            return link.command(rank, [str(program), "gloo", side,
                                       str(num_bytes), self.folder.name,
                                       str(rank), link.address(rank)])
        self.other = subprocess.Popen(command(1), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        try:
            self.worker = Worker(command(0))
        except WorkerError:
            self.end_other()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.worker.close()
        self.end_other()

    def end_other(self):
        try:
            self.other.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.other.kill()
            self.other.wait()
        self.folder.cleanup()

    def calibrate(self, seconds):
        self.worker.calibrate(seconds)

    def run(self):
        return self.worker.run()


def least_seconds(num_bytes, gigabits):
    """What the bytes of a ring of two need at the rate of the link."""
    return ring_bytes(num_bytes) / (gigabits * 1e9 / 8)


def measure(link, program, num_bytes, num_pairs, seconds=0.3):
    """Samples of our sums and of Gloo's own, in turn."""
    with LinkedSums(link, program, "ours", num_bytes) as ours, \
            LinkedSums(link, program, "raw", num_bytes) as raw:
        for side in (ours, raw):
            side.calibrate(seconds)
        return [(ours.run(), raw.run()) for _ in range(num_pairs)]


def report_line(num_bytes, gigabits, samples):
    """What the samples of one size say."""
    medians = [(o["median_seconds"], r["median_seconds"]) for o, r in samples]
    ours = pairs.percentile([o for o, _ in medians], 0.5)
    raw = pairs.percentile([r for _, r in medians], 0.5)
    ratios = [o / r for o, r in medians]
    low, middle, high = (pairs.percentile(ratios, s) for s in (0.1, 0.5, 0.9))
    least = least_seconds(num_bytes, gigabits)
    return {"bytes": num_bytes, "gigabits": gigabits, "pairs": len(samples),
            "ours_seconds": ours, "raw_seconds": raw, "least_seconds": least,
            "ours_by_raw": middle, "p10": low, "p90": high,
            "ours_by_least": ours / least, "raw_by_least": raw / least}


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-bench",
                        help="where mlp_allreduce_bench was built")
    parser.add_argument("--gigabits", type=float, default=1.0,
                        help="rate of the link, in Gb/s")
    parser.add_argument("--bytes", type=int, nargs="+",
                        default=[636_080, 1_000_000, 8_000_000, 10_000_000],
                        help="sizes of the sums")
    parser.add_argument("--pairs", type=int, default=9, help="per size")
    parser.add_argument("--json", action="store_true",
                        help="one JSON object per line")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    program = (arguments.build / "mlp_allreduce_bench").resolve()
    try:
        with Link(arguments.gigabits) as link:
            for num_bytes in arguments.bytes:
                samples = measure(link, program, num_bytes, arguments.pairs)
                line = report_line(num_bytes, arguments.gigabits, samples)
                if arguments.json:
                    print(json.dumps(line), flush=True)
                    continue
                print(f"{num_bytes:>11,} bytes at {arguments.gigabits:g} Gb/s: "
                      f"ours {time_text(line['ours_seconds'])}, Gloo "
                      f"{time_text(line['raw_seconds'])}, ratio "
                      f"{line['ours_by_raw']:.3f} ({line['p10']:.3f}.."
                      f"{line['p90']:.3f}), {line['ours_by_least']:.3f} and "
                      f"{line['raw_by_least']:.3f} of the least", flush=True)
    except NoLink as reason:
        print(f"skipped: {reason}")
        return 77
    except WorkerError as error:
        print(f"bench/links.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
