# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores inside Spark, computed by the C++ library in tasks of Python."""
from __future__ import annotations

import hashlib
import os
import pickle
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, ModelError, ParamError, ShapeError
from ..model import Model
from .jar import has_jar, transform_by_jar
from .training.cluster import use_python_of_driver
from .training.rows import features_array, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = [
    "SentModel",
    "append_columns",
    "compute",
    "join_rows",
    "load_once",
    "names_of",
    "network_of",
    "score_columns",
    "send",
]

Vector = NDArray[np.float64]


def network_of(model: Any) -> Model:
    """Returns the network of a model of mlp.spark, an mlp.Model, or a model file's path.

    Raises
    ------
    ParamError
        If it is none of them.
    ModelError
        If the network reads the columns of a data file.
    """
    network = getattr(model, "model", model)
    if isinstance(network, (str, os.PathLike)):
        network = Model.load(network)
    if not isinstance(network, Model):
        raise ParamError(
            f"model must be an mlp.Model, a model of mlp.spark or the path of a model file; got "
            f"{model!r}"
        )
    if network._core.has_encoding:
        raise ModelError(
            "a model in Spark reads a vector of features; this one encodes the columns of its "
            "data file"
        )
    return network


def score_columns(
    dataset: DataFrame,
    model: Model,
    features_col: str,
    prediction_col: str,
    raw_prediction_col: str = "",
    probability_col: str = "",
) -> DataFrame:
    """Appends the outputs of a model, in Spark's order; an empty name leaves one out.

    The jar computes them, or Python where Spark does not have the jar.
    """
    names = (raw_prediction_col, probability_col, prediction_col)
    if is_field(dataset, features_col):
        given = f"features_{uuid.uuid4().hex}"  # a name that no other column has
        dataset = dataset.withColumn(given, dataset[features_col])
        return score_columns(dataset, model, given, prediction_col, *names[:2]).drop(given)
    check_names(dataset, features_col, [name for name in names if name])
    if has_jar(dataset.sparkSession):
        return transform_by_jar(dataset, model, features_col, *names)
    outputs = ("raw", "probability", "prediction")
    columns = [(name, output) for name, output in zip(names, outputs) if name]
    return append_columns(dataset, model, features_col, columns)


def append_columns(
    dataset: DataFrame, model: Model, features_col: str, columns: Sequence[tuple[str, Any]]
) -> DataFrame:
    """Appends outputs of a model to a dataset.

    One function of Python computes them from the features alone. Spark leaves it out of
    queries that need none of the outputs.

    Parameters
    ----------
    columns : list of (str, output)
        The name of each column, and what it has: "raw", "probability", "prediction", or the
        number of a hidden layer.
    """
    if not columns:
        return dataset
    check_names(dataset, features_col, [name for name, _ in columns])
    use_python_of_driver(dataset.sparkSession)
    score = number_function(model, [output for _, output in columns])
    scores = f"scores_{uuid.uuid4().hex}"  # a name that no other column has
    appended, begin = [], 0
    for name, output in columns:
        end = begin + width_of(model, output)
        numbers = [f"{scores}.n{place}" for place in range(begin, end)]
        appended.append(output_column(model, name, output, numbers))
        begin = end
    scored = dataset.withColumn(scores, score(features_column(dataset, features_col)))
    # As in Spark, a column whose name differs in its case alone is replaced.
    return scored.withColumns(dict(zip([name for name, _ in columns], appended))).drop(scores)


def check_names(dataset: DataFrame, features_col: str, appended: Sequence[str]) -> None:
    """Refuses features that do not exist and new columns that do, with Spark's sentences."""
    from pyspark.errors import IllegalArgumentException

    names = names_of(dataset)
    if features_col not in names:
        raise IllegalArgumentException(
            f"{features_col} does not exist. Available: {', '.join(names)}"
        )
    for name in appended:
        if name in names:
            raise IllegalArgumentException(f"requirement failed: Column {name} already exists.")
        names.append(name)


def is_field(dataset: DataFrame, name: str) -> bool:
    """True for features that Spark finds by other names than those of columns.

    From version 4 on, it takes fields of structures and names in another case.
    """
    import pyspark
    from pyspark.errors import AnalysisException

    if int(pyspark.__version__.partition(".")[0]) < 4 or name in names_of(dataset):
        return False
    try:
        return len(dataset.select(name).schema) == 1
    except AnalysisException:
        return False


def names_of(dataset: DataFrame) -> list[str]:
    """Returns the names of the columns. PySpark 3.5 lists none if one is an interval."""
    from pyspark.sql.utils import is_remote

    return list(dataset.columns if is_remote() else dataset._jdf.columns())


