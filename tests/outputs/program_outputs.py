#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of output paths with each command of the program that writes a file.

usage: program_outputs.py PROGRAM
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

from output_cases import Case, Outcome, Place, file_size_limit, load_cases

DATA = b"a,b,label\n" + b"0,0,0\n0,1,1\n1,0,1\n1,1,0\n" * 4
TRAIN = ["--layers", "2,3,2", "--max-iter", "2", "-q"]


def is_model(content: bytes) -> bool:
    return json.loads(content)["format"] == "mlp-model"


def is_table(content: bytes) -> bool:
    return content.count(b"\n") == DATA.count(b"\n") and content.endswith(b"\n")


def commands(program: str, model: str) -> list[tuple[str, list[str]]]:
    """The commands, in which INPUT and OUTPUT are the paths of a case."""
    return [
        ("train", [program, "train", "INPUT", *TRAIN, "-o", "OUTPUT"]),
        ("predict", [program, "predict", model, "INPUT", "-q", "-o", "OUTPUT"]),
        ("featurize",
         [program, "featurize", model, "INPUT", "--layer", "1", "-q", "-o", "OUTPUT"]),
    ]


def run(words: list[str], place: Place) -> Outcome:
    paths = {"INPUT": str(place.input), "OUTPUT": place.path}
    with place.reader(), file_size_limit(place.case.limit):
        done = subprocess.run(
            [paths.get(word, word) for word in words], capture_output=True, check=False,
            cwd=place.folder, env=dict(os.environ, LC_ALL="C"), timeout=60,
            restore_signals=False)
    start = b"mlp: error: "
    errors = [x for x in done.stderr.splitlines() if x.startswith(start)]
    sentence = b"\n".join(errors).removeprefix(start).decode()
    return Outcome(done.returncode, sentence, done.stdout)


def is_left_out(name: str, case: Case) -> bool:
    # A training saves its model elsewhere, which the tests of training check.
    return (case.needs == "user" and os.geteuid() == 0) or \
        (name == "train" and case.limit is not None)


def main(program: str) -> int:
    program = str(pathlib.Path(program).resolve())
    num_runs, failures = 0, 0
    with tempfile.TemporaryDirectory(prefix="outputs-") as scratch:
        data, model = pathlib.Path(scratch) / "data.csv", str(pathlib.Path(scratch) / "m.json")
        data.write_bytes(DATA)
        subprocess.run([program, "train", data, *TRAIN, "-o", model], check=True)
        for name, words in commands(program, model):
            for case in load_cases("file"):
                if is_left_out(name, case):
                    continue
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    place = Place(case, pathlib.Path(folder), DATA)
                    num_runs += 1
                    try:
                        place.check(run(words, place), ("--out", "DATA"),
                                    is_model if name == "train" else is_table)
                    except AssertionError:
                        failures += 1
                        print(f"{name}, {case.name}:\n{traceback.format_exc(limit=-1)}")
    print(f"{num_runs} runs, {failures} failures")
    return 1 if failures or num_runs < 60 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
