#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the names that a library exports with the functions of its header.

Usage: exported_names_test.py LIBRARY HEADER
"""
import pathlib
import re
import subprocess
import sys


def main():
    library, header = sys.argv[1:]
    text = pathlib.Path(header).read_text(encoding="utf-8")
    # Comments declare nothing, and inline functions are not exported.
    text = re.sub(r"/\*.*?\*/|static inline .*?\n}", "", text, flags=re.DOTALL)
    declared = set(re.findall(r"\b(mlp_\w+)\(", text))
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                            capture_output=True, text=True).stdout
    # A name has its version behind it; the version itself is listed, too.
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    exported = names - {"MLP_1"}
    for name in sorted(declared - exported):
        print(f"{name} is declared, but not exported")
    for name in sorted(exported - declared):
        print(f"{name} is exported, but not declared")
    return 1 if declared != exported or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
