#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what a whole run of the program costs above `true`.

Runs alternate, so that a machine whose speed drifts slows both sides; each
figure is the median of 50 wall times.

    bench/startup.py [PROGRAM]
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 50


def run_ms(command):
    """Wall milliseconds from spawn to exit."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    elapsed = (time.perf_counter() - start) * 1e3
    os.close(null)
    if status != 0:
        sys.exit(f"bench/startup.py: {' '.join(command)} exited with {status}")
    return elapsed


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "mlp")
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "true": ["true"],
            "mlp --help": [program, "--help"],
            "mlp train iris, 100 iterations": [
                program, "train", str(ROOT / "data" / "iris.csv"),
                "--layers", "4,5,4,3", "--seed", "1234",
                "-o", f"{folder}/model.json"],
        }
        times = {name: [] for name in commands}
        for name, command in commands.items():
            run_ms(command)
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(run_ms(command))
    floor = statistics.median(times["true"])
    print(f"{'command':34} {'median ms':>9} {'above true':>10}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:34} {median:9.2f} {median - floor:10.2f}")


if __name__ == "__main__":
    main()
