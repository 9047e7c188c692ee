#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the order in which the program puts models and checkpoints on the disk.

A power failure cannot be made in a test, but the order of the calls can be
seen: the bytes of a new file must be on the disk before it gets its name, and
the name before the program goes on. The program is also killed before and after
each of these calls: one whole generation must always be there, and the next run
must leave no temporary file.

Usage: order_on_disk.py PROGRAM LIBRARY DATA_FOLDER
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile

TEMPORARY = "TEMPORARY"
SAVE = [f"fsync file {TEMPORARY}", f"rename {TEMPORARY} m.json", "fsync folder"]
CHECKPOINT = [
    f"fsync file {TEMPORARY}",
    "rename state state.previous",  # fails the first time
    f"rename {TEMPORARY} state",
    "fsync folder"]
NUM_ITERATIONS = 3
CHECKPOINTS = ["--checkpoint", "state", "--checkpoint-every", "1", "--resume"]
OLD_SEED, NEW_SEED = "1", "2"


class Trainings:
    """Trains tiny models in folders of their own."""

    def __init__(self, program, library, data):
        self.program = str(pathlib.Path(program).resolve())
        self.library = str(pathlib.Path(library).resolve())
        self.data = pathlib.Path(data).resolve()

    def train(self, folder, seed, more=(), **order):
        """Returns exit code and messages; order are variables of the library."""
        environment = dict(os.environ, LC_ALL="C")
        if order:
            environment["LD_PRELOAD"] = self.library
            environment.update(
                {"ORDER_" + name.upper(): str(value)
                 for name, value in order.items()})
        done = subprocess.run(
            [self.program, "train", str(self.data / "iris.csv"), "--layers",
             "4,3,3", "--seed", seed, "--max-iter", str(NUM_ITERATIONS), "-q",
             "-o", "m.json", *more],
            cwd=folder, env=environment, capture_output=True, text=True,
            timeout=60)
        # A training that is so short may be warned of.
        messages = [line for line in done.stderr.splitlines(keepends=True)
                    if not line.startswith("mlp: warning: the network ")]
        return done.returncode, "".join(messages)

    def model(self, seed):
        with tempfile.TemporaryDirectory(prefix="order-") as folder:
            expect("a training", self.train(folder, seed), (0, ""))
            return (pathlib.Path(folder) / "m.json").read_bytes()

    def calls(self, more):
        """The calls of a training, with one name for all temporary files."""
        with tempfile.TemporaryDirectory(prefix="order-") as folder:
            log = pathlib.Path(folder) / "log"
            expect("a recorded training",
                   self.train(folder, NEW_SEED, more, log=log), (0, ""))
            lines = log.read_text().splitlines()
        return [" ".join(TEMPORARY if word.startswith(".mlp-") else word
                         for word in line.split(" ")) for line in lines]


def expect(what, received, expected):
    if received != expected:
        sys.exit(f"{what}: expected {expected}, got {received}")


def check_order(trainings):
    expect("a model", trainings.calls([]), SAVE)
    expect("checkpoints and a model", trainings.calls(CHECKPOINTS),
           NUM_ITERATIONS * CHECKPOINT + SAVE)


def kill_at_each(trainings, more, num_calls, check):
    """Kills a training at each call; returns the number of kills."""
    for call in range(1, num_calls + 1):
        for when in ("before", "after"):
            with tempfile.TemporaryDirectory(prefix="order-") as name:
                folder = pathlib.Path(name)
                trainings.train(folder, OLD_SEED)
                code, _ = trainings.train(folder, NEW_SEED, more,
                                          kill_at=call, kill_when=when)
                where = f"killed {when} call {call} with {more}"
                expect(where, code, -signal.SIGKILL)
                check(folder, where)
    return 2 * num_calls


def main(program, library, data):
    trainings = Trainings(program, library, data)
    old, new = trainings.model(OLD_SEED), trainings.model(NEW_SEED)
    expect("both models differ", old != new, True)

    def check_whole(folder, where):
        model = (folder / "m.json").read_bytes()
        expect(where + ": the model is whole", model in (old, new), True)

    def check_resumed(folder, where):
        check_whole(folder, where)
        expect(where + ": resumed",
               trainings.train(folder, NEW_SEED, CHECKPOINTS), (0, ""))
        expect(where + ": the resumed model is the same",
               (folder / "m.json").read_bytes() == new, True)
        expect(where + ": what is left",
               sorted(set(os.listdir(folder)) - {"state.previous"}),
               ["m.json", "state"])

    check_order(trainings)
    kills = kill_at_each(trainings, [], len(SAVE), check_whole)
    kills += kill_at_each(trainings, CHECKPOINTS,
                          NUM_ITERATIONS * len(CHECKPOINT) + len(SAVE),
                          check_resumed)
    print(f"{kills} kills left a whole generation")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
