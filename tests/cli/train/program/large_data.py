#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on data that are larger than the memory of a control group, and compares the models.

The data are an array of float32 numbers in a .npy file, which become float64 numbers: the
program needs a file of twice its size for them. The model must be that of a training
in memory, and the program must not need more anonymous memory than a part of the limit: files
that the system keeps in memory count too, up to the limit, but can be dropped.

Usage: large_data.py PROGRAM [--size GB] [--limit MB] [--solvers NAME...] [--folder FOLDER]
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from array import array

NUM_FEATURES = 784
NUM_CLASSES = 10
BLOCK = 500  # rows that are repeated with other first numbers


def write_data(folder, num_bytes):
    """Writes rows that take so many bytes as float64, many of whose numbers are 0, and their
    labels, and returns the files."""
    num_rows = num_bytes // (8 * NUM_FEATURES) // BLOCK * BLOCK
    source = random.Random(1)
    block = array("f", [0.0]) * (NUM_FEATURES * BLOCK)
    for i in range(len(block)):
        if source.random() < 0.3:
            block[i] = source.random()
    features, labels = folder / "x.npy", folder / "y.npy"
    with open(features, "wb") as file:
        file.write(npy_header("<f4", f"({num_rows}, {NUM_FEATURES})"))
        for first in range(0, num_rows, BLOCK):
            for row in range(BLOCK):
                block[row * NUM_FEATURES] = (first + row) / num_rows
            file.write(block.tobytes())
    with open(labels, "wb") as file:
        file.write(npy_header("|u1", f"({num_rows},)"))
        file.write(bytes((7 * row + row // BLOCK) % NUM_CLASSES for row in range(num_rows)))
    return features, labels


def npy_header(kind, shape):
    """Returns the start of a .npy file of version 1."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


class ControlGroup:
    """A control group with a limit of its memory, version 1 or 2."""

    def __init__(self, limit):
        name = f"mlp-large-data-{os.getpid()}"
        first = pathlib.Path("/sys/fs/cgroup/memory")
        root = first if first.is_dir() else pathlib.Path("/sys/fs/cgroup")
        self.folder = root / name
        self.folder.mkdir()
        try:
            file = "memory.limit_in_bytes" if root == first else "memory.max"
            (self.folder / file).write_text(str(limit))
        except OSError:
            self.folder.rmdir()
            raise

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def close(self):
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.folder.rmdir()
                return
            time.sleep(0.1)


def anonymous_bytes(process):
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return 1024 * int(line.split()[1])
    return 0


def train(command, group=None):
    """Trains, and returns the messages, the seconds and the most anonymous memory."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, preexec_fn=group.enter if group else None)
    most = 0
    while process.poll() is None:
        most = max(most, anonymous_bytes(process.pid))
        time.sleep(0.02)
    messages = process.stderr.read()
    if process.returncode != 0:
        sys.exit(f"large_data: exit code {process.returncode}: {messages}")
    return messages, time.monotonic() - begin, most


def weights_of(model):
    content = json.loads(model.read_text())
    return content["weights"] if "weights" in content else content["network"]["weights"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--size", type=float, default=2.0, help="of the features in GB")
    parser.add_argument("--limit", type=float, default=256.0, help="of the memory in MB")
    parser.add_argument("--solvers", nargs="+", default=["l-bfgs", "adam"])
    parser.add_argument("--folder", help="on a disk")
    options = parser.parse_args()
    limit = int(options.limit * 1e6)
    try:
        group = ControlGroup(limit)
    except OSError as error:
        print(f"test skipped: a control group of memory cannot be made: {error}")
        return
    # The array, and the file of the program.
    needed = 1.7e9 * options.size
    free = shutil.disk_usage(options.folder or tempfile.gettempdir()).free
    if free < needed:
        print(f"test skipped: {needed / 1e9:.1f} GB of disk are needed, {free / 1e9:.1f} are free")
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name, contextlib.closing(group):
        folder = pathlib.Path(name)
        features, labels = write_data(folder, int(options.size * 1e9))
        for solver in options.solvers:
            model = folder / "model.json"
            command = [options.program, "train", features, "--labels", labels, "--layers",
                       "784,32,10", "--seed", "1", "--solver", solver, "--max-iter",
                       "3" if solver == "l-bfgs" else "1", "--out", model]
            if solver != "l-bfgs":
                command += ["--shuffle", "slabs"]
            messages, seconds, most = train(command, group)
            within = weights_of(model)
            print(f"{solver}: {options.size:g} GB within {options.limit:g} MB: {seconds:.1f} s, "
                  f"at most {most / 1e6:.0f} MB of anonymous memory")
            if "the features are kept in a file" not in messages:
                sys.exit(f"large_data: expected features in a file, got: {messages}")
            if most > 0.8 * limit:
                sys.exit("large_data: expected at most 80 % of the limit")
            messages, seconds, most = train(command)
            print(f"{solver}: without a limit: {seconds:.1f} s, {most / 1e6:.0f} MB")
            if "the features are kept in a file" in messages:
                print(f"test skipped: {options.size:g} GB are not read into memory here")
                return
            if weights_of(model) != within:
                sys.exit("large_data: the models differ")


if __name__ == "__main__":
    main()
