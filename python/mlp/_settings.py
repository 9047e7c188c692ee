# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters of an estimator as those of the C++ library."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _core
from ._parameters import PARAMETERS, Parameter
from .errors import ParamError

BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def to_text(value: Any) -> str:
    """Returns a value as the C++ library reads it. A float keeps all its bits."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, Iterable):
        return ",".join(to_text(item) for item in value)
    return repr(value)


def is_default(parameter: Parameter, value: Any) -> bool:
    """True if a value need not be set: it is Spark's, and no preset changes it."""
    is_plain = isinstance(value, (str, int, float))
    return is_plain and not parameter.is_set_by_preset and bool(value == parameter.spark)


def set_param(params: _core.Params, parameter: Parameter, value: Any) -> None:
    if parameter.name == "initial_weights":
        weights = getattr(value, "weights", value)
        params.set_initial_weights(np.ascontiguousarray(weights, dtype=np.float64))
    else:
        params.set(parameter.spark_name, to_text(value))


def make_params(task: str, values: dict[str, Any], preset: str) -> tuple[_core.Params, list[str]]:
    """Makes the hyper-parameters of a training, without what the preset chooses.

    Returns
    -------
    the hyper-parameters, and Spark's names of those that the preset must not change
    """
    params = _core.Params()
    params.set("task", task)
    given = []
    for name, value in values.items():
        parameter = BY_NAME[name]
        if value is None or is_default(parameter, value):
            continue
        set_param(params, parameter, value)
        given.append(parameter.spark_name)
    if preset == "spark" and not params.layers:
        raise ParamError(
            "layers must be given with preset 'spark': the sizes from the features to the "
            "outputs, such as [4, 5, 3]; preset 'modern' chooses them"
        )
    return params, given


def choose_preset(preset: str | None, layers: Any) -> str:
    """Returns where values that are not set come from: "spark" or "modern"."""
    if preset is None:
        return "modern" if layers is None else "spark"
    if preset not in ("spark", "modern"):
        raise ParamError(f"preset must be 'spark' or 'modern'; got {preset!r}")
    return preset
