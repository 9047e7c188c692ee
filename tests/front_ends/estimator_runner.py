# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with mlp.MLPClassifier and mlp.MLPRegressor."""
from __future__ import annotations

import pathlib
import re
from typing import Any

import numpy as np

import mlp

from . import arrays
from .case import BASE, NAMED, Case
from .damage import damaged_file
from .exceptions import attempt
from .limits import limited_memory, memory_of, trouble_of_memory
from .network import model_text
from .program_runner import write_files
from .result import Result

NAME = "estimator"


def is_available() -> str:
    return ""


def snake_case(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def estimator(case: Case) -> Any:
    kind = mlp.MLPRegressor if case.task == "regression" else mlp.MLPClassifier
    params = {snake_case(name): value for name, value in case.all_params().items()}
    if "class_weights" in params:
        weights = params.pop("class_weights")
        params["class_weight"] = dict(enumerate(map(float, weights.split(","))))
    if case.class_weight is not None:
        params["class_weight"] = dict(case.class_weight)
    if case.effort:
        params["effort"] = case.effort
    if case.coverage is not None:
        params["interval" if case.task == "regression" else "coverage"] = case.coverage
    if case.standardize:
        params["standardize"] = True
    return kind(**params)


def fit_keywords(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = {"sample_weight": arrays.weights(case.table)}
    if case.table.groups is not None:
        found["groups"] = list(case.table.groups)
    if case.partition_sizes is not None:
        found["partition_sizes"] = case.partition_sizes
    if case.validation is not None:
        held_out = (arrays.features(case.validation), arrays.labels(case.validation))
        weights = arrays.weights(case.validation)
        found["eval_set"] = held_out if weights is None else (*held_out, weights)
    return found


def trouble_of(model: mlp.Model) -> str:
    """Returns what no training may give."""
    return "" if np.isfinite(model.weights).all() else "a model with weights that are not finite"


def fit(case: Case) -> Result:
    def work() -> dict[str, Any]:
        trained = estimator(case)
        keywords = fit_keywords(case)
        with memory_of(case) as decisions:
            trained.fit(arrays.features_to_fit(case), arrays.labels(case.table), **keywords)
        trouble = trouble_of(trained.model_) or trouble_of_memory(case, decisions)
        return {"trouble": trouble}

    return attempt(work)


def fit_files(case: Case, folder: pathlib.Path) -> Result:
    path = str(folder / "data.csv") if case.text else write_files(case, folder)
    if case.text:
        pathlib.Path(path).write_text(case.text, encoding="utf-8")
    # As the program does without layers.
    one_hot = "auto" if "no layers" in case.all_needs() else None

    def work() -> dict[str, Any]:
        table = mlp.read(path, label=case.label, one_hot=one_hot)
        return {"trouble": trouble_of(estimator(case).fit(table.X, table.y).model_)}

    return attempt(work)


def given_estimator(names: bool) -> Any:
    """Returns an estimator with the weights of the model of the cases."""
    weights = mlp.Model.from_json(model_text()).weights
    made = mlp.MLPClassifier(layers=[3, 4, 2], max_iter=0, initial_weights=weights)
    table = NAMED if names else BASE
    return made.fit(arrays.features(table), arrays.labels(table))


def predict(case: Case) -> Result:
    made = given_estimator(case.table.names is not None)

    def work() -> dict[str, Any]:
        found = made.predict_proba(arrays.features(case.table))
        return {"numbers": found.ravel().tolist()}

    return attempt(work)


def evaluate(case: Case) -> Result:
    made = given_estimator(case.table.names is not None)

    def work() -> dict[str, Any]:
        made.score(arrays.features(case.table), arrays.labels(case.table))
        return {}

    return attempt(work)


def load(case: Case, folder: pathlib.Path) -> Result:
    path = damaged_file(case.change, folder)

    def work() -> dict[str, Any]:
        made = mlp.MLPClassifier(layers=[3, 4, 2], max_iter=1)
        with limited_memory():
            made.fit(arrays.features(BASE), arrays.labels(BASE), init_model=path)
        return {}

    return attempt(work)


def run(case: Case, folder: pathlib.Path) -> Result:
    if case.action == "load":
        return load(case, folder)
    if case.files or case.text:
        return fit_files(case, folder)
    return {"fit": fit, "predict": predict, "evaluate": evaluate}[case.action](case)
