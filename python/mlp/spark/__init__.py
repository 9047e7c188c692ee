# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Training and scoring inside Spark, with the classes and names of Spark ML."""
from __future__ import annotations

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"mlp.spark needs PySpark 3.5 or later and pyarrow ({error}); install them with: "
        "python -m pip install 'spark-mlp[spark]'",
        name=error.name,
    ) from error
