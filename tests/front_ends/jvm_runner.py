# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with the jar: NativeMlpClassifier and NativeMlpModel, without Python in tasks."""
from __future__ import annotations

import pathlib
import re
from typing import Any

from pyspark.sql import DataFrame

from .case import Case
from .damage import damaged_file
from .encoding import text_of
from .result import Result
from .spark_frames import Frames

NAME = "jvm"
# The exceptions of the jar, by the status of the C interface.
CODES = {
    "IllegalArgumentException": ("param", "data", "model"),
    "DivergedException": ("diverged",),
    "NoSuchElementException": ("param",),
}
EXCEPTION = re.compile(r"(?:java\.lang|java\.util|io\.mlp\.spark)\.(\w+Exception): ([^\n]*)")


def attempt(work: Any) -> Result:
    """Calls work, which returns the other attributes of a result."""
    try:
        found = work()
    except (AttributeError, NameError, AssertionError):
        raise
    except Exception as error:  # noqa: BLE001  each exception of Java is a result
        return result_of(error)
    return Result(**found)


def result_of(error: Exception) -> Result:
    text = str(error)
    for name, sentence in EXCEPTION.findall(text):
        if name in CODES:
            return Result(CODES[name], sentence)
    # PySpark translates the exceptions of the driver.
    if type(error).__name__ in CODES:
        return Result(CODES[type(error).__name__], text)
    return Result(trouble=f"{type(error).__name__}: {text[:500]}")


def set_params(session: Any, stage: Any, params: dict[str, Any]) -> None:
    for name, value in params.items():
        given = value_of(session, name, value)
        try:
            getattr(stage, f"set{name[0].upper()}{name[1:]}")(given)
        except Exception as error:
            # A value of another type finds no method.
            if "does not exist" not in str(error):
                raise
            raise TypeError(f"set{name[0].upper()}{name[1:]}({given!r}) is no method") from error


def value_of(session: Any, name: str, value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    jvm = session._jvm
    if name == "initialWeights":
        numbers = array_of(session, jvm.double, value)
        return jvm.org.apache.spark.ml.linalg.Vectors.dense(numbers)
    return array_of(session, jvm.int, value)


def array_of(session: Any, kind: Any, values: tuple[Any, ...]) -> Any:
    array = session.sparkContext._gateway.new_array(kind, len(values))
    for place, value in enumerate(values):
        array[place] = value
    return array


def fit(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    session = frames.session
    stage = session._jvm.io.mlp.spark.NativeMlpClassifier()
    if case.table.weights is not None:
        stage.setWeightCol("weight")
    try:
        set_params(session, stage, case.all_params())
    except TypeError as error:
        return Result(("param",), str(error))

    def work() -> dict[str, Any]:
        stage.fit(frames.of(case)._jdf)
        return {}

    return attempt(work)


def scored(frames: Frames, case: Case, model: Any) -> list[Any]:
    frame = DataFrame(model.transform(frames.of(case)._jdf), frames.session)
    rows: list[Any] = frame.select("probability").collect()
    return rows


def predict(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    model = frames.session._jvm.io.mlp.spark.NativeMlpModel().setModelText(text_of(case))

    def work() -> dict[str, Any]:
        rows = scored(frames, case, model)
        return {"numbers": [x for row in rows for x in row.probability.toArray().tolist()]}

    return attempt(work)


def load(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    path = damaged_file(case.change, folder)

    def work() -> dict[str, Any]:
        model = frames.session._jvm.io.mlp.spark.NativeMlpModel().setModelPath(f"file://{path}")
        model.transform(frames.of(case)._jdf)
        return {}

    return attempt(work)


ACTIONS = {"fit": fit, "predict": predict, "load": load}


def run(case: Case, folder: pathlib.Path, frames: Frames) -> Result:
    return ACTIONS[case.action](case, folder, frames)
