# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Places where a model is written."""
from __future__ import annotations

from typing import Any

from ..case import Case


def save(given: str, outcome: str, target: str, **more: Any) -> Case:
    return Case("outputs", given, outcome, "save", target=target, **more)


CASES = [
    save("a new file", "saves", "new"),
    save("a file that exists", "saves", "existing"),
    save("a file of mode 0600", "saves", "private"),
    save("a link to a file", "saves", "link"),
    save("a name with other letters", "saves", "letters"),
    save("/dev/null", "saves", "/dev/null"),
    save("/dev/full", "resource", "/dev/full"),
    save("a pipe with a reader", "saves", "fifo"),
    save("a directory", "resource", "folder"),
    save("a folder that is missing", "resource", "missing"),
    save("a folder that cannot be written", "resource", "/proc/mlp-model.json"),
    save("a file as a folder", "resource", "below-file"),
    save("a name of 300 letters", "resource", "long"),
    save("an empty name", "resource", "empty", needs=("an empty path",)),
    save("a name with NUL", "param", "nul", needs=("NUL in paths",)),
    save("the own input", "param", "input", needs=("an input file",)),
]
