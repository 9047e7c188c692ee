#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a consumer's initial weights with Spark's, bit for bit.

Usage: compare.py PROGRAM GOLDEN_FOLDER
Every stored fit of GOLDEN_FOLDER that has initial weights is a case.
"""

import json
import pathlib
import subprocess
import sys


def print_case(program, path):
    """Prints how one stored fit compares; returns (is_case, is_equal)."""
    fit = json.loads(path.read_text(encoding="utf-8"))
    golden = fit.get("initialWeights")
    if not golden:
        return False, True
    arguments = [fit["effectiveSeed"], *fit["params"]["layers"]]
    run = subprocess.run([program, *map(str, arguments)], text=True,
                         capture_output=True, check=True)
    weights = [float.fromhex(line) for line in run.stdout.split()]
    num_different = sum(a != b for a, b in zip(weights, golden))
    is_equal = weights == golden
    print(f"{path.name}: {len(weights)} of {len(golden)} weights, "
          f"{num_different} differ")
    return True, is_equal


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    cases = [print_case(program, path) for path in sorted(folder.glob("*.json"))]
    if not any(is_case for is_case, _ in cases):
        print(f"{folder} holds no initial weights; expected at least one case")
        return 1
    return 0 if all(is_equal for _, is_equal in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
