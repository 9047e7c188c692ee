# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Training and scoring inside Spark, with the classes and names of Spark ML."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"mlp.spark needs PySpark 3.4 or later and pyarrow ({error}); install them with: "
        "python -m pip install 'spark-mlp[spark]'",
        name=error.name,
    ) from error

from .run import Rank, run

if TYPE_CHECKING:
    from .by_group.fit import fit_groups
    from .by_group.score import score_groups
    from .classification import (
        MultilayerPerceptronClassificationModel,
        MultilayerPerceptronClassifier,
    )
    from .hidden_layer import HiddenLayerTransformer
    from .jar import enable_jar, jar_path
    from .native import from_native, to_native
    from .regression import (
        MultilayerPerceptronRegressionModel,
        MultilayerPerceptronRegressor,
    )
    from .udf import predict_udf

__all__ = [
    "HiddenLayerTransformer",
    "MultilayerPerceptronClassificationModel",
    "MultilayerPerceptronClassifier",
    "MultilayerPerceptronRegressionModel",
    "MultilayerPerceptronRegressor",
    "Rank",
    "enable_jar",
    "fit_groups",
    "from_native",
    "jar_path",
    "predict_udf",
    "run",
    "score_groups",
    "to_native",
]

MODULES = {
    "HiddenLayerTransformer": "hidden_layer",
    "MultilayerPerceptronClassificationModel": "classification",
    "MultilayerPerceptronClassifier": "classification",
    "MultilayerPerceptronRegressionModel": "regression",
    "MultilayerPerceptronRegressor": "regression",
    "enable_jar": "jar",
    "fit_groups": "by_group.fit",
    "from_native": "native",
    "jar_path": "jar",
    "predict_udf": "udf",
    "score_groups": "by_group.score",
    "to_native": "native",
}


def __getattr__(name: str) -> Any:
    # The tasks of Spark import this package too, and do not need pyspark.ml.
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)
