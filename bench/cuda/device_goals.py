#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the goals on an NVIDIA device: A6, A7 and B5.

    bench/cuda/device_goals.py            all goals; "A6 B5" means these two
    bench/cuda/device_goals.py --save     also writes bench/results/<device>.json
    bench/cuda/device_goals.py --short    checks that every benchmark works

Each sample has, in one process and in turn, the rate of a copy, the matrix products
of one evaluation by the fastest algorithms of cuBLASLt, the evaluation, and an
iteration of L-BFGS. PyTorch is a second process; the two run in turn. A sample
whose products took 3 % more or less than the median is dropped: the clock of the
device has moved.
"""
import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BENCH))

from measure import report  # noqa: E402
from measure.pairs import percentile, seconds  # noqa: E402
from measure.report import (  # noqa: E402
    FAILED, SKIPPED, VOID, Row, print_row, time_text)
from measure.workers import Worker, WorkerError  # noqa: E402

MNIST = "784,100,10"
DEEP = "784,2500,2000,1500,1000,500,10"
NUM_ROWS = 60000
SHORT_ROWS = 512
SAMPLE_SECONDS = 0.2
MAX_CANARY_MOVE = 0.03
NO_DEVICE = 77

# How far the two sides may differ in loss and gradient, relatively.
AGREEMENT = {"f64": 1e-10, "f32": 1e-4, "tf32": 1e-2, "bf16": 5e-2}
FEATURE_BYTES = {"f64": 8, "f32": 4, "tf32": 4, "bf16": 2}


class NoDevice(Exception):
    """This machine has no device."""


class DeviceBench:
    """One run of the goals."""

    def __init__(self, build, python, num_samples, is_short, results):
        self.program = build / "mlp_cuda_bench"
        self.python = python
        self.num_samples = 2 if is_short else num_samples
        self.is_short = is_short
        self.results = results
        self.rows = []
        self.samples = {}
        self.problems = {}
        self.machine = self.describe()
        self.has_torch = self.finds_torch()
        self.stack = contextlib.ExitStack()
        self.folder = pathlib.Path(
            self.stack.enter_context(tempfile.TemporaryDirectory()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def describe(self):
        """What the figures belong to."""
        if not self.program.exists():
            raise NoDevice(f"{self.program} is not built; it needs cuBLASLt")
        done = subprocess.run([self.program, "describe"], text=True,
                              capture_output=True)
        if done.returncode == NO_DEVICE:
            raise NoDevice(done.stderr.strip())
        done.check_returncode()
        device = json.loads(done.stdout)
        kind = re.sub(r"[^a-z0-9]+", "-", device["device"].lower()).strip("-")
        return {"kind": kind, "cpu": device["device"], **device,
                "nvidia_driver": query("driver_version"),
                "clocks_before": clocks()}

    def finds_torch(self):
        """Whether PyTorch is installed and has the device."""
        code = "import torch, sys; sys.exit(not torch.cuda.is_available())"
        with contextlib.suppress(OSError):
            done = subprocess.run([self.python, "-c", code], capture_output=True)
            return done.returncode == 0
        return False

    def num_rows(self):
        return SHORT_ROWS if self.is_short else NUM_ROWS

    def problem(self, layers):
        """The folder of the arrays of a problem, for PyTorch."""
        if layers not in self.problems:
            folder = self.folder / f"problem{len(self.problems)}"
            folder.mkdir()
            subprocess.run([self.program, "write_problem", layers,
                            str(self.num_rows()), folder], check=True)
            self.problems[layers] = folder
        return self.problems[layers]

    def worker(self, *arguments):
        """One of our own tasks, warm."""
        return self.started([self.program, *map(str, arguments)])

    def peer(self, layers, precision, mode):
        """PyTorch, warm."""
        return self.started([self.python,
                             BENCH / "peers" / "torch_device_peer.py",
                             self.problem(layers), layers, precision, mode])

    def started(self, command):
        worker = Worker(command)
        try:
            worker.calibrate(0.001 if self.is_short else SAMPLE_SECONDS)
        except WorkerError:
            worker.close()
            raise
        return worker

    def measured(self, layers, precision):
        """The samples of an evaluation; each shape is measured once."""
        key = (layers, precision)
        if key not in self.samples:
            with self.worker("evaluation", layers, self.num_rows(),
                             precision) as ours:
                self.samples[key] = [ours.run() for _ in range(self.num_samples)]
        return self.samples[key]

    def add(self, row):
        """Judges a row, prints it and keeps it."""
        self.rows.append(row.judge(self.is_short))
        print_row(row)
        self.save()

    def save(self, folder="partial"):
        """Writes the rows so far, so that a run that is stopped leaves them."""
        self.machine["clocks_after"] = clocks()
        if self.results:
            return report.save(self.rows, self.machine, self.results / folder)
        return None

    @contextlib.contextmanager
    def guarded(self, goal, what):
        """Turns the failure of a worker into a row, so that others go on."""
        try:
            yield
        except WorkerError as error:
            is_skipped = "do not fit on the device" in str(error)
            self.add(Row(goal, what, verdict=SKIPPED if is_skipped else FAILED,
                         why=str(error)))


def clocks():
    """The clocks of multiprocessors and memory, and the temperature."""
    return query("clocks.sm,clocks.mem,temperature.gpu")


def query(names):
    """What nvidia-smi says, if it is there."""
    with contextlib.suppress(OSError):
        done = subprocess.run(
            ["nvidia-smi", f"--query-gpu={names}", "--format=csv,noheader"],
            text=True, capture_output=True)
        if done.returncode == 0:
            return done.stdout.splitlines()[0].strip()
    return "unknown"


def each(sample, name):
    """The seconds of one piece of work of a sample."""
    return (seconds(sample, "wall") if name == "evaluation"
            else sample[name] / sample["repeats"])


def quiet(samples):
    """The samples during which the device kept its clock."""
    middle = percentile([each(s, "products") for s in samples], 0.5)
    return [s for s in samples
            if abs(each(s, "products") - middle) <= MAX_CANARY_MOVE * middle]


def ratio_row(goal, what, bound, is_least, samples, ours, peer):
    """The row of a ratio of two seconds; both are functions of a sample.

    At least: the peer's time over ours. At most: ours over the peer's.
    """
    kept = quiet(samples)
    row = Row(goal, what, bound, is_least, "x", num_pairs=len(samples))
    row.values = [peer(s) / ours(s) if is_least else ours(s) / peer(s)
                  for s in kept]
    shown = kept or samples
    row.ours = time_text(percentile([ours(s) for s in shown], 0.5))
    row.peer = time_text(percentile([peer(s) for s in shown], 0.5))
    row.data = {"copy_bytes_per_second": percentile(
        [s["copy_bytes_per_second"] for s in shown], 0.5)}
    return row


def add_products_row(bench, goal, layers, precision, bound, is_least):
    """An evaluation against its matrix products alone."""
    what = f"{precision} evaluation against its products by cuBLASLt"
    with bench.guarded(goal, what):
        samples = bench.measured(layers, precision)
        bench.add(ratio_row(goal, what, bound, is_least, samples,
                            lambda s: each(s, "evaluation"),
                            lambda s: each(s, "products")))


def run_a6(bench):
    for precision, bound in (("f64", 0.92), ("tf32", 0.80), ("bf16", 0.80)):
        add_products_row(bench, "A6", DEEP, precision, bound, True)


def floor_seconds(bench, sample, precision):
    """The products, or the features once at the rate of a copy."""
    num_bytes = 784 * bench.num_rows() * FEATURE_BYTES[precision]
    return max(each(sample, "products"),
               num_bytes / sample["copy_bytes_per_second"])


def run_a7(bench):
    add_products_row(bench, "A7", MNIST, "f64", 1.2, False)
    what = "tf32 evaluation against its products, or X once"
    with bench.guarded("A7", what):
        bench.add(ratio_row("A7", what, 1.6, False,
                            bench.measured(MNIST, "tf32"),
                            lambda s: each(s, "evaluation"),
                            lambda s: floor_seconds(bench, s, "tf32")))
    add_torch_row(bench, "A7", "eager", "evaluation", 3.0)
    add_torch_row(bench, "A7", "graph", "evaluation", 2.0)


def add_torch_row(bench, goal, mode, name, bound):
    """An evaluation or an iteration against PyTorch, in TF32."""
    title = {"eager": "PyTorch", "graph": "PyTorch in a CUDA graph",
             "lbfgs": "torch.optim.LBFGS"}[mode]
    what = f"tf32 {name} against {title}"
    if not bench.has_torch:
        bench.add(Row(goal, what, bound, True, "x", verdict=SKIPPED,
                      why="PyTorch with CUDA is not installed"))
        return
    with bench.guarded(goal, what), \
            bench.worker("evaluation", MNIST, bench.num_rows(),
                         "tf32") as ours, \
            bench.peer(MNIST, "tf32", mode) as peer:
        samples = []
        for _ in range(bench.num_samples):
            sample = ours.run()
            sample["torch"] = peer.run()
            samples.append(sample)
        row = ratio_row(goal, what, bound, True, samples,
                        lambda s: each(s, name), lambda s: torch_seconds(
                            s["torch"]))
        row.why = disagreement(samples[-1], samples[-1]["torch"], "tf32") or ""
        if row.why:
            row.verdict = VOID
        bench.add(row)


def torch_seconds(sample):
    """The seconds of one evaluation, or of one iteration of a step."""
    return seconds(sample, "wall") / sample.get("iterations", 1)


def disagreement(ours, peer, precision):
    """The sentence on the first figure that differs by too much, or None."""
    for name in ("loss", "gradient_norm"):
        if name in peer and not (abs(ours[name] - peer[name])
                                 <= AGREEMENT[precision] * abs(peer[name])):
            return f"{name} differs: {ours[name]} and {peer[name]}"
    return None


def run_b5(bench):
    for precision, bound in (("f64", 1.3), ("tf32", 1.6)):
        what = f"{precision} iteration of L-BFGS against its evaluation"
        with bench.guarded("B5", what):
            bench.add(ratio_row("B5", what, bound, False,
                                bench.measured(MNIST, precision),
                                lambda s: each(s, "iteration"),
                                lambda s: each(s, "evaluation")))
    add_torch_row(bench, "B5", "lbfgs", "iteration", 10.0)


GOALS = {"A6": run_a6, "A7": run_a7, "B5": run_b5}


def parse_arguments():
    root = BENCH.parent
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goals", nargs="*", metavar="GOAL",
                        help="A6, A7 or B5; all without any")
    parser.add_argument("--build", type=pathlib.Path,
                        default=root / "build-cuda",
                        help="where mlp_cuda_bench was built")
    parser.add_argument("--python", default=sys.executable,
                        help="a Python with PyTorch")
    parser.add_argument("--samples", type=int, default=20,
                        help="of each goal, at least 1")
    parser.add_argument("--short", action="store_true",
                        help="check that every bench works; judge no time")
    parser.add_argument("--save", action="store_true",
                        help="write bench/results/")
    parser.add_argument("--results", type=pathlib.Path,
                        default=BENCH / "results", help="where --save writes")
    arguments = parser.parse_args()
    if arguments.samples < 1:
        parser.error(f"--samples must be at least 1; got {arguments.samples}")
    arguments.build = arguments.build.resolve()
    if arguments.save:
        arguments.results.mkdir(parents=True, exist_ok=True)
    for name in arguments.goals:
        if name not in GOALS:
            parser.error(f"there is no goal {name}; expected {' '.join(GOALS)}")
    return arguments


def main():
    arguments = parse_arguments()
    try:
        bench = DeviceBench(arguments.build, arguments.python,
                            arguments.samples, arguments.short,
                            arguments.results if arguments.save else None)
    except NoDevice as error:
        print(error)
        return NO_DEVICE
    with bench:
        print(f"{bench.machine['device']}, driver {bench.machine['driver']}, "
              f"clocks {bench.machine['clocks_before']}")
        for name in arguments.goals or GOALS:
            GOALS[name](bench)
        path = bench.save("")
        if path:
            print(f"wrote {path}")
    return 1 if any(row.verdict in (FAILED, VOID) for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
