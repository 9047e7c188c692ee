# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with mlp.Model and mlp.convert."""
from __future__ import annotations

import pathlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mlp
from mlp.convert import convert

from . import arrays
from .case import Case
from .damage import damaged_file
from .encoding import text_of
from .limits import limited_memory
from .exceptions import attempt
from .network import model_text
from .places import Place
from .result import Result

NAME = "model"


def is_available() -> str:
    return ""


def predict(case: Case) -> Result:
    text = text_of(case)
    model = mlp.Model.from_json(text)

    def work() -> dict[str, Any]:
        found = model.predict_proba(arrays.features(case.table))
        return {"numbers": found.ravel().tolist(), "model": text}

    return attempt(work)


def load(case: Case, folder: pathlib.Path) -> Result:
    path = damaged_file(case.change, folder)

    def work() -> dict[str, Any]:
        with limited_memory():
            mlp.Model.load(path)
        return {}

    return attempt(work)


def written(write: Callable[[str], object], place: Place) -> Result:
    def work() -> dict[str, Any]:
        write(place.path)
        return {}

    return place.checked(attempt(work))


def save(case: Case, folder: pathlib.Path) -> Result:
    """Saves with Model.save(), and converts a model file to the same kind of place."""
    source = folder / "given.json"
    source.write_text(model_text(), encoding="utf-8")
    writers: dict[str, Callable[[str], object]] = {
        "save": mlp.Model.load(source).save,
        "convert": lambda path: convert(str(source), path, "json"),
    }
    if case.target == "input":
        del writers["save"]  # a model is read as a whole before it is saved
    results = {}
    for name, write in writers.items():
        part = folder / name
        part.mkdir()
        results[name] = written(write, Place(case.target, part, str(source)))
    first, *others = results.values()
    for name, result in results.items():
        if result.trouble:
            return replace(result, trouble=f"{result.trouble} by {name}()")
    if any(other.codes != first.codes for other in others):
        return Result(trouble=f"answers that differ: {results}")
    return first


def run(case: Case, folder: pathlib.Path) -> Result:
    if case.action == "predict":
        return predict(case)
    return {"load": load, "save": save}[case.action](case, folder)
