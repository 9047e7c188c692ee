# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The jars that score and train in the JVM of Spark."""
from __future__ import annotations

import pathlib

from ..errors import NotCompiled, ParamError

__all__ = ["jar_path"]

SCALAS = ("2.12", "2.13")


def jar_path(scala: str | None = None) -> str:
    """Returns the path of the jar for Spark, as ``spark.jars`` and ``--jars`` want it.

    Parameters
    ----------
    scala : {"2.12", "2.13"}, optional
        The version of Scala that Spark was built with; by default that of PySpark: 2.12
        for Spark 3, and 2.13 from Spark 4 on.

    Raises
    ------
    NotCompiled
        If this package was built without the jar.
    """
    import pyspark

    if scala is None:
        scala = SCALAS[int(pyspark.__version__.partition(".")[0]) >= 4]
    if scala not in SCALAS:
        raise ParamError(f"scala must be {' or '.join(SCALAS)}; got '{scala}'")
    folder = pathlib.Path(__file__).parent / "jars"
    found = sorted(folder.glob(f"mlp-spark-*_{scala}.jar"))
    if not found:
        raise NotCompiled(
            f"this build of spark-mlp has no jar for Scala {scala} in {folder}; scripts/build-jars "
            "builds the jars, and a wheel that has them"
        )
    return str(found[0])
