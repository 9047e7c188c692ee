# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Which column of a file is the label, beside vectors and the columns of folders."""
from __future__ import annotations

from typing import Any

from ..case import Case

BEFORE_VECTOR = ("x", "kind", "v")
IN_FOLDERS = ("x", "kind", "v", "day")
WITH_DAY = {"layers": (4, 4, 2)}


def files(given: str, outcome: str, columns: tuple[str, ...], label: Any = None,
          **more: Any) -> Case:
    return Case("files", given, outcome, files=columns, label=label, **more)


# As many thresholds as classes: the year is no class.
YEARS = "area,2019,2020,income\n" + "N,1.5,2,high\nS,2.5,3,low\n" * 6
TWO_CLASSES = {"layers": None, "thresholds": (0.5, 0.5)}

CASES = [
    files("a header of years", "trains", (), text=YEARS, params=TWO_CLASSES),
    files("the last column that is no vector as the label", "trains", BEFORE_VECTOR),
    files("the last column of the files as the label in folders", "trains", IN_FOLDERS,
          params=WITH_DAY),
    files("a vector alone without a label", "data", ("v",), params={"layers": (2, 2)}),
    files("label 1 before a vector", "trains", BEFORE_VECTOR, 1),
    files("label 2 behind a vector", "trains", ("x", "v", "kind"), 2),
    files("label -1 behind a vector", "trains", ("x", "v", "kind"), -1),
    files("label -2 before a vector", "trains", BEFORE_VECTOR, -2),
    files("label -3 behind the first column", "data", ("x", "v"), -3),
    files("a vector as the label", "data", BEFORE_VECTOR, -1),
    files("the name of a vector as the label", "data", BEFORE_VECTOR, "v"),
    files("label -2 in folders", "trains", IN_FOLDERS, -2, params=WITH_DAY),
    files("label 3, the column of a folder", "data", IN_FOLDERS, 3, params=WITH_DAY),
    files("the name of the column of a folder as the label", "trains",
          ("x", "v", "day"), "day", params={"layers": (3, 4, 2)}),
]
