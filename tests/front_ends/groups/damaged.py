# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Model files that are damaged, or no model files at all."""
from __future__ import annotations

from typing import Any

from ..case import Case


def load(given: str, change: str, outcome: str = "model", **more: Any) -> Case:
    return Case("damaged files", given, outcome, "load", change=change, **more)


CASES = [
    load("a good file", "none", "loads"),
    load("the last 40 bytes missing", "truncated"),
    load("all but the first byte missing", "first byte"),
    load("an empty file", "empty"),
    load("white space alone", "blank"),
    load("one digit of a weight changed", "digit"),
    load("a weight of NaN", "nan weight"),
    load("a weight of 1e999", "huge weight"),
    load("a weight that is a text", "text weight"),
    load("one weight missing", "fewer weights"),
    load("one weight more", "more weights"),
    load("a version of the future", "version"),
    load("no version", "no version"),
    load("a member that occurs twice", "duplicate"),
    load("100,000 opening brackets", "nesting"),
    load("layers of 0 units", "zero layer"),
    load("a negative layer", "negative layer"),
    load("layers of 2^60 units", "huge layer"),
    load("layers as a text", "text layers"),
    load("an unknown activation", "activation"),
    load("edges of bins that do not increase", "edges"),
    load("bins of one edge", "one edge"),
    load("an edge of 1e999", "huge edge"),
    load("bins in a file of version 2", "bins of version 2"),
    load("prediction sets", "set", "loads"),
    load("prediction sets of a probability above 1", "set above 1"),
    load("prediction sets without a coverage", "set of no coverage"),
    load("prediction intervals of a classifier", "interval of classes"),
    load("a list instead of an object", "list"),
    load("a number instead of an object", "number"),
    load("text behind the object", "trailing"),
    load("bytes that are no UTF-8", "bytes"),
    load("a NUL byte in a text", "nul byte"),
    load("random bytes", "random"),
    load("a file that is missing", "missing file"),
    load("a directory", "directory"),
    load("/dev/zero", "/dev/zero"),
    load("/dev/null", "/dev/null"),
    load("NUL in the path", "nul path", "param", needs=("NUL in paths",)),
]
