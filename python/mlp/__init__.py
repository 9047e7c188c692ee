# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Multilayer perceptrons, trained as Spark ML does or without layers.

``MLPClassifier`` and ``MLPRegressor`` are estimators for NumPy, data frames and
scikit-learn; ``Model`` is a trained network, the file of the program ``mlp``.
"""
from __future__ import annotations

import pathlib as _pathlib

from ._core import __version__
from ._namesake import warn_of_namesake as _warn_of_namesake
from ._progress import Iteration
from .classifier import MLPClassifier
from .data import (
    Table,
    read,
    read_arrow,
    read_csv,
    read_idx,
    read_libsvm,
    read_npy,
    read_parquet,
)
from .errors import (
    ColumnWarning,
    CommunicationError,
    ConvergenceWarning,
    DataError,
    DeviceError,
    DivergedError,
    LabelWarning,
    MLPError,
    ModelError,
    NotCompiled,
    ParamError,
    ResourceError,
    ShapeError,
)
from .model import Model
from .regressor import MLPRegressor

__all__ = [
    "ColumnWarning",
    "CommunicationError",
    "ConvergenceWarning",
    "DataError",
    "DeviceError",
    "DivergedError",
    "Iteration",
    "LabelWarning",
    "MLPClassifier",
    "MLPError",
    "MLPRegressor",
    "Model",
    "ModelError",
    "NotCompiled",
    "ParamError",
    "ResourceError",
    "ShapeError",
    "Table",
    "__version__",
    "read",
    "read_arrow",
    "read_csv",
    "read_idx",
    "read_libsvm",
    "read_npy",
    "read_parquet",
]

_warn_of_namesake(_pathlib.Path(__file__).parent.parent)
