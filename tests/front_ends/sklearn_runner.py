# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with mlp.sklearn, the estimators with scikit-learn's hyper-parameters."""
from __future__ import annotations

import pathlib
from typing import Any

import mlp.sklearn

from . import arrays
from .case import BASE, NAMED, Case
from .estimator_runner import fit_keywords, trouble_of
from .exceptions import attempt
from .front_ends import SKLEARN_PARAMS
from .limits import memory_of, trouble_of_memory
from .result import Result

NAME = "sklearn"
# Spark's names of values that scikit-learn spells otherwise.
VALUES = {"l-bfgs": "lbfgs", "sigmoid": "logistic"}


def is_available() -> str:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return "scikit-learn is not installed"
    return ""


def estimator(case: Case) -> Any:
    names = mlp.sklearn.MLPRegressor if case.task == "regression" else mlp.sklearn.MLPClassifier
    given = {"solver": "l-bfgs", "activation": "sigmoid"} | case.all_params()
    params = {SKLEARN_PARAMS[name]: value for name, value in given.items()}
    params["hidden_layer_sizes"] = tuple(given["layers"])[1:-1]
    for name, value in params.items():
        if isinstance(value, str):
            params[name] = VALUES.get(value, value)
    return names(**params)


def fit(case: Case) -> Result:
    def work() -> dict[str, Any]:
        keywords = fit_keywords(case)
        made = estimator(case)
        with memory_of(case) as decisions:
            made.fit(arrays.features_to_fit(case), arrays.labels(case.table), **keywords)
        return {"trouble": trouble_of(made.model_) or trouble_of_memory(case, decisions)}

    return attempt(work)


def fitted(case: Case) -> Any:
    table = NAMED if case.table.names is not None else BASE
    made = estimator(Case("", "", ""))
    return made.fit(arrays.features(table), arrays.labels(table))


def predict(case: Case) -> Result:
    made = fitted(case)

    def work() -> dict[str, Any]:
        found = made.predict_proba(arrays.features(case.table))
        return {"numbers": found.ravel().tolist(), "model": made.model_.to_json()}

    return attempt(work)


def evaluate(case: Case) -> Result:
    made = fitted(case)

    def work() -> dict[str, Any]:
        made.score(arrays.features(case.table), arrays.labels(case.table))
        return {}

    return attempt(work)


def run(case: Case, folder: pathlib.Path) -> Result:
    return {"fit": fit, "predict": predict, "evaluate": evaluate}[case.action](case)
