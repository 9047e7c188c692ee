#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Adds a hyper-parameter to a copy of the library and tries it.

Usage: add_param.py SOURCE_FOLDER SCRATCH_FOLDER COMPILER [INCLUDE...]
What it takes, besides its use, is its field in mlp/params/params.hpp and its
row in mlp/params/param_table.hpp.
"""

import pathlib
import sys

from extended_tree import ExtendedTree

ROW = r'''    detail::number_param<&Params::weight_noise, at_least(0).and_below(1)>(
        "weightNoise", "--weight-noise", "Share of noise in the weights.",
        "0.25", Stored::kWhenSet),
'''


def main():
    source, folder = map(pathlib.Path, sys.argv[1:3])
    tree = ExtendedTree(source, folder, sys.argv[3], sys.argv[4:])
    tree.replace_once("mlp/params/params.hpp", r"(  double momentum = 0\.0;\n)",
                      r"\1  double weight_noise = 0.0;\n")
    tree.replace_once("mlp/params/param_table.hpp",
                      r"(    detail::number_param<&Params::momentum)",
                      ROW + r"\1")
    tree.check_documents()
    tree.check_library("weightNoise", "0.25", "weight-noise")
    return 0


if __name__ == "__main__":
    sys.exit(main())
