# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of classes, and targets of regressions."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, INF, LABELS, NAN, TARGETS, Case, Table, numbers, with_label

INDICES = "labels are class indices, as in Spark"
INDEX_ONLY = {name: ("data", INDICES) for name in ("c", "jvm", "spark")}


def labels(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("labels", given, outcome, table=table, **more)


def targets(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("labels", given, outcome, table=table, task="regression", **more)


def two(first: Any, second: Any) -> Table:
    return replace(BASE, labels=tuple(second if label else first for label in LABELS))


MANY = numbers(202)
TEXTS_OF_ROWS = Table(MANY, tuple(f"id{i}" for i in range(len(MANY))))

CASES = [
    labels("labels that are whole numbers as floats", "trains", two(0.0, 1.0)),
    labels("a fractional label", "data", with_label(0.5)),
    labels("a negative label among 0 and 1", "data", with_label(-1), needs=("outer layers",)),
    labels("a label as large as the number of classes", "data", with_label(2),
           needs=("outer layers",)),
    labels("a label of NaN", "data", with_label(NAN)),
    labels("an infinite label", "data", with_label(INF)),
    labels("a missing label", "data", with_label(None)),
    labels("labels of one class", "trains", two(0, 0)),
    labels("labels of one class that is not the first", "trains", two(1, 1)),
    labels("labels that are texts", "trains", two("no", "yes")),
    labels("labels -1 and 1", "trains", two(-1, 1), differs=INDEX_ONLY),
    labels("labels 1 and 2", "trains", two(1, 2), differs=INDEX_ONLY),
    labels("labels above 2^53", "data", two(0, 2**53 + 2)),
    labels("labels that are equal as float64", "data", two(2**53, 2**53 + 1)),
    labels("labels that are truth values", "trains", two(False, True), needs=("truth values",)),
    labels("texts and numbers as labels", "data", with_label("a")),
    labels("fewer labels than rows", "data", replace(BASE, labels=LABELS[:5]),
           needs=("lengths",)),
    labels("two columns of labels", "data",
           replace(BASE, labels=tuple((label, label) for label in LABELS)),
           needs=("label columns",)),
    labels("texts that describe rows", "data", TEXTS_OF_ROWS, params={"layers": None}),
    labels("texts that describe rows, with layers", "trains", TEXTS_OF_ROWS,
           params={"layers": (3, 4, len(MANY))}),
    labels("many texts that repeat", "trains",
           Table(MANY, tuple(f"id{i // 2}" for i in range(len(MANY)))),
           params={"layers": None}),
    targets("targets", "trains", replace(BASE, labels=TARGETS)),
    targets("a target of NaN", "data", with_label(NAN, labels=TARGETS)),
    targets("an infinite target", "data", with_label(INF, labels=TARGETS)),
    targets("a missing target", "data", with_label(None, labels=TARGETS)),
    targets("a target that is a text", "data", with_label("much", labels=TARGETS)),
    targets("targets that are all equal", "trains", replace(BASE, labels=(3.0,) * 24)),
    targets("targets around 1e6", "trains",
            replace(BASE, labels=tuple(1e6 + 10 * target for target in TARGETS))),
]
