# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that start a cluster of their own, and print what the tests look at."""

import json
import os
import pathlib
import subprocess
import sys
from typing import Any


def run_program(name: str, *arguments: str, timeout: float) -> Any:
    """Runs a program of this folder, and returns the JSON of its last line."""
    program = pathlib.Path(__file__).with_name(name)
    result = subprocess.run(
        [sys.executable, str(program), *arguments], capture_output=True, text=True,
        timeout=timeout, env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )
    assert result.returncode == 0, result.stderr[-5000:]
    return json.loads(result.stdout.splitlines()[-1])
