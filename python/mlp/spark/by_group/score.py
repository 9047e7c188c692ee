# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores of rows by the model of their group."""
from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Tuple

import numpy as np
from numpy.typing import NDArray

from ...errors import MLPError, ParamError
from ...model import Model
from ..scoring import check_names, compute, features_column, join_rows, names_of
from ..training.cluster import use_python_of_driver
from .keys import gather_groups, key_fields, key_names, key_text

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

__all__ = ["score_groups"]

# The outputs of a model, and their types in Spark.
OUTPUTS = {"raw": "array<double>", "probability": "array<double>", "prediction": "double"}
# PySpark sends NaN as null, so that this tells rows without a score.
IS_SCORED = "isScored"


def score_groups(
    dataset: DataFrame, by: str | Sequence[str], models: DataFrame, *,
    featuresCol: str = "features", predictionCol: str = "prediction", probabilityCol: str = "",
    rawPredictionCol: str = "", num_partitions: int | None = None,
) -> DataFrame:
    """Appends the outputs of the model of each row's group.

    A row whose group has no model, or an error instead, gets null, and so do features that
    are null. One task scores all rows of a group, and loads its model once. The rows come
    back in another order. A batch of Arrow has up to
    ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows, 10,000 by default, and all of them may
    be models: set it so that as many models have less than 2 GiB of text.

    Parameters
    ----------
    dataset : DataFrame
        The features and the group columns.
    by : str or list of str
        The group columns, which both frames have with the same types.
    models : DataFrame
        What `fit_groups` returned, or a table of it: at most one row for each group. Other
        columns than the groups and ``model`` are not read.
    predictionCol, probabilityCol, rawPredictionCol : str
        The names of the new columns; an empty one is left out. As in Spark, a column whose
        name differs in its case alone is replaced.
    num_partitions : int, optional
        The number of tasks that score; by default as for `fit_groups`.

    Raises
    ------
    ParamError
        For columns that cannot be groups or have other types in ``models``, or without an
        output.

    Examples
    --------
    >>> stores = dataset.selectExpr("*", "label = 0 AS store")
    >>> estimator = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=5, seed=1)
    >>> models = fit_groups(stores, "store", estimator)
    >>> score_groups(stores, "store", models).columns
    ['features', 'label', 'store', 'prediction']
    """
    from pyspark.sql import functions as F

    names = key_names(by)
    given = (rawPredictionCol, probabilityCol, predictionCol)
    wanted = {output: name for output, name in zip(OUTPUTS, given) if name}
    if not wanted:
        raise ParamError("score_groups needs the name of an output, such as predictionCol")
    check_names(dataset, featuresCol, list(wanted.values()))
    use_python_of_driver(dataset.sparkSession)
    tag = uuid.uuid4().hex  # of names that no other column has
    fields = key_fields(dataset, names)
    check_types(fields, key_fields(models, names))
    joined = join_models(dataset, models, fields, featuresCol, tag)
    keys = [f"key{number}_{tag}" for number in range(len(names))]
    # The model of a group comes first: false is before true.
    gathered = gather_groups(joined, keys, [f"isRow_{tag}"], num_partitions)
    score = score_function(list(wanted))
    found = f"scores_{tag}"
    scored = gathered.withColumn(found, score(f"model_{tag}", f"features_{tag}", *keys))
    outputs = {name: output_column(found, output) for output, name in wanted.items()}
    # PySpark 3.5 lists no columns if one is an interval.
    columns = [name for name in names_of(scored) if name.endswith(tag)]
    return scored.where(F.col(f"isRow_{tag}")).withColumns(outputs).drop(*columns)


def check_types(of_dataset: Sequence[StructField], of_models: Sequence[StructField]) -> None:
    """Refuses groups of other types: a cast may make another group of a value."""
    for expected, field in zip(of_dataset, of_models):
        if field.dataType != expected.dataType:
            raise ParamError(
                f"the group column {field.name} must have the same type in dataset and models; got "
                f"{expected.dataType.simpleString()} and {field.dataType.simpleString()}; cast one "
                f"of them"
            )


