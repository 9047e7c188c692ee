# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mlp.spark script.py``: a script of PySpark, with our classifier."""
from __future__ import annotations

import pathlib
import runpy
import sys

from .alias import install

USAGE = """usage: python -m mlp.spark SCRIPT [ARGUMENT...]
       python -m mlp.spark -m MODULE [ARGUMENT...]

Runs a script in which pyspark.ml.classification has the multilayer perceptron of mlp.
"""


def main(arguments: list[str]) -> int:
    """Runs a script or a module; returns an exit status for wrong arguments."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    is_module = arguments[:1] == ["-m"]
    names = arguments[1:] if is_module else arguments
    if not names or names[0].startswith("-"):
        print(USAGE, end="", file=sys.stderr)
        return 2
    install()
    sys.argv = names
    if is_module:
        sys.path.insert(0, "")
        runpy.run_module(names[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(pathlib.Path(names[0]).resolve().parent))
        runpy.run_path(names[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
