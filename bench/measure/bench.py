# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What every goal needs: the programs, the peers' environment, the canaries.

A goal asks for figures of pairs; everything about noise is decided here and in
pairs.py, so that no goal measures differently from another.
"""
import contextlib
import json
import pathlib
import subprocess
import tempfile

from measure import machine, pairs
from measure.report import FAILED, SKIPPED, VOID, Row, print_row
from measure.workers import Worker, WorkerError

BENCH = pathlib.Path(__file__).resolve().parent.parent  # the folder bench/
SAMPLE_SECONDS = 0.05
SHORT_SAMPLE_SECONDS = 0.001
# What a worker says of a task that its build or its machine does not have.
NOT_HERE = ("precision must be float64", "is not part of this build")


class Bench:
    """One run of the goals."""

    def __init__(self, build, environment, num_pairs, is_short, kernels=None):
        self.build = build
        self.kernels = kernels
        self.num_pairs = 2 if is_short else num_pairs
        self.is_short = is_short
        self.rows = []
        self.canaries = {}
        self.problems = {}
        self.stack = contextlib.ExitStack()
        self.folder = pathlib.Path(
            self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.python = environment / "bin" / "python"
        self.packages = self.find_packages()
        described = subprocess.run([*self.own_tasks(), "describe"],
                                   check=True, capture_output=True)
        self.machine = machine.describe(json.loads(described.stdout))
        if kernels:
            self.machine["kind"] += "-" + kernels.lower().replace("-", "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def program(self, name):
        """A program of the build."""
        return self.build / name

    def own_tasks(self):
        """The program with our tasks, and the kernels that it measures."""
        kernels = ["--kernels", self.kernels] if self.kernels else []
        return [self.program("mlp_bench"), *kernels]

    def find_packages(self):
        """The versions of what the environment has, by package."""
        if not self.python.exists():
            return {}
        code = ("import importlib.metadata as m, json; print(json.dumps("
                "{d.metadata['Name'].lower(): d.version "
                "for d in m.distributions()}))")
        done = subprocess.run([self.python, "-c", code], check=True,
                              capture_output=True)
        return json.loads(done.stdout)

    def worker(self, *arguments, seconds=SAMPLE_SECONDS, environment=None):
        """One of our own tasks, warm."""
        return self.started([*self.own_tasks(), *arguments], seconds,
                            environment)

    def peer(self, script, *arguments, seconds=SAMPLE_SECONDS,
             environment=None):
        """A peer's task, warm."""
        return self.started(
            [self.python, BENCH / "peers" / script, *arguments], seconds,
            environment)

    def started(self, command, seconds, environment=None):
        """A worker that knows how many repeats a sample takes."""
        worker = Worker(command, environment)
        try:
            worker.calibrate(SHORT_SAMPLE_SECONDS if self.is_short else seconds)
        except WorkerError:
            worker.close()
            raise
        return worker

    def bound(self, avx512, others):
        """What a goal must reach with the kernels of this machine."""
        return avx512 if self.machine["kernels"] == "AVX-512" else others

    def canary(self, precision, num_threads):
        """The canary of that kind; it stays for the whole run."""
        key = (precision, num_threads)
        if key not in self.canaries:
            self.canaries[key] = self.stack.enter_context(Worker(
                [self.program("mlp_bench"), "fma_peak", precision, num_threads]))
        return self.canaries[key]

    def problem(self, layers, num_instances):
        """The folder of a problem's arrays, for peers."""
        key = (layers, num_instances)
        if key not in self.problems:
            folder = self.folder / f"problem{len(self.problems)}"
            folder.mkdir()
            subprocess.run([self.program("mlp_bench"), "write_problem", layers,
                            str(num_instances), folder], check=True)
            self.problems[key] = folder
        return self.problems[key]

    def measure(self, ours, peer=None, precision="f64", num_threads=1):
        """Runs the pairs."""
        return pairs.run_pairs(self.canary(precision, num_threads), ours, peer,
                               self.num_pairs)

    def add(self, row):
        """Judges a row, prints it and keeps it."""
        self.rows.append(row.judge(self.is_short))
        print_row(row)

    def skip(self, goal, what, why):
        """Notes that nothing was measured."""
        self.add(Row(goal, what, verdict=SKIPPED, why=why))

    def void(self, row, measured, precision):
        """Refuses a row whose sides did not do the same work."""
        for pair in measured:
            why = pairs.disagreement(pair.ours, pair.peer, precision)
            if why:
                row.verdict, row.why = VOID, why
                return

    def draw(self, script, results, out):
        """Draws in the environment that has matplotlib, if there is one."""
        if "matplotlib" not in self.packages:
            print(f"no {out.name}: matplotlib is not installed")
            return
        subprocess.run([self.python, BENCH / script, results, out], check=True)
        print(f"wrote {out}")

    @contextlib.contextmanager
    def guarded(self, goal, what):
        """Turns a worker's failure into a row, so that other goals go on."""
        try:
            yield
        except WorkerError as error:
            if any(word in str(error) for word in NOT_HERE):
                self.skip(goal, what, str(error))
            else:
                self.add(Row(goal, what, verdict=FAILED, why=str(error)))
