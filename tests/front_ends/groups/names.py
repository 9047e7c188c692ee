# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Names of columns. The model of all predictions was trained on a, b and c."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import NAMED, Case, Table, column_table

TABLES = ("pandas", "polars", "arrow")
ORDER = {
    name: ("data", "scikit-learn's check_estimator demands it")
    for name in ("estimator", "sklearn")
}
WITH_NUL = {
    name: ("trains", "a text of Python may have NUL, and a model file escapes it")
    for name in ("estimator", "sklearn")
}
LONG = "n" * 5000


def predict(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("names", given, outcome, "predict", replace(table, labels=None), **more)


def fit(given: str, outcome: str, *names: str, **more: Any) -> Case:
    return Case("names", given, outcome, table=replace(NAMED, names=names), **more)


def in_tables(given: str, outcome: str, order: tuple[int, ...], names: str,
              **more: Any) -> list[Case]:
    """Returns a case for each kind of table of Python."""
    return [
        predict(f"{given} ({kind})", outcome, column_table(order, tuple(names), kind), **more)
        for kind in TABLES
    ]


CASES = [
    *in_tables("columns in the order of the training", "predicts", (0, 1, 2), "abc"),
    *in_tables("columns in reverse order", "predicts", (2, 1, 0), "cba", differs=ORDER),
    *in_tables("an extra column", "predicts", (0, 1, 0, 2), "abxc", differs=ORDER),
    *in_tables("a renamed column", "data", (0, 1, 2), "abz"),
    *in_tables("a missing column", "data", (0, 1), "ab"),
    predict("two columns of one name", "data", column_table((0, 1, 1, 2), tuple("abbc"))),
    predict("columns in reverse order for a model with bins", "predicts",
            column_table((2, 1, 0), tuple("cba")), network="with bins"),
    predict("rows without names", "predicts", column_table((0, 1, 2), tuple("abc"), "float64"),
            needs=("rows without names",)),
    fit("names of other alphabets", "trains", "höhe", "重量", "ширина"),
    fit("names with quotes and commas", "trains", 'a"b', "c,d", "e f"),
    fit("names of two columns that are equal", "trains", "a", "a", "c"),
    fit("names with control characters", "trains", "a\x1b[31m", "b\u202e", "c\x85"),
    fit("a name with NUL", "data", "a\0b", "b", "c", differs=WITH_NUL),
    fit("an empty name", "trains", "a", "", "c"),
    fit("a name of 5000 letters", "trains", LONG, "b", "c"),
    fit("a name that is a formula", "trains", "=1+2", "@b", "-c"),
]
