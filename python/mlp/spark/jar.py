# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The jars that score and train in the JVM of Spark."""
from __future__ import annotations

import os
import pathlib
import urllib.parse
from typing import TYPE_CHECKING, Any

from ..errors import MLPError, NotCompiled, ParamError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

    from ..model import Model

__all__ = ["enable_jar", "has_jar", "jar_path", "transform_by_jar"]

SCALAS = ("2.12", "2.13")
CLASS = "NativeMlpModel"
REGRESSION_CLASS = "NativeMlpRegressionModel"


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


def enable_jar(builder: SparkSession.Builder | None = None) -> SparkSession.Builder:
    """Adds the jar to the settings of a session that starts later.

    Then `transform` of the models of this package scores in the JVM. Jars of the builder's
    ``spark.jars`` stay, and those of a file spark-defaults.conf are replaced, as Spark's
    settings replace each other.

    Parameters
    ----------
    builder : SparkSession.Builder, optional
        By default ``SparkSession.builder``.

    Returns
    -------
    SparkSession.Builder
        The builder.

    Raises
    ------
    MLPError
        If Spark runs already without the jar, or elsewhere.
    NotCompiled
        If this package was built without the jar.

    Examples
    --------
    >>> builder = SparkSession.builder.master("local[2]")  # doctest: +SKIP
    >>> spark = mlp.spark.enable_jar(builder).getOrCreate()  # doctest: +SKIP
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if builder is None:
        builder = SparkSession.builder
    path = jar_path()
    if is_remote():
        raise MLPError(f"the server of Spark Connect needs the jar; start it with --jars {path}")
    context, jvm = SparkContext._active_spark_context, SparkContext._jvm
    if context is not None and context_has_jar(context):
        return builder
    # The JVM outlives its sessions, and a session that starts later may have the jar.
    is_running = jvm is not None or "PYSPARK_GATEWAY_PORT" in os.environ
    if context is not None or (is_running and not (jvm is not None and has_class(jvm))):
        raise MLPError(
            "Spark must get the jar when it starts, and it runs already; call enable_jar before "
            f"the first session, or start Spark with --jars {path}"
        )
    arguments = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    if path in arguments:
        return builder
    if any(name in arguments for name in ("--jars", "spark.jars=")):
        raise MLPError(f"PYSPARK_SUBMIT_ARGS has jars, which replace others; add {path} to them")
    jars = [jar for jar in (builder._options.get("spark.jars"), path) if jar]
    return builder.config("spark.jars", ",".join(jars))


def has_jar(session: SparkSession) -> bool:
    """True if a session, and so its tasks, has the classes of the jar.

    The JVM outlives its sessions, and keeps the classes of a jar that an earlier session had.
    """
    from pyspark.sql.utils import is_remote

    return not is_remote() and context_has_jar(session.sparkContext)


def context_has_jar(context: SparkContext) -> bool:
    jvm = context._jvm
    if not has_class(jvm):
        return False
    loaded = getattr(jvm.io.mlp.spark, CLASS)._java_lang_class
    url = loaded.getProtectionDomain().getCodeSource().getLocation()
    path = urllib.parse.unquote(url.getPath())
    if path in jvm.System.getProperty("java.class.path").split(os.pathsep):
        return True
    jars = context._jsc.sc().listJars().mkString("\n").splitlines()
    # On YARN, spark-submit moves those of --jars here.
    jars += context.getConf().get("spark.yarn.dist.jars", "").split(",")
    return pathlib.PurePath(path).name in (jar.rpartition("/")[2] for jar in jars)


def has_class(jvm: Any) -> bool:
    # For a class that does not exist, Py4J has a package.
    from py4j.java_gateway import JavaClass

    return isinstance(getattr(jvm.io.mlp.spark, CLASS), JavaClass)


def transform_by_jar(
    dataset: DataFrame,
    model: Model,
    features_col: str,
    raw_prediction_col: str,
    probability_col: str,
    prediction_col: str,
) -> DataFrame:
    """Appends the outputs of a model in the JVM; an empty name leaves one out."""
    from pyspark.sql import DataFrame

    session = dataset.sparkSession
    stage = make_stage(session, model)
    stage.setFeaturesCol(features_col).setPredictionCol(prediction_col)
    if not model.is_regressor:
        stage.setRawPredictionCol(raw_prediction_col).setProbabilityCol(probability_col)
    return DataFrame(stage.transform(dataset._jdf), session)


def make_stage(session: SparkSession, model: Model) -> Any:
    """Makes the stage of the jar that has a model: an object of Java."""
    name = REGRESSION_CLASS if model.is_regressor else CLASS
    return getattr(session._jvm.io.mlp.spark, name)().setModelText(model.to_json())
