#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the ELF files of a hardened build and looks for what MLP_HARDEN adds.

Usage: check_hardening.py PROGRAM [LIBRARY...]

Prints file and sentence of each finding; exits 1 on any, 77 without readelf.
"""

import re
import shutil
import subprocess
import sys

# What readelf prints, and what its absence means.
EVERY_FILE = (
    (r"GNU_RELRO", "has no segment that is read-only after the start; expected "
                   "the linker's -z relro"),
    (r"\(FLAGS_1\).*\bNOW\b", "binds functions when they are called; expected the "
                              "linker's -z now"),
    (r"\b__stack_chk_fail\b", "has no stack protector; expected "
                              "-fstack-protector-strong"),
)
PROGRAM = (
    (r"Type:\s+DYN\b", "is not position-independent; expected type DYN"),
    (r"\(FLAGS_1\).*\bPIE\b", "is not position-independent; expected the flag PIE"),
    # The C interface and the plugins may call no function that has a check.
    (r"\b__\w+_chk\b", "calls no checked function of the C library; expected "
                       "-D_FORTIFY_SOURCE=2"),
)


def findings(path, is_program):
    """What is wrong with one file, a sentence each."""
    text = subprocess.run(
        ["readelf", "--wide", "--file-header", "--program-headers", "--dynamic",
         "--dyn-syms", path], check=True, capture_output=True, text=True).stdout
    wanted = EVERY_FILE + (PROGRAM if is_program else ())
    return [sentence for pattern, sentence in wanted if not re.search(pattern, text)]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("readelf"):
        print("test skipped: readelf is not installed")
        return 77
    num_findings = 0
    for i, path in enumerate(sys.argv[1:]):
        for sentence in findings(path, i == 0):
            print(f"{path} {sentence}")
            num_findings += 1
    return 1 if num_findings else 0


if __name__ == "__main__":
    sys.exit(main())
