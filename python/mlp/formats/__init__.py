# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models of other libraries: Spark ML, ONNX, scikit-learn and PyTorch; plain networks.

Each function imports the library that it needs when it is called.
"""
from __future__ import annotations

from .onnx import write_onnx
from .onnx_reader import read_onnx
from .plain import to_plain
from .pytorch import from_torch
from .scikit_learn import from_sklearn
from .spark import write_spark
from .spark_reader import read_spark

__all__ = [
    "from_sklearn",
    "from_torch",
    "read_onnx",
    "read_spark",
    "to_plain",
    "write_onnx",
    "write_spark",
]
