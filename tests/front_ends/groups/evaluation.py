# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that are not trained on: validation sets, and files to evaluate."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, INF, LABELS, NAN, NAMED, ROWS, TARGETS, Case, Table, with_label, with_value

PATIENCE = {"patience": 3}
HELD_OUT = Table(ROWS[:8], LABELS[:8])
OTHER_NAME = replace(NAMED, label_name="kind")
SCORE = {
    name: ("evaluates", "scikit-learn counts an unknown label as a wrong prediction")
    for name in ("estimator", "sklearn")
}
FILES = "only the program finds a label by the name of its column"


def validation(given: str, outcome: str, held_out: Table, **more: Any) -> Case:
    return Case("evaluation", given, outcome, validation=held_out, params=PATIENCE, **more)


def evaluate(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("evaluation", given, outcome, "evaluate", table, **more)


def weights(value: Any) -> Table:
    return replace(HELD_OUT, weights=(1.0, value, *[1.0] * 6))


CASES = [
    validation("a validation set", "trains", HELD_OUT),
    validation("a validation set of one class", "trains",
               Table(ROWS[:8], (0,) * 8)),
    validation("a validation set of one row", "trains", Table(ROWS[:1], LABELS[:1])),
    validation("a validation set of no rows", "data", Table((), ()), needs=("no held-out rows",)),
    validation("a negative weight of a validation row", "data", weights(-1.0),
               table=replace(BASE, weights=(1.0,) * 24)),
    validation("a validation weight of NaN", "data", weights(NAN),
               table=replace(BASE, weights=(1.0,) * 24)),
    validation("an infinite validation weight", "data", weights(INF),
               table=replace(BASE, weights=(1.0,) * 24)),
    validation("validation weights that are all 0", "data",
               replace(HELD_OUT, weights=(0.0,) * 8),
               table=replace(BASE, weights=(1.0,) * 24)),
    validation("a validation feature of NaN", "data", with_value(NAN)),
    validation("a missing value of a validation row", "data", with_value(None),
               needs=("missing values",)),
    validation("a missing value of a validation row with standardize", "trains",
               with_value(None), standardize=True, needs=("missing values",)),
    validation("an unknown label in the validation set", "data", with_label(5)),
    validation("a fractional label in the validation set", "data", with_label(0.5)),
    validation("a validation set of another width", "data",
               Table(tuple(row[:2] for row in ROWS), LABELS), needs=("width of held-out rows",)),
    Case("evaluation", "a validation target of NaN", "data", task="regression",
         table=replace(BASE, labels=TARGETS), validation=with_label(NAN, labels=TARGETS),
         params=PATIENCE),
    validation("the label column missing in the validation file", "data", OTHER_NAME,
               table=NAMED, needs=("label names",), only=FILES),
    evaluate("rows with labels", "evaluates", BASE),
    evaluate("one row with a label", "evaluates", Table(ROWS[:1], LABELS[:1])),
    evaluate("a label that the model does not know", "data", with_label(5), differs=SCORE),
    evaluate("a missing label to evaluate", "data", with_label(None)),
    evaluate("too few features to evaluate", "data",
             Table(tuple(row[:2] for row in ROWS), LABELS)),
    evaluate("the label column missing in another file", "data", OTHER_NAME,
             needs=("label names",), only=FILES),
    evaluate("the label column at another place", "evaluates", NAMED,
             needs=("label names", "label first"), only=FILES),
]
