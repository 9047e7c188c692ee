# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings in the jar that the library refuses, that diverge, and that it warns of."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402

from spark.frames import iris_frame, make_frame  # noqa: E402
from spark.jvm.stages import estimator_of  # noqa: E402

X, Y = read_iris()
DIVERGING = {"layers": [4, 3], "solver": "sgd", "stepSize": 1e200, "seed": 1}
REFUSAL = "java.lang.IllegalArgumentException"


def large_frame(session: Any) -> Any:
    """Rows from which a training of DIVERGING diverges."""
    return make_frame(session, 1e100 * X, Y)


def fit(classes: Any, session: Any, frame: Any, **params: Any) -> Any:
    return estimator_of(classes, session, **params).fit(frame._jdf)


def error_of(classes: Any, session: Any, frame: Any, **params: Any) -> tuple[str, str]:
    """Returns the class and the message of the exception of a fit."""
    with pytest.raises(Exception) as caught:
        fit(classes, session, frame, **params)
    # PySpark has its own classes for some exceptions of Java.
    raised: Any = caught.value
    error = getattr(raised, "_origin", None) or raised.java_exception
    return error.getClass().getName(), error.getMessage()


@pytest.mark.parametrize("weight, part", [
    ("CAST('NaN' AS DOUBLE)", "weight"),
    ("CAST('Infinity' AS DOUBLE)", "weight"),
    ("IF(label = 1, -0.5, 1)", "weight"),
    ("0.0", "weight"),
], ids=["nan", "infinite", "negative", "zero"])
def test_refuses_bad_weights(weight: str, part: str, session: Any, classes: Any) -> None:
    frame = iris_frame(session).selectExpr("*", f"{weight} AS weight")

    name, sentence = error_of(
        classes, session, frame, layers=[4, 3], maxIter=3, weightCol="weight"
    )

    assert name == REFUSAL and part in sentence


@pytest.mark.parametrize("labels", [Y + 0.5, Y - 1, Y * math.nan], ids=["half", "negative", "nan"])
def test_refuses_labels_that_are_no_classes(labels: Any, session: Any, classes: Any) -> None:
    name, sentence = error_of(classes, session, make_frame(session, X, labels), layers=[4, 3])

    assert name == REFUSAL and "label" in sentence


def test_refuses_features_that_are_not_finite(session: Any, classes: Any) -> None:
    for bad in (math.nan, math.inf):
        features = X.copy()
        features[7, 2] = bad

        name, sentence = error_of(classes, session, make_frame(session, features, Y),
                                  layers=[4, 3])

        assert name == REFUSAL and "features must be finite" in sentence


@pytest.mark.parametrize("column", ["features", "label", "weight"])
def test_null_in_a_row_is_refused(column: str, session: Any, classes: Any) -> None:
    frame = iris_frame(session).selectExpr("features", "label", "1.0 AS weight")
    columns = [f"IF(label = 1, null, {name}) AS {name}" if name == column else name
               for name in frame.columns]

    _, sentence = error_of(
        classes, session, frame.selectExpr(*columns), layers=[4, 3], weightCol="weight"
    )

    assert "null; remove such rows" in sentence


def test_a_training_that_diverges_has_an_exception_of_its_own(session: Any, classes: Any) -> None:
    name, sentence = error_of(classes, session, large_frame(session), **DIVERGING)

    assert name == "io.mlp.spark.DivergedException"
    assert "must stay finite" in sentence and "; try " in sentence


@pytest.fixture
def log(session: Any) -> Iterator[Any]:
    """What the classifier logs."""
    jvm = session._jvm
    core = jvm.org.apache.logging.log4j.core
    writer = jvm.java.io.StringWriter()
    appender = core.appender.WriterAppender.createAppender(
        core.layout.PatternLayout.createDefaultLayout(), None, writer, "log of the test", False,
        False)
    appender.start()
    name = "io.mlp.spark.NativeMlpClassifier"
    levels = jvm.org.apache.logging.log4j.Level
    core.config.Configurator.setLevel(name, levels.WARN)
    logger = jvm.org.apache.logging.log4j.LogManager.getLogger(name)
    logger.addAppender(appender)
    yield writer
    logger.removeAppender(appender)
    core.config.Configurator.setLevel(name, levels.ERROR)


def test_the_driver_logs_warnings(session: Any, classes: Any, log: Any) -> None:
    fit(classes, session, iris_frame(session), layers=[4, 5, 3], maxIter=10, seed=1)
    first = log.toString()
    fit(classes, session, iris_frame(session), layers=[4, 3], maxIter=1000, tol=1e-3, seed=1)

    assert "nativeMlp_" in first and "stillImproving: " in first
    assert log.toString() == first
