#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Gives each flag of train to each solver: it must change the result, be refused
or be noted, so that no flag has no effect without a word.

    flag_effects.py build/mlp
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SOLVERS = ["l-bfgs", "gd", "sgd", "adam", "adamw"]

# Each flag with its value, and what else it needs; it is also given without.
# {model} is a model of the same network, {files} a folder for outputs.
CASES = {
    "layers": ["4,6,3"],
    "max-iter": ["3"],
    "tol": ["0.5"],
    "block-size": ["7"],
    "step-size": ["0.05"],
    "seed": ["7"],
    "initial-weights": ["{model}"],
    "thresholds": ["0.9,0.05,0.05"],
    "task": ["regression --layers 5,5,1"],
    "numeric-encoding": ["quantile:4"],
    "activation": ["relu"],
    "init": ["he-normal"],
    "residual": [""],
    "batch-norm": [""],
    "dropout": ["0.3"],
    "reg-param": ["0.1"],
    "class-weights": ["1,2,3"],
    "label-smoothing": ["0.1"],
    "clip-norm": ["0.001"],
    "clip-value": ["0.001"],
    "patience": ["1", "--validation", "0.3", "--step-size", "100",
                 "--max-iter", "40"],
    "history-size": ["1"],
    "gradient-tol": ["0.01"],
    "batch-size": ["16"],
    "momentum": ["0.9"],
    "nesterov": ["", "--momentum", "0.9"],
    "beta1": ["0.5"],
    "beta2": ["0.9"],
    "epsilon": ["0.1"],
    "in-order": [""],
    "shuffle": ["slabs"],
    "stall-epochs": ["1", "--tol", "10"],
    "schedule": ["cosine"],
    "freeze": ["1"],
    "preset": ["modern"],
    "label": ["other"],
    "weight-col": ["weight --layers 4,5,3"],
    "group": ["other --layers 4,5,3", "--split", "0.7,0.3"],
    "partitions": ["7"],
    "partition-sizes": ["10,50"],
    "split": ["0.7,0.3"],
    "stratify": ["", "--split", "0.7,0.3"],
    "write-split": ["{files}/part", "--split", "0.7,0.3"],
    "folds": ["3"],
    "interval": ["0.9"],
    "coverage": ["0.9"],
    "validation": ["0.3"],
    "warm-start": ["{model}"],
    "checkpoint": ["{files}/state", "--checkpoint-every", "1"],
    "checkpoint-every": ["1", "--checkpoint", "{files}/state"],
    "resume": ["", "--checkpoint", "{files}/state"],
    "history": ["{files}/history.csv"],
    "standardize": [""],
    "scale": ["2"],
    "seed-hash": ["2"],
    "precision": ["float32"],
    "out": ["{files}/other.json"],
}

# What the other flags say about, and not about the solver.
ELSEWHERE = {
    "how data are read": ["labels", "header", "features", "ignore",
                          "delimiter", "decimal", "na", "missing", "one-hot", "label-kind",
                          "unknown"],
    "how ranks work together": [
        "ranks", "transport", "rendezvous", "rank", "world-size", "address",
        "reproducible", "rank-timeout", "exchange-plan", "wire", "autotune",
        "timeline"],
    "where it computes, which never changes a result": [
        "threads", "backend", "device", "device-memory", "memory", "cache-dir"],
    "what is printed, and the exit code": ["strict", "json", "quiet", "verbose", "progress", "help",
                        "version"],
    "the product of this test": ["solver"],
    "the preset modern, which --layers leaves": ["no-standardize", "effort"],
    "what is refused, and the preset modern": ["for"],
    "networks of two classes": ["one-output"],
    "an older checkpoint, which there is none of here": ["force"],
}

# What a note says instead of the name of the flag.
NOTES = {"resume": "training starts from the beginning"}

failures = []


def write_data(path):
    """Writes rows of three classes that no solver separates at once."""
    source = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b,c,weight,other,label\n")
        for row in range(60):
            label = row % 3
            numbers = [f"{source.gauss(label, 1.0):.3f}" for _ in range(3)]
            file.write(",".join([*numbers, f"{source.uniform(0.5, 2):.2f}",
                                 str(source.randrange(3)), str(label)]) + "\n")


class Runs:
    """Runs the program on the same rows."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.results = {}
        write_data(folder / "rows.csv")
        self.run(("--solver", "l-bfgs"))
        os.rename(folder / "m.json", folder / "first.json")

    def fill(self, words):
        """Replaces the names of files."""
        return [word.format(model=self.folder / "first.json",
                            files=self.folder / "files") for word in words]

    def run(self, flags):
        """Returns exit code, messages, and all results but the times."""
        if flags in self.results:
            return self.results[flags]
        files = self.folder / "files"
        files.mkdir(exist_ok=True)
        for old in files.iterdir():
            old.unlink()
        model = self.folder / "m.json"
        model.unlink(missing_ok=True)
        words = [self.program, "train", str(self.folder / "rows.csv"),
                 "--json", *self.fill(flags)]
        for name, value in (("--layers", "5,5,3"), ("--max-iter", "6"),
                            ("--out", str(model))):
            if name not in flags:
                words += [name, value]
        done = subprocess.run(words, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        report = {}
        if done.stdout:
            report = json.loads(done.stdout)
            for name in ("seconds", "model"):
                report.pop(name, None)
        saved = model.read_bytes() if model.exists() else None
        result = (done.returncode, done.stderr, report, saved,
                  sorted(file.name for file in files.iterdir()))
        self.results[flags] = result
        return result


def judge(runs, flag, given, others, solver):
    """Compares a training with and without a flag."""
    base = runs.run(("--solver", solver, *others))
    if base[0] == 2:
        return  # what the flag needs is refused with this solver
    code, messages, *results = runs.run(("--solver", solver, *given, *others))
    name = f"--{flag}"
    note = NOTES.get(flag, name)
    is_noted = note in messages and note not in base[1]
    if code == 2:
        outcome = "is refused" if name in messages else ""
    elif code in (0, 5) and results != list(base[2:]):
        outcome = "changes the result"
    else:
        outcome = "is noted" if is_noted else ""
    if not outcome:
        failures.append(f"--{flag} has no effect with --solver {solver} "
                        f"{' '.join(others)}, or fails without its name: exit "
                        f"{code}: {messages}")


def main():
    """Goes over all flags that the help lists."""
    program = str(pathlib.Path(sys.argv[1]).resolve())
    text = subprocess.run([program, "train", "--help"], capture_output=True,
                          text=True, check=True).stdout
    flags = re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", text, re.MULTILINE)
    known = set(CASES) | {flag for group in ELSEWHERE.values()
                          for flag in group}
    failures.extend(f"--{flag} is in no list of this test: add it"
                    for flag in flags if flag not in known)
    if len(flags) < 40:
        failures.append(f"the help lists only {len(flags)} flags")
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(program, pathlib.Path(name))
        for flag in flags:
            if flag not in CASES:
                continue
            value, *others = CASES[flag]
            given = [f"--{flag}", *value.split()]
            for solver in SOLVERS:
                for needs in {(), tuple(others)}:
                    judge(runs, flag, given, needs, solver)
    print(f"{len(flags)} flags, {len(failures)} findings")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
