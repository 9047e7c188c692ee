# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models of other libraries: Spark ML, ONNX, scikit-learn and PyTorch.

Each function imports the library that it needs when it is called.
"""
from __future__ import annotations

from .spark import read_spark, write_spark

__all__ = ["read_spark", "write_spark"]
