# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""One value outside the interval of every hyper-parameter."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..case import BASE, INF, LABELS, NAN, ROWS, TARGETS, Case, Table

BATCHES: dict[str, Any] = {"solver": "sgd"}
NO_EFFECT = {
    name: ("trains", "a hyper-parameter without effect is ignored, as in Spark")
    for name in ("c", "spark")
}
NO_PRESET = {
    name: ("param", "Spark's layers have no default") for name in ("c", "jvm", "spark")
}
SEEDS = {"sklearn": ("param", "scikit-learn's seeds are from 0 to 2^32 - 1")}


def param(given: str, outcome: str = "param", needs: tuple[str, ...] = (), **params: Any) -> Case:
    return Case("params", given, outcome, params=params, needs=needs)


def effort(given: str, outcome: str, effort: str, **params: Any) -> Case:
    return Case("params", given, outcome, params={"layers": None} | params, effort=effort)


def region(
    given: str, outcome: str, coverage: float, task: str = "classification", **params: Any
) -> Case:
    table = BASE if task == "classification" else replace(BASE, labels=TARGETS)
    return Case("params", given, outcome, table=table, task=task, coverage=coverage,
                params={"layers": None} | params)


def groups(given: str, outcome: str, values: Sequence[Any], **params: Any) -> Case:
    table = replace(BASE, groups=tuple(values))
    return Case("params", given, outcome, table=table, params={"layers": None} | params)


CASES = [
    param("maxIter -1", maxIter=-1),
    param("maxIter 1.5", maxIter=1.5),
    param("tol -1", tol=-1.0),
    param("tol NaN", tol=NAN),
    param("tol 2 with gd", solver="gd", tol=2.0),
    param("tol 2 with l-bfgs", "trains", tol=2.0),
    param("blockSize 0", blockSize=0),
    param("stepSize 0", stepSize=0.0, solver="gd"),
    param("stepSize -1", stepSize=-1.0, solver="gd"),
    param("stepSize infinite", stepSize=INF, solver="gd"),
    param("stepSize NaN with sgd", stepSize=NAN, **BATCHES),
    param("an unknown solver", solver="newton"),
    param("a seed of 2^70", seed=2**70, needs=("integers above 2^63",)),
    param("a seed that is no number", seed="lucky"),
    Case("params", "a seed that is negative", "trains", params={"seed": -7}, differs=SEEDS),
    param("thresholds for three classes of two", thresholds=(0.5, 0.3, 0.2)),
    param("a negative threshold", thresholds=(0.5, -0.1)),
    param("two thresholds of 0", thresholds=(0.0, 0.0)),
    param("numbers in quantile bins", "trains", numericEncoding="quantile:4"),
    param("quantiles of one bin", numericEncoding="quantile:1"),
    param("quantiles of 257 bins", numericEncoding="quantile:257"),
    param("an unknown encoding of numbers", numericEncoding="fourier"),
    param("quantiles and initial weights", numericEncoding="quantile",
          initialWeights=(0.1,) * 26),
    param("an unknown activation", activation="step"),
    param("two activations for one layer", activation="relu,tanh"),
    param("an unknown init", init="ones"),
    param("too few initial weights", initialWeights=(0.5, 0.5)),
    Case("params", "initial weights of NaN", "param", params={"initialWeights": (NAN,) * 26},
         differs={"program": ("model", "they are a file, which is no model")}),
    param("initial weights", "trains", initialWeights=(0.1,) * 26),
    param("dropout 1", dropout=1.0),
    param("dropout -0.1", dropout=-0.1),
    param("dropout for two layers of one", dropout=(0.1, 0.1), **BATCHES),
    param("regParam -1", regParam=-1.0),
    param("regParam NaN", regParam=NAN),
    param("labelSmoothing 1.5", labelSmoothing=1.5),
    param("clipNorm -1", clipNorm=-1.0),
    param("clipValue -1", clipValue=-1.0),
    param("patience 0", patience=0, needs=("given patience",)),
    Case("params", "patience without a validation set", "param", params={"patience": 5},
         needs=("given patience",), differs=NO_EFFECT),
    param("historySize -1", historySize=-1),
    param("historySize 1001", historySize=1001),
    param("batchSize 0", batchSize=0, **BATCHES),
    param("momentum 1", momentum=1.0, **BATCHES),
    param("an unknown schedule", schedule="sometimes", **BATCHES),
    param("freeze of a layer that is none", freeze=(9,)),
    param("freeze of layer 0", freeze=(0,)),
    Case("params", "batchNorm with one row", "data", table=Table(ROWS[:1], LABELS[:1]),
         params={"batchNorm": True, **BATCHES}),
    param("batchNorm with l-bfgs", batchNorm=True),
    param("an unknown shuffle", shuffle="blocks", **BATCHES),
    param("shuffle slabs with l-bfgs", shuffle="slabs"),
    Case("params", "no layers", "trains", params={"layers": None}, differs=NO_PRESET),
    effort("effort quick", "trains", "quick"),
    effort("effort standard", "trains", "standard"),
    effort("an unknown effort", "param", "heroic"),
    effort("effort standard with layers", "param", "standard", layers=(3, 4, 2)),
    effort("effort quick with layers", "trains", "quick", layers=(3, 4, 2)),
    effort("effort standard with residual connections", "param", "standard", residual=True),
    effort("effort standard with frozen layers", "param", "standard", freeze=(1,)),
    Case("params", "effort standard with a validation set", "param",
         params={"layers": None, "patience": 5}, effort="standard", validation=BASE),
    groups("groups of rows", "trains", [i // 2 for i in range(24)]),
    groups("groups with texts as names", "trains", [f"g{i % 7}" for i in range(24)]),
    groups("a missing group", "data", [None, *range(1, 24)]),
    groups("rows of one group", "data", [7] * 24),
    groups("rows of one group in two types of numbers", "data", [7, 7.0] * 12),
    groups("rows of one group in two spellings of a number", "data", ["7", "7.0"] * 12),
    groups("a group that is a text for missing values", "data", ["NA", *map(str, range(23))]),
    groups("groups that are the classes", "data", LABELS),
    groups("groups with layers", "param", range(24), layers=(3, 4, 2)),
    region("prediction sets", "trains", 0.5),
    region("prediction intervals", "trains", 0.5, "regression"),
    region("prediction sets of coverage 1", "param", 1.0),
    region("prediction intervals of coverage 0", "param", 0.0, "regression"),
    region("prediction sets of more coverage than the rows give", "param", 0.99),
    region("prediction sets with thresholds", "param", 0.5, thresholds=(0.5, 0.5)),
    region("prediction sets with layers", "param", 0.5, layers=(3, 4, 2)),
    region("prediction intervals with layers", "param", 0.5, "regression", layers=(3, 4, 1)),
    param("a name that is no hyper-parameter", learningSpeed=1.0),
    param("a name in another spelling", max_iterations=3),
]
