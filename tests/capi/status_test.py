#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the statuses of the C interface with the exit codes of the program.

Usage: status_test.py HEADER EXIT_CODES
"""
import pathlib
import re
import sys

# The two names of a code, if they do not follow from each other.
OTHER_NAMES = {"Success": "OK", "Usage": "PARAM"}
SIGNALS = 128


def numbers_of(path, pattern):
    found = re.findall(pattern, pathlib.Path(path).read_text(encoding="utf-8"))
    return {name: int(number) for name, number in found if int(number) < SIGNALS}


def main():
    header, exit_codes = sys.argv[1:]
    statuses = {re.sub(r"_ERROR$", "", name): number
                for name, number in numbers_of(header, r"\bMLP_(\w+) = (\d+)").items()}
    codes = {}
    for name, number in numbers_of(exit_codes, r"\bk(\w+) = (\d+)").items():
        stem = name.removesuffix("Failure")
        codes[OTHER_NAMES.get(stem, stem.upper())] = number
    for name in sorted(statuses.keys() | codes.keys()):
        if statuses.get(name) != codes.get(name):
            print(f"{name}: the C interface has {statuses.get(name)}, "
                  f"the program {codes.get(name)}")
    return 1 if statuses != codes or not codes else 0


if __name__ == "__main__":
    sys.exit(main())
