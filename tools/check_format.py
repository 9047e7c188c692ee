#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format 14 would leave every C++ and Java file as it is.

Usage: check_format.py [--fix]
Other versions of clang-format lay the same style out differently: where
version 14 is missing, says so and exits 77, which CTest counts as skipped.
"""

import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"
FOLDERS = ("core", "activations", "optim", "datasets", "distributed", "mlp",
           "cpu", "openblas", "cuda", "capi", "jvm", "cli", "python", "tests", "bench",
           "examples")
SUFFIXES = {".h", ".c", ".hpp", ".ipp", ".cpp", ".cu", ".cuh", ".java"}


def find_clang_format():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            says = subprocess.run([path, "--version"], capture_output=True,
                                  text=True, check=True).stdout
            if re.search(rf"version {VERSION}\.", says):
                return path
    return None


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    clang_format = find_clang_format()
    if clang_format is None:
        print(f"skipped: clang-format {VERSION} is not installed")
        return 77
    files = sorted(path for folder in FOLDERS
                   for path in (root / folder).rglob("*")
                   if path.suffix in SUFFIXES)
    mode = ["-i"] if "--fix" in sys.argv[1:] else ["--dry-run", "-Werror"]
    run = subprocess.run([clang_format, *mode, *files], cwd=root, check=False)
    print(f"{len(files)} files; tools/check_format.py --fix lays them out")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
