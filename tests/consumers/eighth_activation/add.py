#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Adds an eighth activation function to a copy of the library and tries it.

Usage: add.py SOURCE_FOLDER SCRATCH_FOLDER COMPILER [INCLUDE_FOLDER...]
What it takes is one file, gaussian.hpp, and one place: its include and its name
in activations/activation.hpp. The program main.cpp then finds it by name.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ("main.cpp", "cpu/base/activation_kernels.cpp",
           "cpu/base/instruction_set.cpp")


def replace_once(pattern, replacement, text):
    """The text after exactly one replacement."""
    text, count = re.subn(pattern, replacement, text)
    if count != 1:
        sys.exit(f"expected one match of {pattern}; got {count}")
    return text


def add_gaussian(tree):
    """Does what somebody with an eighth function does."""
    shutil.copy(HERE / "gaussian.hpp.in", tree / "activations/gaussian.hpp")
    header = tree / "activations/activation.hpp"
    text = header.read_text(encoding="utf-8")
    text = replace_once(r'(#include "tanh\.hpp")', r'\1\n#include "gaussian.hpp"',
                        text)
    text = replace_once(r"(ActivationList<[^>]*)>", r"\1, Gaussian>", text)
    header.write_text(text, encoding="utf-8")


def main():
    source, tree = map(pathlib.Path, sys.argv[1:3])
    compiler, folders = sys.argv[3], sys.argv[4:]
    shutil.rmtree(tree, ignore_errors=True)
    for folder in ("core", "activations", "cpu"):
        shutil.copytree(source / folder, tree / folder)
    shutil.copy(HERE / "main.cpp", tree)
    add_gaussian(tree)
    options = ["-std=c++20", "-O1", "-ffp-contract=off", f"-I{tree}"]
    options += [f"-I{folder}" for folder in folders]
    program = tree / "eighth"
    subprocess.run([compiler, *options, *(tree / s for s in SOURCES), "-o",
                    program], check=True)
    return subprocess.run([program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