def features_column(dataset: DataFrame, name: str) -> Column:
    """Returns the features as arrays of doubles. An array with a null in it becomes null."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType

    name = quoted(name)
    column = features_array(dataset, name)
    kind = dataset.select(name).schema[0].dataType
    if isinstance(kind, ArrayType) and kind.containsNull:
        # pandas would have NaN for a null.
        return F.when(~F.exists(name, lambda value: value.isNull()), column)
    return column


def width_of(model: Model, output: Any) -> int:
    """Returns how many numbers an output has."""
    if output == "prediction":
        return 1
    return model.layers[output if isinstance(output, int) else -1]


def output_column(model: Model, name: str, output: Any, numbers: Sequence[str]) -> Column:
    """Returns an output with Spark's metadata: a vector, or the number of a prediction.

    Parameters
    ----------
    numbers : list of str
        The columns of its numbers.
    """
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as F

    # PySpark sends NaN as null.
    if output != "prediction":
        known = ", ".join(f"coalesce({number}, double('NaN'))" for number in numbers)
        attributes: dict[str, Any] = {"num_attrs": len(numbers)}
        vector = array_to_vector(F.expr(f"array({known})"))
        return vector.alias(name, metadata={"ml_attr": attributes})
    prediction = F.coalesce(F.col(numbers[0]), F.lit(float("nan")))
    if model.is_regressor:
        return prediction.alias(name)
    attributes = {"type": "nominal", "num_vals": model.layers[-1]}
    return prediction.alias(name, metadata={"ml_attr": attributes})


def number_function(model: Model, outputs: Sequence[Any]) -> Callable[..., Column]:
    """Returns a function of a column of arrays: a struct of all numbers of the outputs.

    PySpark converts numbers of pandas fast, and arrays one by one.
    """
    import pandas
    from pyspark.sql.functions import pandas_udf

    sent, wanted = send(model), list(outputs)
    width = sum(width_of(model, output) for output in wanted)

    # Spark sends a nested function by value.
    def score(features):  # type: ignore[no-untyped-def]
        from mlp.spark.scoring import score_arrays

        return score_arrays(features, sent, wanted)

    # PySpark finds the kind of the function by these types.
    score.__annotations__ = {"features": pandas.Series, "return": pandas.DataFrame}
    made: Callable[..., Column] = pandas_udf(
        score, ", ".join(f"n{place} double" for place in range(width))
    )
    return made


# A model as tasks get it: the digest of the pickled bytes, and these bytes. The types are
# built-in types, so that Spark can send them without this package.
SentModel = tuple[bytes, bytes]


def send(model: Model) -> SentModel:
    """Returns what tasks load a model from. A model is pickled once."""
    sent: SentModel | None = vars(model).get("_sent")
    if sent is None:
        data = pickle.dumps(model)
        sent = hashlib.sha256(data).digest(), data
        vars(model)["_sent"] = sent
    return sent


MAX_MODELS = 8
MODELS: dict[bytes, Model] = {}


def load_once(sent: SentModel) -> Model:
    """Returns a model that was sent. A process keeps the last ones, by their digests."""
    digest, data = sent
    if digest not in MODELS:
        if len(MODELS) == MAX_MODELS:
            del MODELS[next(iter(MODELS))]
        MODELS[digest] = pickle.loads(data)
    return MODELS[digest]


def score_arrays(features: Any, sent: SentModel, outputs: Sequence[Any]) -> Any:
    """Scores a pandas.Series of arrays.

    Returns
    -------
    pandas.DataFrame
        The numbers of all outputs, one column each.
    """
    import pandas

    model = load_once(sent)
    if features.isna().any():
        raise DataError("Vectors MUST NOT be Null; got null")
    found = compute(model, join_rows(features.tolist(), model.num_features), outputs)
    return pandas.DataFrame(np.column_stack([found[output] for output in outputs]))


def join_rows(vectors: Sequence[Any], num_features: int) -> Vector:
    """Joins arrays as rows [instances x features].

    Raises
    ------
    ShapeError
        For an array of another length.
    """
    for length in {len(vector) for vector in vectors} - {num_features}:
        raise ShapeError(f"features must have {num_features} values; got {length}")
    # Arrays of decimals are objects.
    rows = np.concatenate([np.empty(0), *vectors], dtype=np.float64, casting="unsafe")
    return rows.reshape(-1, num_features)


def compute(model: Model, rows: Vector, outputs: Sequence[Any]) -> dict[Any, Vector]:
    """Returns outputs by name, and those of hidden layers by number. One thread computes."""
    found = {layer: model.transform(rows, layer) for layer in outputs if isinstance(layer, int)}
    if len(found) == len(outputs):
        return found
    # Features that are NaN give NaN, as in Spark.
    results = model._core.score(rows, 1)
    return dict(zip(("raw", "probability", "prediction"), results)) | found
