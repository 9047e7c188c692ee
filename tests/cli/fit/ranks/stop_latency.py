#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Stops trainings by SIGINT at random moments and measures how long they take.

Each round is a training of another solver, network and transport, with and
without a validation set and a checkpoint. It must end with exit code 130 within
two seconds and leave a model that loads. The seconds are waited or computed: a
machine that is busy with other work makes a training wait.

Usage: stop_latency.py PROGRAM DATA_FOLDER ROUNDS ROWS [NAME...]

DATA_FOLDER is not used. If names are given, only the cases whose names contain
one of them run.
"""

import array
import os
import pathlib
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

import rank_runs

FEATURES = 20
CLASSES = 5
EXIT_CODE = 130
MAX_SECONDS = 2.0
START_SECONDS = 120
# Rows that differ; the others repeat them.
DIFFERENT_ROWS = 1000

WIDE = ["--layers", f"{FEATURES},500,500,{CLASSES}"]
SMALL = ["--layers", f"{FEATURES},30,{CLASSES}"]
ENDLESS = ["--max-iter", "1000000", "--tol", "0"]
BATCHES = ["--max-iter", "1000000", "--batch-size", "1000"]
VALIDATION = ["--validation", "0.5", "--patience", "1000000"]
CHECKPOINT = ["--checkpoint", "{folder}/state", "--checkpoint-every", "1s"]

# What differs from case to case: the name, and the flags.
CASES = [
    ("l-bfgs", [*SMALL, *ENDLESS]),
    ("l-bfgs, wide", [*WIDE, *ENDLESS]),
    ("l-bfgs, validation", [*SMALL, *ENDLESS, *VALIDATION]),
    ("gd, wide, validation, checkpoint",
     [*WIDE, *ENDLESS, *VALIDATION, *CHECKPOINT, "--solver", "gd"]),
    ("gd, checkpoint", [*SMALL, *ENDLESS, *CHECKPOINT, "--solver", "gd"]),
    ("adam", [*SMALL, *BATCHES, "--solver", "adam"]),
    ("adam, wide, validation, checkpoint",
     [*WIDE, *BATCHES, *VALIDATION, *CHECKPOINT, "--solver", "adam"]),
    ("sgd, batches of all", [*SMALL, "--max-iter", "1000000", "--solver",
                             "sgd", "--batch-size", "1000000"]),
    ("sgd, one epoch and its scores",
     [*SMALL, "--max-iter", "1", "--solver", "sgd", "--batch-size", "100000"]),
]
TRANSPORTS = ["", "threads", "gloo", "mpi"]


def write_npy(path, shape, values, repeats):
    """Writes an array of doubles whose rows repeat."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                   + header.encode())
        for _ in range(repeats):
            file.write(values.tobytes())


def write_data(folder, rows):
    """Writes the features and the labels; returns the flags that read them."""
    source = random.Random(1)
    rows -= rows % DIFFERENT_ROWS
    features = array.array("d", (source.uniform(-2, 2) for _ in
                                 range(DIFFERENT_ROWS * FEATURES)))
    labels = array.array("d", (source.randrange(CLASSES) for _ in
                               range(DIFFERENT_ROWS)))
    repeats = rows // DIFFERENT_ROWS
    write_npy(folder / "rows.npy", f"({rows}, {FEATURES})", features, repeats)
    write_npy(folder / "labels.npy", f"({rows},)", labels, repeats)
    return [str(folder / "rows.npy"), "--labels", str(folder / "labels.npy")]


def ticks_of(leader):
    """The clock ticks computed by a process and by each that it started."""
    parents = {}
    ticks = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = pathlib.Path(f"/proc/{entry}/stat").read_text(
                encoding="utf-8").rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1])
        ticks[int(entry)] = int(fields[11]) + int(fields[12])
    found = {leader}
    while True:
        more = {child for child, parent in parents.items()
                if parent in found} - found
        if not more:
            return {process: ticks.get(process, 0) for process in found}
        found |= more


