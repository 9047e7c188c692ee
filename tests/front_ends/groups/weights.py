# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Weights of rows and of classes."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, INF, LABELS, NAN, ROWS, Case, Table, all_weights, weights_with

PRODUCTS = {"estimator": ("data", "class_weight is multiplied into the weights of rows")}
PARTS = {"estimator": ("trains", "a dict may leave out classes, whose weight is 1")}
PENALTY = {"sklearn": ("param", "scikit-learn divides alpha by the sum of the weights")}

ONE_ROW = (0.0,) * 5 + (2.0,) + (0.0,) * (len(ROWS) - 6)


def rows(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("weights", given, outcome, table=table, **more)


def of_classes(given: str, outcome: str, values: str, **more: Any) -> Case:
    return Case("weights", given, outcome, params={"classWeights": values}, **more)


def by_name(given: str, outcome: str, weights: dict[Any, float], **more: Any) -> Case:
    return Case("weights", given, outcome, class_weight=weights, **more)


TEXTS = replace(BASE, labels=tuple("yes" if label else "no" for label in LABELS))

CASES = [
    rows("a negative weight", "data", weights_with(-1.0)),
    rows("a weight of NaN", "data", weights_with(NAN)),
    rows("an infinite weight", "data", weights_with(INF)),
    rows("a weight of minus infinity", "data", weights_with(-INF)),
    rows("weights that are all 0", "data", all_weights(0.0)),
    rows("weights whose sum overflows", "data", all_weights(1e308)),
    rows("one weight of 0", "trains", weights_with(0.0)),
    rows("one weight that is not 0", "trains", replace(BASE, weights=ONE_ROW)),
    rows("fractional weights", "trains",
         replace(BASE, weights=tuple(0.25 + i % 3 / 7 for i in range(len(ROWS))))),
    rows("weights of 1e300", "trains", all_weights(1e300)),
    rows("the smallest weights", "trains", all_weights(5e-324), differs=PENALTY),
    rows("fewer weights than rows", "data", replace(BASE, weights=(1.0,) * 5),
         needs=("lengths",)),
    rows("a missing weight", "data", weights_with(None), needs=("missing values",)),
    rows("a text as a weight", "data", weights_with("heavy"), needs=("texts",)),
    rows("negative weights in mini-batches", "data", weights_with(-1.0),
         params={"solver": "adam", "batchSize": 8}),
    rows("fractional weights in mini-batches", "trains", weights_with(0.5),
         params={"solver": "adam", "batchSize": 8}),
    Case("weights", "a negative weight in a regression", "data", task="regression",
         table=weights_with(-1.0)),
    Case("weights", "a weight of NaN in a regression", "data", task="regression",
         table=weights_with(NAN)),
    of_classes("class weights", "trains", "1,2.5"),
    of_classes("a class weight of 0", "trains", "0,1"),
    of_classes("class weights and weights of rows", "trains", "1,2.5", table=weights_with(3.0)),
    of_classes("a negative class weight", "param", "1,-1", differs=PRODUCTS),
    of_classes("a class weight of NaN", "param", "1,nan", differs=PRODUCTS),
    of_classes("an infinite class weight", "param", "1,inf", differs=PRODUCTS),
    of_classes("class weights that are all 0", "param", "0,0", differs=PRODUCTS),
    of_classes("a class weight for one class of two", "param", "1", differs=PARTS),
    of_classes("class weights for three classes of two", "param", "1,1,1"),
    by_name("class weights by name", "trains", {0: 1.0, 1: 2.5}),
    by_name("a class weight by name for one class of two", "trains", {1: 2.0}),
    by_name("a class weight for a class that does not occur", "param", {0: 1.0, 7: 2.0}),
    by_name("class weights of texts", "trains", {"no": 1.0, "yes": 2.5}, table=TEXTS),
    by_name("a class weight of a text that is no class", "param", {"maybe": 2.0}, table=TEXTS),
    by_name("a negative class weight by name", "param", {0: 1.0, 1: -1.0}, differs=PRODUCTS),
]