def join_models(
    dataset: DataFrame, models: DataFrame, keys: Sequence[StructField], features_col: str, tag: str
) -> DataFrame:
    """Returns the rows of both frames, each with null in what the other has alone.

    A join would copy a model into each row of its group.
    """
    from pyspark.sql import functions as F

    def with_keys(frame: DataFrame) -> list[Column]:
        return [
            key_text(key.name, key.dataType).alias(f"key{number}_{tag}")
            for number, key in enumerate(keys)
        ]

    features = features_column(dataset, features_col)
    rows = dataset.select(
        "*", *with_keys(dataset), features.alias(f"features_{tag}"),
        F.lit(None).cast("string").alias(f"model_{tag}"), F.lit(True).alias(f"isRow_{tag}"),
    )
    own = models.where(F.col("model").isNotNull()).select(
        *with_keys(models), F.lit(None).cast("array<double>").alias(f"features_{tag}"),
        F.col("model").alias(f"model_{tag}"), F.lit(False).alias(f"isRow_{tag}"),
    )
    # No row of the dataset: its columns are null, of whatever types they are.
    nothing = dataset.where(F.lit(False)).join(own, F.lit(True), "right")
    return rows.union(nothing)


def score_function(outputs: Sequence[str]) -> Any:
    """Returns a function of models, features and keys, sorted by group: a struct of outputs."""
    import pandas
    from pyspark.sql.functions import pandas_udf

    wanted = list(outputs)

    # Spark sends a nested function by value.
    def score(batches):  # type: ignore[no-untyped-def]
        from mlp.spark.by_group.score import score_batches

        return score_batches(batches, wanted)

    # PySpark finds the kind of the function by these types; 3.4 does not know ``tuple``.
    score.__annotations__ = {
        "batches": Iterator[Tuple[pandas.Series, ...]], "return": Iterator[pandas.DataFrame],
    }
    schema = ", ".join([*(f"{name} {OUTPUTS[name]}" for name in wanted), f"{IS_SCORED} boolean"])
    # Else Spark would remove the rows of the models before the function reads them.
    return pandas_udf(score, schema).asNondeterministic()


def output_column(scores: str, output: str) -> Column:
    """Returns an output as Spark's models give it, of the column of all of them."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as F

    def known(number: Column) -> Column:
        return F.coalesce(number, F.lit(float("nan")))

    source = F.col(f"{scores}.{output}")
    value = known(source) if output == "prediction" else array_to_vector(F.transform(source, known))
    return F.when(F.col(f"{scores}.{IS_SCORED}"), value)


def score_batches(
    batches: Iterable[tuple[pandas.Series, ...]], outputs: Sequence[str]
) -> Iterator[pandas.DataFrame]:
    """Scores the rows of a task, which are sorted by group with its model first.

    Parameters
    ----------
    batches : iterable of tuple
        Models, features and keys. A row has a model or features.
    """
    last: tuple[Any, ...] | None = None
    model: Model | None = None
    for texts, features, *columns in batches:
        keys = [column.to_numpy(dtype=object, na_value=None) for column in columns]
        found = [np.full(len(texts), None, dtype=object) for _ in outputs]
        begins = group_begins(keys, len(texts))
        for begin, end in zip(begins, [*begins[1:], len(texts)]):
            key = tuple(column[begin] for column in keys)
            if key != last:
                last, model = key, None
            for text in texts.iloc[begin:end].dropna():
                refuse_second(model, key)
                model = Model.from_json(text)
            if model is not None:
                score_group(model, features.iloc[begin:end], outputs, [c[begin:end] for c in found])
        yield frame_of(outputs, found)


def group_begins(keys: Sequence[NDArray[np.object_]], size: int) -> list[int]:
    """Returns the rows at which a group begins, 0 among them."""
    is_new = np.zeros(size, dtype=bool)
    is_new[:1] = True
    for column in keys:
        is_new[1:] |= column[1:] != column[:-1]
    begins: list[int] = np.flatnonzero(is_new).tolist()
    return begins


def refuse_second(model: Model | None, key: tuple[Any, ...]) -> None:
    if model is not None:
        raise MLPError(
            f"models must have one row for each group; got several for {', '.join(map(str, key))}"
        )


def score_group(
    model: Model, features: pandas.Series, outputs: Sequence[str],
    found: Sequence[NDArray[np.object_]],
) -> None:
    """Writes the outputs of rows that have features."""
    is_known = features.notna().to_numpy()
    if not is_known.any():
        return
    rows = join_rows(features[is_known].tolist(), model.num_features)
    scores = compute(model, rows, outputs)
    for output, column in zip(outputs, found):
        values = scores[output]
        if values.ndim == 1:
            column[is_known] = values
        else:
            column[np.flatnonzero(is_known)] = np.fromiter(iter(values), dtype=object)


def frame_of(outputs: Sequence[str], found: Sequence[NDArray[np.object_]]) -> pandas.DataFrame:
    """Returns the columns of the outputs, in the types that Spark expects."""
    import pandas

    columns = {
        output: column.astype(np.float64) if output == "prediction" else column
        for output, column in zip(outputs, found)
    }
    columns[IS_SCORED] = np.array([value is not None for value in found[0]], dtype=bool)
    return pandas.DataFrame(columns)
