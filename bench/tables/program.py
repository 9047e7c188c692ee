# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The program mlp as one that trains on a table and predicts."""
import csv
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import measure
import tables


class Program:
    """`mlp train` with flags, then `mlp predict`: the processor time is that of both
    processes, with the reading of the files."""

    def __init__(self, path, flags):
        self.path = os.path.abspath(path)
        self.flags = list(flags)

    def version(self):
        """Changes with each build and with the flags."""
        digest = hashlib.sha256(pathlib.Path(self.path).read_bytes()).hexdigest()
        return " ".join(["mlp", digest[:12], *self.flags])

    def load(self):
        """Nothing to import."""

    def train(self, table, train_rows, test_rows, seed):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tables.write(folder / "train.csv", train_rows)
            tables.write(folder / "test.csv", test_rows)
            start = measure.cpu_seconds()
            report = json.loads(self._run(
                "train", folder / "train.csv", "--label", "label", "--task", table.task,
                "--seed", seed, "--threads", "1", "-o", folder / "model.json", "--json",
                *self.flags))
            predicted = self._predict(table, folder)
            return predicted, {"cpuSeconds": measure.cpu_seconds() - start,
                               **details_of(report, len(train_rows))}

    def _predict(self, table, folder):
        """Returns the probabilities of each row, or its number."""
        files = folder / "model.json", folder / "test.csv", "--threads", "1"
        if table.is_regression:
            text = self._run("predict", *files, "--output", "prediction")
            return [float(row[0]) for row in list(csv.reader(text.splitlines()))[1:]]
        text = self._run("predict", *files, "--output", "probability",
                         "--format", "jsonl")
        found = [json.loads(line)["probability"] for line in text.splitlines()]
        return [[row[label] for label in table.classes] for row in found]

    def _run(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True,
                              text=True, check=False)
        if done.returncode == -signal.SIGXCPU:
            os.kill(os.getpid(), signal.SIGXCPU)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return done.stdout


def details_of(report, num_rows):
    """What only mlp reports: a multiplication is one of a weight by a value, forward."""
    layers = report["layers"]
    weights = sum((size + 1) * following for size, following in zip(layers, layers[1:]))
    counted = report.get("multiplications",
                         report.get("evaluations", 0) * weights * num_rows)
    return {"multiplications": counted, "encoding": report.get("numericEncoding", ""),
            "layers": layers}
