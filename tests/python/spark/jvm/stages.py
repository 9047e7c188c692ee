# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The classes of the jar, called from Python."""

from typing import Any


def transform(stage: Any, frame: Any) -> Any:
    from pyspark.sql import DataFrame

    return DataFrame(stage.transform(frame._jdf), frame.sparkSession)


def java_array(session: Any, kind: Any, values: Any) -> Any:
    array = session.sparkContext._gateway.new_array(kind, len(values))
    for place, value in enumerate(values):
        array[place] = value
    return array


def estimator_of(classes: Any, session: Any, **params: Any) -> Any:
    estimator = classes.NativeMlpClassifier()
    for name, value in params.items():
        is_list = isinstance(value, list)
        given = java_array(session, session._jvm.int, value) if is_list else value
        getattr(estimator, f"set{name[0].upper()}{name[1:]}")(given)
    return estimator
