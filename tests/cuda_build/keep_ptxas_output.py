#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs nvcc and writes what ptxas says of the kernels into a file.

Usage: keep_ptxas_output.py COMMAND... -o OBJECT ...
CMake starts the compiler by this script. OBJECT.ptxas gets the lines of
-Xptxas -v; all other output stays visible.
"""
import pathlib
import re
import subprocess
import sys

PTXAS_INFO = re.compile(r"ptxas info|\s+\d+ bytes stack frame")


def main():
    command = sys.argv[1:]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    lines = done.stderr.splitlines(keepends=True)
    kept = [line for line in lines if PTXAS_INFO.match(line)]
    sys.stderr.write("".join(line for line in lines if line not in kept))
    if "-c" in command and "-o" in command:
        path = pathlib.Path(command[command.index("-o") + 1] + ".ptxas")
        path.write_text("".join(kept), encoding="utf-8")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
