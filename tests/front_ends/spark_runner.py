# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with mlp.spark in a session of Spark."""
from __future__ import annotations

import logging
import pathlib
import re
from typing import Any

import mlp
from mlp import Model
from mlp.spark import (
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
    MultilayerPerceptronRegressor,
)
from pyspark.errors import IllegalArgumentException

from .case import Case
from .damage import damaged_file
from .encoding import text_of
from .limits import limited_memory
from .exceptions import result_of
from .network import model_text
from .places import Place
from .result import Result
from .spark_frames import Frames

NAME = "spark"
# Spark's own model scores few rows, and refuses them in a function of SQL.
OF_SPARKS_MODEL = "[FAILED_EXECUTE_UDF]"
# As Spark refuses it, with an exception of the JVM.
WITHOUT_LAYERS = "Failed to find a default value for layers"
LOGGER = logging.getLogger("mlp.spark")


class Warnings(logging.Handler):
    """Keeps the codes of the warnings that mlp.spark logs."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.codes: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.codes.append(str(getattr(record, "code", "")))


def attempt(work: Any) -> Result:
    """Calls work, which returns the other attributes of a result."""
    heard = Warnings()
    LOGGER.addHandler(heard)
    try:
        found = work()
    except IllegalArgumentException as error:
        # Spark has one exception for Params and for columns.
        return Result(("param", "data"), str(error))
    except Exception as error:  # noqa: BLE001  each exception is a result
        if WITHOUT_LAYERS in str(error):
            return Result(("param",), WITHOUT_LAYERS)
        if OF_SPARKS_MODEL in str(error):
            return Result(("data",), str(error))
        in_worker = re.search(r"^mlp\.errors\.(\w+): (.*)$", str(error), re.MULTILINE)
        if in_worker:
            return result_of(getattr(mlp, in_worker[1])(in_worker[2]))
        return result_of(error)
    finally:
        LOGGER.removeHandler(heard)
    return Result(warnings=tuple(heard.codes), **found)


def value_of(name: str, value: Any) -> Any:
    from pyspark.ml.linalg import Vectors

    if name == "initialWeights":
        return Vectors.dense(list(value))
    if name == "classWeights":
        return [float(text) for text in value.split(",")]
    return list(value) if isinstance(value, tuple) else value


def estimator(case: Case) -> Any:
    params = {name: value_of(name, value) for name, value in case.all_params().items()}
    if case.table.weights is not None:
        params["weightCol"] = "weight"
    if case.validation is not None:
        params["validationIndicatorCol"] = "isHeldOut"
    is_regression = case.task == "regression"
    kind = MultilayerPerceptronRegressor if is_regression else MultilayerPerceptronClassifier
    return kind(**params)


def fit(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    def work() -> dict[str, Any]:
        estimator(case).fit(frames.of(case))
        return {}

    return attempt(work)


def given_model(text: str) -> Any:
    return MultilayerPerceptronClassificationModel(Model.from_json(text))


def predict(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    def work() -> dict[str, Any]:
        rows = given_model(text_of(case)).transform(frames.of(case)).select("probability").collect()
        return {"numbers": [x for row in rows for x in row.probability.toArray().tolist()]}

    return attempt(work)


def load(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    path = damaged_file(case.change, folder)

    def work() -> dict[str, Any]:
        with limited_memory():
            MultilayerPerceptronClassificationModel.from_json(path)
        return {}

    return attempt(work)


def save(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    place = Place(case.target, folder, "")

    def work() -> dict[str, Any]:
        given_model(model_text()).to_json(place.path)
        return {}

    return place.checked(attempt(work))


ACTIONS = {"fit": fit, "predict": predict, "load": load, "save": save}


def run(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    return ACTIONS[case.action](case, folder, frames)
