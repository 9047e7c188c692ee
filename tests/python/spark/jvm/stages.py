# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The classes of the jar, called from Python."""

from typing import Any


def transform(stage: Any, frame: Any) -> Any:
    from pyspark.sql import DataFrame

    return DataFrame(stage.transform(frame._jdf), frame.sparkSession)


def int_array(session: Any, numbers: list[int]) -> Any:
    gateway = session.sparkContext._gateway
    array = gateway.new_array(gateway.jvm.int, len(numbers))
    for place, number in enumerate(numbers):
        array[place] = number
    return array


def estimator_of(classes: Any, session: Any, **params: Any) -> Any:
    estimator = classes.NativeMlpClassifier()
    for name, value in params.items():
        given = int_array(session, value) if isinstance(value, list) else value
        getattr(estimator, f"set{name[0].upper()}{name[1:]}")(given)
    return estimator
