# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings of the program on several ranks, as the tests run them."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

# Open MPI refuses root, which containers run tests as, unless told otherwise.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
TIMEOUT_SECONDS = 120


def write_pixels(folder, num_rows=1500, size=28, num_classes=10):
    """Writes random rows of MNIST's shape as two idx files."""
    source = random.Random(1)
    images = folder / "images.idx3-ubyte"
    labels = folder / "labels.idx1-ubyte"
    images.write_bytes(struct.pack(">IIII", 0x803, num_rows, size, size)
                       + source.randbytes(num_rows * size * size))
    labels.write_bytes(struct.pack(">II", 0x801, num_rows) + bytes(
        source.randrange(num_classes) for _ in range(num_rows)))
    return [str(images), "--labels", str(labels)]


def write_parts(data, folder, ranks):
    """Writes a file for each rank, and one with the rows of all.

    The labels are texts. Most rows of the most frequent label are in the last
    file, so the first file alone has another order of the labels.
    """
    header, *rows = (data / "iris.csv").read_text().splitlines()
    rows = [row for row in rows if row.endswith("virginica")][:30] \
        + [row for row in rows if not row.endswith("virginica")]
    random.Random(1).shuffle(rows)
    rows.sort(key=lambda row: row.endswith("setosa"))
    whole = folder / "all.csv"
    whole.write_text("\n".join([header, *rows]) + "\n")
    bounds = [len(rows) * rank // ranks - rank % 2 for rank in range(ranks)]
    for rank, (begin, end) in enumerate(zip(bounds, [*bounds[1:], None])):
        part = folder / f"part-{rank}.csv"
        part.write_text("\n".join([header, *rows[begin:end]]) + "\n")
    return str(whole), str(folder / "part-{rank}.csv")


def write_weighted(data, folder):
    """Writes the digits with a column of weights that are no integers."""
    header, *rows = (data / "digits.csv").read_text().splitlines()
    source = random.Random(1)
    file = folder / "weighted.csv"
    file.write_text("\n".join([
        f"weight,{header}",
        *(f"{source.uniform(0, 3)},{row}" for row in rows)]) + "\n")
    return [str(file), "--weight-col", "weight", "--scale", "16"]


def problems(data, folder):
    """The arguments of each problem: data, layers and preparation."""
    return {
        "iris": [str(data / "iris.csv"), "--layers", "4,5,3",
                 "--standardize"],
        "digits": [str(data / "digits.csv"), "--layers", "64,32,10",
                   "--scale", "16"],
        "weights": write_weighted(data, folder) + ["--layers", "64,16,10"],
        "weighted_numbers": write_weighted(data, folder) + [
            "--layers", "64,16,1", "--task", "regression"],
        "mnist_shape": write_pixels(folder) + ["--layers", "784,30,10",
                                               "--scale", "255"],
    }


SOLVERS = {
    "l-bfgs": ["--max-iter", "8"],
    "gd": ["--solver", "gd", "--max-iter", "8", "--step-size", "0.1"],
    "sgd": ["--solver", "sgd", "--max-iter", "2", "--batch-size", "50"],
    "adam": ["--solver", "adam", "--max-iter", "2", "--batch-size", "50"],
}


def is_missing(transport):
    """Why a transport cannot be tested here, or None."""
    if transport == "mpi" and shutil.which("mpirun") is None:
        return "there is no mpirun"
    return None


def train(program, arguments, ranks, transport, folder, extra=()):
    """Trains and returns the history and each rank's model as a digest."""
    for old in pathlib.Path(folder).glob("model-*.json"):
        old.unlink()
    command = [program, "train", *arguments, "--seed", "7", "--json", "-q",
               "--progress", "never", *extra]
    if transport:
        command += ["--ranks", str(ranks), "--transport", transport]
        model = "model-{rank}.json" if transport != "threads" \
            else "model-0.json"
    else:
        model = "model-0.json"
    command += ["-o", str(pathlib.Path(folder) / model), "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=TIMEOUT_SECONDS,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit {done.returncode}: "
                             f"{done.stderr}")
    models = [hashlib.sha256(file.read_bytes()).hexdigest() for file in
              sorted(pathlib.Path(folder).glob("model-*.json"))]
    return json.loads(done.stdout)["objectiveHistory"], models


def fail(sentence):
    """Ends a test that failed."""
    print(f"test failed: {sentence}")
    sys.exit(1)
