# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings whose objective or weights become infinite or NaN."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, TARGETS, Case, scaled

LARGE = scaled(1e6)
# The first step makes weights whose outputs overflow, whatever the weights at the start.
OVERFLOWING = scaled(1e200)
HUGE_TARGETS = replace(BASE, labels=tuple(1e200 * (1 + target) for target in TARGETS))
SGD = {"solver": "sgd", "stepSize": 10.0, "layers": (3, 2)}
LINEAR = {"solver": "sgd", "stepSize": 10.0, "layers": (3, 1), "maxIter": 50}


def fit(given: str, outcome: str, **more: Any) -> Case:
    return Case("divergence", given, outcome, **more)


def regression(given: str, outcome: str, **more: Any) -> Case:
    return Case("divergence", given, outcome, task="regression", **more)


CASES = [
    fit("sgd whose outputs overflow", "diverged", table=OVERFLOWING, params=SGD),
    fit("sgd that diverges in its last epoch", "diverged", table=OVERFLOWING,
        params=SGD | {"maxIter": 2}),
    fit("sgd with momentum", "diverged", table=OVERFLOWING, params=SGD | {"momentum": 0.9}),
    fit("adam with step 1e308", "diverged",
        params={"solver": "adam", "activation": "relu", "stepSize": 1e308}),
    fit("adamw with step 1e308", "diverged",
        params={"solver": "adamw", "activation": "relu", "stepSize": 1e308}),
    fit("gd with step 1e300", "diverged", table=LARGE,
        params={"solver": "gd", "stepSize": 1e300, "tol": 0.0, "layers": (3, 2)}),
    fit("l-bfgs on features of 1e308", "diverged", table=scaled(1e308),
        params={"layers": (3, 2)}),
    fit("sgd with a validation set", "diverged", table=OVERFLOWING, validation=OVERFLOWING,
        params=SGD | {"patience": 5}),
    fit("sgd with weights of rows", "diverged",
        table=replace(OVERFLOWING, weights=(1.0, 0.5) * 12), params=SGD),
    fit("sgd on several partitions", "diverged", table=OVERFLOWING,
        partition_sizes=(10, 14), params=SGD),
    regression("sgd with step 10 on features of 1e6", "diverged",
               table=replace(LARGE, labels=TARGETS), params=LINEAR,
               differs={"sklearn": ("trains", "its weights and batches lose all units first")}),
    regression("sgd with step 10 and standardize", "trains", standardize=True,
               table=replace(LARGE, labels=TARGETS), params=LINEAR | {"stepSize": 0.1}),
    regression("l-bfgs with an infinite objective", "diverged", table=HUGE_TARGETS),
    regression("adam with an infinite objective", "diverged", table=HUGE_TARGETS,
               params={"solver": "adam"}),
    fit("sgd with standardize", "trains", table=LARGE, standardize=True,
        params=SGD | {"stepSize": 0.1}),
    fit("the model of a training that diverged", "trains", table=OVERFLOWING,
        params=SGD | {"onDivergence": "model"}),
    fit("a value of onDivergence that is none", "param", params={"onDivergence": "maybe"},
        needs=("texts of switches",), only="only mlp.spark chooses by a text"),
    fit("a gradient that is clipped", "trains", table=LARGE,
        params=SGD | {"stepSize": 1e-9, "clipNorm": 1.0}),
    fit("a training of no iteration", "trains", params={"maxIter": 0}),
]
