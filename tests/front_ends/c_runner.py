# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with the C interface, through ctypes."""
from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from dataclasses import replace
from functools import cache
from typing import Any

from .case import Case, Table
from .damage import damaged_file
from .encoding import text_of
from .limits import limited_memory
from .network import model_text
from .places import Place
from .program_runner import value_text
from .result import Result

NAME = "c"
CODES = {2: "param", 3: "data", 4: "model", 5: "diverged", 6: "resource"}
ROOT = pathlib.Path(__file__).resolve().parents[2]


class FitOptions(ctypes.Structure):
    """mlp_fit_options of capi/mlp/c_api.h."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("num_threads", c_int),
        ("is_standardizing", c_int),
        ("weights", POINTER(c_double)),
        ("partition_sizes", POINTER(c_int64)),
        ("num_partitions", c_int64),
        ("on_iteration", c_void_p),
        ("user", c_void_p),
        ("keeps_diverged", c_int),
        ("reserved", c_int),
    ]


def library_path() -> pathlib.Path:
    """Returns libmlp_c.so: that of the environment, or that of scripts/build-wheels."""
    built = ROOT / "build-wheels" / "x86_64" / "cmake" / "parts" / "capi" / "libmlp_c.so"
    return pathlib.Path(os.environ.get("MLP_C_LIBRARY", built))


def is_available() -> str:
    path = library_path()
    if path.exists():
        return ""
    return f"there is no {path}; build the target mlp_c, and set MLP_C_LIBRARY to its path"


@cache
def library() -> Any:
    loaded = ctypes.CDLL(str(library_path()))
    loaded.mlp_last_error.restype = c_char_p
    loaded.mlp_model_num_outputs.restype = c_int64
    loaded.mlp_model_num_outputs.argtypes = [c_void_p]
    loaded.mlp_model_num_features.restype = c_int64
    loaded.mlp_model_num_features.argtypes = [c_void_p]
    loaded.mlp_model_num_warnings.restype = c_int64
    loaded.mlp_model_num_warnings.argtypes = [c_void_p]
    loaded.mlp_model_free.argtypes = [c_void_p]
    loaded.mlp_params_free.argtypes = [c_void_p]
    loaded.mlp_params_set.argtypes = [c_void_p, c_char_p, c_char_p]
    loaded.mlp_model_save.argtypes = [c_void_p, c_char_p]
    loaded.mlp_fit.argtypes = [
        c_void_p, POINTER(c_double), POINTER(c_double), c_int64, c_int64, c_void_p,
        POINTER(c_void_p),
    ]
    loaded.mlp_model_predict_probability.argtypes = [
        c_void_p, POINTER(c_double), c_int64, c_int, POINTER(c_double),
    ]
    return loaded


def result_of(status: int, **more: Any) -> Result:
    if status == 0:
        return Result(**more)
    sentence = library().mlp_last_error().decode("utf-8", "surrogateescape")
    if status not in CODES:
        return Result(trouble=f"status {status}: {sentence}")
    return Result((CODES[status],), sentence)


def doubles(values: Sequence[float]) -> Any:
    return (c_double * max(1, len(values)))(*values)


def flat(table: Table) -> Any:
    return doubles([float(x) for row in table.rows for x in row])


def width_of(table: Table) -> int:
    return len(table.rows[0]) if table.rows else 3


def set_params(params: c_void_p, case: Case) -> int:
    given = case.all_params() | {"task": case.task}
    given.pop("onDivergence", None)  # an option of the training
    for name, value in given.items():
        text = "true" if value is True else value_text(value)
        status: int = library().mlp_params_set(params, name.encode(), text.encode())
        if status != 0:
            return status
    return 0


def options_of(case: Case) -> FitOptions:
    options = FitOptions()
    library().mlp_fit_options_init_sized(byref(options), c_size_t(ctypes.sizeof(options)))
    options.is_standardizing = int(case.standardize)
    options.keeps_diverged = int(case.params.get("onDivergence") == "model")
    if case.table.weights is not None:
        options.weights = doubles(case.table.weights)
    if case.partition_sizes is not None:
        sizes = case.partition_sizes
        options.partition_sizes = (c_int64 * len(sizes))(*sizes)
        options.num_partitions = len(sizes)
    if "number of partitions" in case.needs:
        options.num_partitions = -1
    return options


def warnings_of(model: c_void_p) -> tuple[str, ...]:
    """Returns the codes of the warnings of a training."""
    code_of = library().mlp_model_warning_code
    code_of.restype, code_of.argtypes = c_char_p, [c_void_p, c_int64]
    count = library().mlp_model_num_warnings(model)
    return tuple(code_of(model, index).decode() for index in range(count))


def fit(case: Case, folder: pathlib.Path) -> Result:
    params, model = c_void_p(), c_void_p()
    library().mlp_params_new(byref(params))
    status = set_params(params, case)
    if status == 0:
        table = case.table
        labels = doubles([float(label) for label in table.labels])
        options = options_of(case)
        status = library().mlp_fit(
            params, flat(table), labels, len(table.rows), width_of(table), byref(options),
            byref(model),
        )
    result = result_of(status, warnings=warnings_of(model) if status == 0 else ())
    library().mlp_params_free(params)
    library().mlp_model_free(model)
    return result


def given_model(given: str) -> c_void_p:
    model = c_void_p()
    text = given.encode()
    status = library().mlp_model_from_json(text, c_size_t(len(text)), byref(model))
    assert status == 0
    return model


def find_columns(model: c_void_p, names: Sequence[str]) -> tuple[int, list[int]]:
    """Returns a status, and the column of each feature of a model."""
    given = (c_char_p * len(names))(*(name.encode() for name in names))
    columns = (c_int64 * library().mlp_model_num_features(model))()
    find = library().mlp_model_find_columns
    find.argtypes = [c_void_p, POINTER(c_char_p), c_int64, POINTER(c_int64)]
    status: int = find(model, given, len(names), columns)
    return status, list(columns)


def predict(case: Case, folder: pathlib.Path) -> Result:
    model, table = given_model(text_of(case)), case.table
    status = 0
    if table.names is not None:
        status, columns = find_columns(model, table.names)
        if status == 0:
            table = replace(table, rows=[[row[place] for place in columns] for row in table.rows])
    size = len(table.rows) * library().mlp_model_num_outputs(model)
    numbers = (c_double * size)()
    if status == 0:
        status = library().mlp_model_predict_probability(
            model, flat(table), len(table.rows), 1, numbers
        )
    result = result_of(status, numbers=list(numbers))
    library().mlp_model_free(model)
    return result


def load(case: Case, folder: pathlib.Path) -> Result:
    model = c_void_p()
    path = damaged_file(case.change, folder)
    with limited_memory():
        status = library().mlp_model_load(path.encode(), byref(model))
    library().mlp_model_free(model)
    return result_of(status)


def save(case: Case, folder: pathlib.Path) -> Result:
    model = given_model(model_text())
    place = Place(case.target, folder, "")
    status = library().mlp_model_save(model, place.path.encode())
    result = place.checked(result_of(status))
    library().mlp_model_free(model)
    return result


ACTIONS = {"fit": fit, "predict": predict, "load": load, "save": save}


def run(case: Case, folder: pathlib.Path) -> Result:
    return ACTIONS[case.action](case, folder)
