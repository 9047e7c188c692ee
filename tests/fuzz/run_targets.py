#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets, and prints the runs and the finds of each.

usage: run_targets.py [--short | --seconds N | --runs N] BUILD [TARGET...]
    --short    2 seconds each, always from the same seed, and keeps no inputs
    --seconds  60 by default
    --runs     as many runs of each, however long they take

BUILD is the folder of the preset fuzz. BUILD/corpus/TARGET has the inputs that
a later run starts with. A find is an input that ends the program, leaks, takes 10
seconds, or more memory than its size explains; BUILD/finds/TARGET keeps it.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SHORT_SECONDS = 2

# The longest input in bytes.
MOST_BYTES = {"model": 2048, "signed_model": 2048, "checkpoint_state": 4096,
              "arguments": 256}
MOST_BYTES_OTHERWISE = 512

# The largest allocation in MiB. LIBSVM may give a matrix of 64 MiB for any text,
# as its reader documents, and a gzip file of a KiB may hold a MiB.
MOST_MEBIBYTES = {"libsvm": 72, "libsvm_threads": 72, "gzip": 72}
MOST_MEBIBYTES_OTHERWISE = 16


def command_of(build, target, options):
    """Returns the words of the command that runs a target."""
    finds = build / "finds" / target
    finds.mkdir(parents=True, exist_ok=True)
    (build / "corpus").mkdir(exist_ok=True)
    found = build / "corpus" / target / "found"
    seeds = build / "corpus" / target / "seeds"
    words = [str(build / f"{target}_fuzz"), "-timeout=10", "-rss_limit_mb=2048",
             f"-malloc_limit_mb="
             f"{MOST_MEBIBYTES.get(target, MOST_MEBIBYTES_OTHERWISE)}",
             f"-max_len={MOST_BYTES.get(target, MOST_BYTES_OTHERWISE)}",
             f"-artifact_prefix={finds}/", "-print_final_stats=1",
             "-entropic=0"]
    dictionary = build / "corpus" / target / "words.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    if options.short:
        words += [f"-max_total_time={SHORT_SECONDS}", "-seed=1"]
        # Files that are not in a folder are inputs to start with.
        return words + seed_words(build, target, seeds)
    words.append(f"-runs={options.runs}" if options.runs else
                 f"-max_total_time={options.seconds}")
    found.mkdir(parents=True, exist_ok=True)
    return words + [str(found)] + ([str(seeds)] if seeds.is_dir() else [])


def seed_words(build, target, seeds):
    """Returns the option that names all seeds of a target."""
    if not seeds.is_dir():
        return []
    names = build / "corpus" / target / "seeds.txt"
    names.write_text(",".join(str(path) for path in sorted(seeds.iterdir())))
    return [f"-seed_inputs=@{names}"]


def statistic(log, name):
    found = re.search(rf"stat::{name}:\s+(\d+)", log)
    return int(found[1]) if found else 0


def run_target(build, target, options):
    """Runs a target; returns its line, and whether it passed."""
    words = command_of(build, target, options)
    before = set((build / "finds" / target).iterdir())
    done = subprocess.run(words, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace",
                          check=False)
    log = build / "corpus" / f"{target}.log"
    log.write_text(done.stderr)
    finds = sorted(set((build / "finds" / target).iterdir()) - before)
    runs = statistic(done.stderr, "number_of_executed_units")
    rate = statistic(done.stderr, "average_exec_per_sec")
    passed = done.returncode == 0 and not finds and runs > 0
    line = f"{target:20} {runs:12,} runs {rate:9,} runs/s {len(finds):3} finds"
    if passed:
        return line, True
    line += f"\n  exit code {done.returncode}; the report is in {log}"
    for find in finds:
        line += f"\n  to repeat it: {words[0]} {find}"
    return line, False


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int)
    parser.add_argument("build", type=Path)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args(argv[1:])
    build = options.build.resolve()
    targets = options.targets or sorted(
        path.name.removesuffix("_fuzz") for path in build.glob("*_fuzz"))
    if not targets:
        print(f"{build} has no fuzz targets; run cmake --workflow --preset fuzz",
              file=sys.stderr)
        return 2
    all_passed = True
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for line, passed in pool.map(
                lambda target: run_target(build, target, options), targets):
            print(line, flush=True)
            all_passed = all_passed and passed
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
