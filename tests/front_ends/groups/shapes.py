# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of rows, of features, of layers and of partitions."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, LABELS, ROWS, Case, Table

RAGGED = replace(BASE, rows=(*ROWS[:5], ROWS[5][:2], *ROWS[6:]))
TWO = tuple(row[:2] for row in ROWS)
FOUR = tuple((*row, 0.5) for row in ROWS)
OF_FLAG = {"program": ("param", "the sizes are the value of a flag")}
WHY_PARTITIONS = "only the C interface has a number of partitions"


def fit(given: str, outcome: str, **more: Any) -> Case:
    return Case("shapes", given, outcome, **more)


def predict(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("shapes", given, outcome, "predict", table, **more)


def layers(given: str, outcome: str, *sizes: int) -> Case:
    return fit(given, outcome, params={"layers": sizes}, needs=("outer layers",))


CASES = [
    fit("no rows", "data", table=Table((), ()), needs=("no rows",)),
    fit("one row", "trains", table=Table(ROWS[:1], LABELS[:1])),
    fit("no features", "data", table=Table(((),) * 24, LABELS), needs=("no features",),
        differs={"c": ("param", "the number of features is an argument")}),
    fit("fewer features than the first layer", "data", table=Table(TWO, LABELS),
        params={"layers": (3, 4, 2)}, needs=("outer layers",)),
    fit("more features than the first layer", "data", table=Table(FOUR, LABELS),
        params={"layers": (3, 4, 2)}, needs=("outer layers",)),
    fit("rows of different lengths", "data", table=RAGGED, needs=("ragged rows",)),
    fit("three dimensions", "data", table=Table((ROWS,), LABELS), needs=("dimensions",)),
    fit("one dimension", "data", table=Table(ROWS[0], LABELS), needs=("dimensions",)),
    predict("one row to predict", "predicts", Table(ROWS[:1])),
    predict("many rows to predict", "predicts", Table(ROWS * 20)),
    predict("one row to predict by a model with bins", "predicts", Table(ROWS[:1]),
            network="with bins"),
    predict("many rows to predict by a model with bins", "predicts", Table(ROWS * 20),
            network="with bins"),
    predict("rows to predict by several networks in one", "predicts", Table(ROWS * 20),
            network="merged"),
    predict("rows to predict by a model with sets", "predicts", BASE, network="with sets"),
    predict("the inputs of a network with bins to predict", "data",
            Table(tuple((*row, *row, 0.5, 0.5) for row in ROWS)), network="with bins",
            needs=("width of rows",)),
    predict("too few features to predict", "data", Table(TWO), needs=("width of rows",)),
    predict("too many features to predict", "data", Table(FOUR), needs=("width of rows",)),
    predict("rows of different lengths to predict", "data", replace(RAGGED, labels=None),
            needs=("ragged rows",)),
    predict("one dimension to predict", "data", Table(ROWS[0]), needs=("dimensions",)),
    layers("layers of one size", "param", 3),
    layers("no layers at all", "param"),
    layers("a layer of 0 units", "param", 3, 0, 2),
    layers("a negative layer", "param", 3, -4, 2),
    fit("a layer of 2^40 units", "param", params={"layers": (3, 2**40, 2)},
        needs=("outer layers", "integers above 2^31")),
    layers("more weights than fit", "param", 3, 2**30, 2**30, 2),
    layers("more output units than classes", "trains", 3, 4, 5),
    layers("fewer output units than classes", "data", 3, 4, 1),
    layers("no hidden layer", "trains", 3, 2),
    fit("partition sizes", "trains", partition_sizes=(10, 0, 14)),
    fit("partition sizes of fewer rows", "data", partition_sizes=(10, 10), differs=OF_FLAG),
    fit("partition sizes of more rows", "data", partition_sizes=(10, 20), differs=OF_FLAG),
    fit("a negative partition size", "data", partition_sizes=(-1, 25), differs=OF_FLAG),
    fit("a number of partitions below 0", "param", partition_sizes=(24,),
        needs=("number of partitions",), only=WHY_PARTITIONS),
]
