#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Adds an eighth activation function to a copy of the library and tries it.

Usage: add_activation.py SOURCE_FOLDER SCRATCH_FOLDER COMPILER [INCLUDE...]
What it takes is one file, gaussian.hpp, and one place: its include and its name
in activations/activation.hpp.
"""

import pathlib
import shutil
import subprocess
import sys

from extended_tree import HERE, ExtendedTree

KERNEL_SOURCES = ("kernels.cpp", "cpu/base/activation_kernels.cpp",
                  "cpu/base/instruction_set.cpp")


def add_gaussian(tree):
    """Does what somebody with an eighth function does."""
    shutil.copy(HERE / "gaussian.hpp.in",
                tree.folder / "activations/gaussian.hpp")
    header = "activations/activation.hpp"
    tree.replace_once(header, r'(#include "tanh\.hpp")',
                      r'\1\n#include "gaussian.hpp"')
    tree.replace_once(header, r"(ActivationList<[^>]*)>", r"\1, Gaussian>")


def main():
    source, folder = map(pathlib.Path, sys.argv[1:3])
    tree = ExtendedTree(source, folder, sys.argv[3], sys.argv[4:])
    add_gaussian(tree)
    tree.check_documents()
    tree.check_library("activation", "gaussian", "gaussian")
    kernels = tree.build("kernels", KERNEL_SOURCES, "-O1",
                         "-ffp-contract=off")
    return subprocess.run([kernels], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
