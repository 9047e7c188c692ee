#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Kills and stops ranks of trainings at random moments.

Each round loses one rank of three. All others must leave in time and with exit
code 7, no process may be left, and --resume must go on, with another number of
ranks too.

Usage: rank_faults.py PROGRAM DATA_FOLDER TRANSPORT ROUNDS
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import rank_runs

RANKS = 3
# Of each sum: what a stopped rank is waited for.
DEADLINE_SECONDS = 2
# What detecting a lost connection, saving the state and ending may take on a
# machine that is busy with other tests.
KILL_SECONDS = 5
EXIT_CODE = 7


def arguments_of(data, checkpoint):
    """A training that goes on for ever, and saves its state often."""
    return ["train", str(data / "digits.csv"), "--layers", "64,32,10",
            "--scale", "16", "--seed", "7", "--tol", "0", "--solver", "gd",
            "--step-size", "0.01", "--checkpoint", str(checkpoint),
            "--checkpoint-every", "1s", "--progress", "never",
            "--threads", "1", "--rank-timeout", str(DEADLINE_SECONDS)]


def read_words(process):
    """The command line of a process; empty where it is gone."""
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes() \
            .decode(errors="replace").split("\0")
    except OSError:
        return []


def find_ranks(checkpoint):
    """The processes of this training that are ranks, by rank."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        words = read_words(entry)
        if str(checkpoint) not in words or "mpirun" in words[0]:
            continue
        rank = next((w[7:] for w in words if w.startswith("--rank=")), None)
        if rank is None:
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ") \
                    .read_bytes().split(b"\0")
            except OSError:
                continue
            rank = next((w.split(b"=")[1].decode() for w in environment
                         if w.startswith(b"OMPI_COMM_WORLD_RANK=")), None)
        if rank is not None:
            found[int(rank)] = int(entry)
    return found


def wait_for_start(training, checkpoint, log):
    """Waits until the training saved its state once, and so is at work."""
    end = time.monotonic() + rank_runs.TIMEOUT_SECONDS
    while not checkpoint.exists():
        if training.poll() is not None or time.monotonic() > end:
            rank_runs.fail(f"did not start: {log.read_text()}")
        time.sleep(0.02)


def lose_one_rank(program, data, transport, folder, rank, how, pause):
    """One round; returns how long the others took to leave."""
    checkpoint = folder / "state"
    for old in folder.glob("state*"):
        old.unlink()
    log = folder / "log"
    with open(log, "w", encoding="utf-8") as output:
        training = subprocess.Popen(
            [program, *arguments_of(data, checkpoint), "--max-iter",
             "1000000000", "--ranks", str(RANKS), "--transport", transport],
            stdout=output, stderr=output, env=rank_runs.ENVIRONMENT)
        wait_for_start(training, checkpoint, log)
        time.sleep(pause)
        ranks = find_ranks(checkpoint)
        if sorted(ranks) != list(range(RANKS)):
            training.kill()
            rank_runs.fail(f"expected {RANKS} ranks, got {ranks}")
        start = time.monotonic()
        os.kill(ranks[rank], how)
        bound = KILL_SECONDS + (DEADLINE_SECONDS + 1
                                if how == signal.SIGSTOP else 0)
        try:
            code = training.wait(timeout=bound)
        except subprocess.TimeoutExpired:
            for process in ranks.values():
                os.kill(process, signal.SIGKILL)
            training.kill()
            rank_runs.fail(f"rank {rank} was lost by {how.name}; the others "
                           f"hang after {bound} s: {log.read_text()}")
        seconds = time.monotonic() - start
    # mpirun passes on what killed a rank.
    allowed = {EXIT_CODE} if transport != "mpi" else {EXIT_CODE, 137, 128 + 9}
    if code not in allowed:
        rank_runs.fail(f"rank {rank} was lost by {how.name}; expected exit "
                       f"{EXIT_CODE}, got {code}: {log.read_text()}")
    left = find_ranks(checkpoint)
    if left:
        rank_runs.fail(f"{how.name} of rank {rank} left processes: {left}")
    return seconds


def check_resume(program, data, transport, folder, ranks):
    """The state that is left must be whole, on any number of ranks."""
    checkpoint = folder / "state"
    words = [program, *arguments_of(data, checkpoint), "--max-iter", "1",
             "--resume", "--json", "-o", str(folder / "model.json"),
             "--ranks", str(ranks)]
    if ranks > 1:
        words += ["--transport", transport]
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          env=rank_runs.ENVIRONMENT,
                          timeout=rank_runs.TIMEOUT_SECONDS)
    if done.returncode != 0 or "resumes from" not in done.stderr:
        rank_runs.fail(f"--resume on {ranks} ranks: exit {done.returncode}: "
                       f"{done.stderr}")


def main():
    """Runs the rounds."""
    program, data, transport, rounds = sys.argv[1:]
    missing = rank_runs.is_missing(transport)
    if missing:
        print(f"test skipped: {missing}")
        return
    source = random.Random()
    worst = {signal.SIGKILL: 0.0, signal.SIGSTOP: 0.0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for number in range(int(rounds)):
            how = signal.SIGKILL if number % 2 == 0 else signal.SIGSTOP
            seconds = lose_one_rank(program, pathlib.Path(data), transport,
                                    folder, number // 2 % RANKS, how,
                                    source.uniform(0.0, 0.3))
            worst[how] = max(worst[how], seconds)
            check_resume(program, pathlib.Path(data), transport, folder,
                         1 + number % 4)
    print(f"{rounds} rounds; killed: at most {worst[signal.SIGKILL]:.2f} s, "
          f"stopped: at most {worst[signal.SIGSTOP]:.2f} s")


if __name__ == "__main__":
    main()
