# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of SQL and of DataFrames that score rows."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Tuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParamError
from ..model import Model
from .scoring import SentModel, compute, join_rows, load_once, network_of, send
from .session import current_session
from .training.cluster import use_python_of_driver

__all__ = ["predict_udf"]

# The outputs of a function, and the type of each in SQL.
OUTPUTS = {
    "prediction": "double",
    "label": "string",
    "probability": "array<double>",
    "rawPrediction": "array<double>",
}


def predict_udf(model: Any, output: str = "prediction") -> Callable[..., Any]:
    """Makes a function that scores rows, for ``select`` and for SQL.

    It takes one column of vectors or of arrays, or one column of numbers for each feature.
    Features that are null or NaN give null. Each Python worker of Spark loads the model
    once.

    Parameters
    ----------
    model : mlp.Model, a model of mlp.spark, or the path of a model file
        The driver reads the file.
    output : {"prediction", "label", "probability", "rawPrediction"}
        The index of the class, or the number of a regressor; the name of the class; the
        probabilities or the outputs of the last layer, as arrays.

    Raises
    ------
    ParamError
        For another output, or one that a regressor does not have.

    Examples
    --------
    >>> score = predict_udf("iris.json", "label")
    >>> flowers.select(score("features"))  # doctest: +SKIP
    >>> _ = spark.udf.register("species_of", score)
    >>> spark.sql("SELECT species_of(features) FROM flowers")  # doctest: +SKIP
    """
    from pyspark.sql.functions import pandas_udf

    network = network_of(model)
    kind = type_of(network, output)
    use_python_of_driver(current_session("predict_udf"))
    sent = send(network)

    # Spark sends a nested function by value.
    def score(batches):  # type: ignore[no-untyped-def]
        from mlp.spark.udf import score_series

        return score_series(batches, sent, output)

    # PySpark finds the kind of the function by these types; 3.4 does not know ``tuple``.
    import pandas

    score.__annotations__ = {
        "batches": Iterator[Tuple[pandas.Series, ...]], "return": Iterator[pandas.Series],
    }
    made: Callable[..., Any] = pandas_udf(score, kind)
    return made


def type_of(model: Model, output: str) -> str:
    """Returns the type of an output in SQL."""
    if output not in OUTPUTS:
        raise ParamError(f"output must be one of {', '.join(OUTPUTS)}; got '{output}'")
    if not model.is_regressor:
        return OUTPUTS[output]
    if output != "prediction":
        raise ParamError(f"output must be prediction for a regressor; got '{output}'")
    return "double" if model.layers[-1] == 1 else "array<double>"


def score_series(batches: Iterator[Any], sent: SentModel, output: str) -> Iterator[Any]:
    """Scores batches of one pandas.Series, or of a tuple of them."""
    import pandas

    model = load_once(sent)
    for batch in batches:
        columns = batch if isinstance(batch, tuple) else (batch,)
        rows, is_known = to_rows(columns, model.num_features)
        found = score_rows(model, rows[is_known], output)
        # Spark reads NaN and None as null.
        is_number = found.dtype == np.float64
        values = np.full(len(rows), np.nan if is_number else None, dtype=found.dtype)
        values[is_known] = found
        yield pandas.Series(values)


def score_rows(model: Model, rows: NDArray[np.float64], output: str) -> NDArray[Any]:
    """Returns a number, a text or a list for each row."""
    if output == "label":
        return np.array([str(label) for label in model.predict(rows, 1)], dtype=object)
    has_numbers = model.is_regressor and model.layers[-1] > 1
    name = "raw" if output == "rawPrediction" or has_numbers else output
    found = compute(model, rows, [name])[name]
    if found.ndim == 1:
        return found
    lists = np.empty(len(found), dtype=object)
    lists[:] = list(found)
    return lists


def to_rows(
    columns: tuple[Any, ...], num_features: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Returns features [rows x features], and which rows have no null and no NaN."""
    if len(columns) == 1 and columns[0].ndim == 2:
        rows = join_known(vectors_of(columns[0]), num_features)
    elif len(columns) == 1 and has_arrays(columns[0]):
        rows = join_known(columns[0].tolist(), num_features)
    elif len(columns) == num_features:
        rows = np.column_stack([column.to_numpy(np.float64, na_value=np.nan) for column in columns])
    else:
        raise ParamError(
            f"the function must get one column of vectors or of arrays, or {num_features} columns "
            f"of numbers; got {len(columns)}"
        )
    return rows, np.logical_not(np.isnan(rows).any(axis=1))


def has_arrays(column: Any) -> bool:
    """True for arrays; false for numbers, which are objects as decimals and beside nulls."""
    if column.dtype != object:
        return False
    first = next((value for value in column if value is not None), ())
    return hasattr(first, "__len__") and not isinstance(first, (str, bytes))


def vectors_of(frame: Any) -> list[Any]:
    """Returns the values of vectors of Spark, which pandas has as a table of their parts."""
    vectors = []
    for size, indices, values in zip(frame["size"], frame["indices"], frame["values"]):
        if indices is not None:  # a sparse vector
            stored, values = values, np.zeros(int(size))
            values[indices] = stored
        vectors.append(values)
    return vectors


def join_known(vectors: list[Any], num_features: int) -> NDArray[np.float64]:
    """Joins arrays as rows; None becomes a row of NaN."""
    nothing = np.full(num_features, np.nan)
    return join_rows([nothing if vector is None else vector for vector in vectors], num_features)