def wait_and_measure(process):
    """Waits for the end; returns the seconds, waited and computed."""
    start = time.monotonic()
    before = ticks_of(process.pid)
    after = dict(before)
    while process.poll() is None:
        for some, ticks in ticks_of(process.pid).items():
            after[some] = max(ticks, after.get(some, 0))
        time.sleep(0.01)
    waited = time.monotonic() - start
    computed = sum(after.values()) - sum(before.values())
    return waited, computed / os.sysconf("SC_CLK_TCK")


def wait_for_message(process, text):
    """Reads messages until one contains a text; returns what was read."""
    seen = b""
    end = time.monotonic() + START_SECONDS
    while text not in seen:
        ready, _, _ = select.select([process.stderr], [], [],
                                    max(0.0, end - time.monotonic()))
        part = os.read(process.stderr.fileno(), 65536) if ready else b""
        if not part:
            break
        seen += part
    return seen


def check_folder(folder, program, name, messages):
    """Checks the model, unless there was no step, and that no temporary file is
    left."""
    model = folder / "model.json"
    has_no_step = b"before the first step; no model was saved" in messages
    if model.exists() == has_no_step:
        rank_runs.fail(f"{name}: there is {'a' if has_no_step else 'no'} model")
    if not has_no_step:
        done = subprocess.run([program, "inspect", str(model), "--verify"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            rank_runs.fail(f"{name}: the model does not load: {done.stderr}")
    left = [file.name for file in folder.iterdir() if file.suffix == ".tmp"]
    if left:
        rank_runs.fail(f"{name}: files are left: {left}")


def stop_once(program, folder, data, case, transport, pause):
    """One round; returns the seconds until the end, waited and computed."""
    name, flags = case
    for old in [*folder.glob("model.json"), *folder.glob("state*")]:
        old.unlink()
    words = [program, "train", *data, *(flag.format(folder=folder)
                                        for flag in flags),
             "--verbose", "--progress", "never", "--seed", "7", "-o",
             str(folder / "model.json")]
    if transport:
        words += ["--ranks", "2", "--transport", transport]
        name += f", by {transport}"
    with subprocess.Popen(words, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE,
                          env=rank_runs.ENVIRONMENT) as process:
        messages = wait_for_message(process, b"training begins")
        rest = []
        reader = threading.Thread(
            target=lambda: rest.append(process.stderr.read()))
        reader.start()
        try:
            time.sleep(pause)
            process.send_signal(signal.SIGINT)
            waited, computed = wait_and_measure(process)
        finally:
            process.kill()
        reader.join()
        messages += rest[0]
    if process.returncode == 0 and b"training begins" in messages:
        return name, None, None  # it had ended before the signal
    if process.returncode != EXIT_CODE:
        rank_runs.fail(f"{name}, after {pause:.2f} s: expected exit "
                       f"{EXIT_CODE}, got {process.returncode}: "
                       f"{messages.decode(errors='replace')}")
    check_folder(folder, program, name, messages)
    return name, waited, computed


def main():
    """Runs the rounds."""
    program, _, rounds, rows, *names = sys.argv[1:]
    source = random.Random()
    rounds_of = [(case, transport) for case in CASES
                 for transport in TRANSPORTS
                 if not (transport and rank_runs.is_missing(transport))]
    if names:
        rounds_of = [pair for pair in rounds_of
                     if any(name in f"{pair[0][0]}, by {pair[1]}"
                            for name in names)]
    source.shuffle(rounds_of)
    waits = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = write_data(folder, int(rows))
        longest = 4.0 if int(rows) > 1000000 else 0.3
        number = 0
        while len(waits) < int(rounds):
            case, transport = rounds_of[number % len(rounds_of)]
            number += 1
            title, waited, computed = stop_once(
                program, folder, data, case, transport,
                source.uniform(0.0, longest))
            if waited is None:
                continue
            waits.append((waited, computed, title))
            if len(sys.argv) > 5 or int(rounds) > 20:
                print(f"{waited:6.2f} s, computed {computed:6.2f} s: {title}",
                      flush=True)
            if min(waited, computed) > MAX_SECONDS:
                rank_runs.fail(f"{title}: took {waited:.2f} s, of which "
                               f"{computed:.2f} s computing")
    waited, computed, title = max(waits)
    print(f"{len(waits)} of {rounds} stopped; at most {waited:.2f} s, of which "
          f"{computed:.2f} s computing: {title}")


if __name__ == "__main__":
    main()
