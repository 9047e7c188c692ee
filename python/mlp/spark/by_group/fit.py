# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A training for each group of rows, many in one task."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ...errors import DeviceError, MLPError, NotCompiled, ParamError
from ..training.cluster import count_slots, use_python_of_driver
from ..training.one_task import builtin, fit_arrays, on_this_task, plan_memory
from ..training.request import FitRequest
from ..training.memory import Features, TaskMemory, naming_setting, read_rows
from ..training.rows import RowBuffer, TrainingArrays, quoted, training_rows
from ..training.worker import make_task
from .cut import cut_groups
from .keys import gather_groups, key_fields, key_names

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField, StructType

__all__ = ["fit_groups"]

# The fields of the metrics of a group, by their types in Spark.
METRICS = {
    "numRows": "bigint", "totalIterations": "int", "objective": "double",
    "convergenceReason": "string", "accuracy": "double", "meanSquaredError": "double",
    "validationLoss": "double",
}
# Params of a training on several tasks, or that is started again.
LEFT_OUT = ("numWorkers", "checkpointDir")
# Results that a task collects before Spark gets them, and the characters of their models: a
# column of Arrow takes 2 GiB of text at most.
RESULTS_PER_BATCH = 256
TEXT_PER_BATCH = 64 << 20
# That are predicted at once, for the metrics.
ROWS_AT_ONCE = 1 << 16


def fit_groups(
    dataset: DataFrame, by: str | Sequence[str], estimator: Any,
    num_partitions: int | None = None,
) -> DataFrame:
    """Trains a model for each group of rows.

    The model of a group is that of ``estimator.fit`` on the rows of the group, in one
    partition and in the order of the dataset. One task trains it, with
    ``spark.task.cpus`` threads, and holds the rows of one group at a time, in a file if they
    exceed its share of the memory. Spark computes the result when an action needs it, and
    again for each action: write it to a table, or cache it.

    Parameters
    ----------
    dataset : DataFrame
        The columns that the estimator reads, and the group columns.
    by : str or list of str
        The group columns. Null is a group.
    estimator : MultilayerPerceptronClassifier or MultilayerPerceptronRegressor
        Of mlp.spark.
    num_partitions : int, optional
        The number of tasks that train; by default four for each slot of Spark, on a cluster
        ``spark.sql.shuffle.partitions`` if that is more, and as many as Spark makes of the
        bytes of the rows over Spark Connect.

    Returns
    -------
    DataFrame
        A row for each group: the group columns; ``model``, the text of a model file;
        ``metrics``, of the training rows; ``warnings``, the sentences of the library; and
        ``error``, why there is no model. The others are null in a row with an error.

    Raises
    ------
    ParamError
        For an estimator of another class or with ``numWorkers``, ``checkpointDir`` or a
        function of ``setOnIteration``, and for columns that cannot be groups.

    Examples
    --------
    >>> estimator = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=5, seed=1)
    >>> stores = dataset.selectExpr("*", "label = 0 AS store")
    >>> models = fit_groups(stores, "store", estimator)
    >>> models.select("store", "metrics.numRows").orderBy("store").collect()
    [Row(store=False, numRows=100), Row(store=True, numRows=50)]
    """
    from pyspark.sql import functions as F

    names = key_names(by)
    check_estimator(estimator, dataset)
    fields = key_fields(dataset, names)
    use_python_of_driver(dataset.sparkSession)
    # Keys have names of their own: a group column may also be the label, or a feature.
    keys = {f"key{number}": F.col(quoted(name)) for number, name in enumerate(names)}
    rows = training_rows(dataset, *estimator._training_columns(), more=keys)
    gathered = gather_groups(rows, list(keys), [], num_partitions)
    schema = result_schema(fields)
    request = estimator._request()
    # The tasks train in all slots at the same time, in local mode, too.
    memory = builtin(plan_memory(rows, [request], count_slots(dataset.sparkSession) or 1))
    work = make_task(__name__, "fit_batches", (asdict(request), schema.names, memory))
    return gathered.mapInArrow(work, schema)


def result_schema(keys: Sequence[StructField]) -> StructType:
    """Returns the schema of a table of models."""
    from pyspark.sql import types as T

    kinds: dict[str, T.DataType] = {
        "bigint": T.LongType(), "int": T.IntegerType(), "double": T.DoubleType(),
        "string": T.StringType(),
    }
    schema = T.StructType(list(keys)).add("model", "string")
    metrics = T.StructType([T.StructField(name, kinds[kind]) for name, kind in METRICS.items()])
    schema.add("metrics", metrics).add("warnings", T.ArrayType(T.StringType()))
    return schema.add("error", "string")


def check_estimator(estimator: Any, dataset: DataFrame) -> None:
    """Refuses what can be refused before a training starts."""
    from ..estimator import NativeEstimator

    if not isinstance(estimator, NativeEstimator):
        raise ParamError(
            "estimator must be a MultilayerPerceptronClassifier or a MultilayerPerceptronRegressor "
            f"of mlp.spark; got {type(estimator).__name__}; fit other stages of a pipeline before"
        )
    for name in LEFT_OUT:
        if estimator.isSet(name) and estimator.getOrDefault(name) != 1:
            raise ParamError(
                f"{name} must not be set, because one task trains the model of a group; got "
                f"{estimator.getOrDefault(name)!r}"
            )
    if estimator._on_iteration is not None:
        raise ParamError(
            "fit_groups does not report iterations to the driver, so that setOnIteration must "
            "not have a function; call setOnIteration(None)"
        )
    estimator._check(dataset)


class Result(NamedTuple):
    """The columns of a group after its keys."""

    model: str | None = None
    metrics: dict[str, Any] | None = None
    warnings: list[str] | None = None
    error: str | None = None


class GroupFit:
    """The rows of one group so far, or why they cannot be trained on."""

    def __init__(
        self, key: pyarrow.RecordBatch, request: FitRequest, memory: TaskMemory | None = None
    ) -> None:
        self.key = key
        self._request = request
        self._memory = memory
        self._buffer = RowBuffer(request.layers[0], request.num_classes, memory)
        self._error: BaseException | None = None

    def append(self, rows: pyarrow.RecordBatch) -> None:
        """Adds rows. After the first bad one, the others are left out."""
        if self._error is None:
            try:
                with naming_setting(self._memory):
                    self._buffer.append(rows)
            except MLPError as error:
                self._error = error

    def result(self) -> Result:
        """Trains. An exception that concerns this group alone becomes its result."""
        try:
            if self._error is not None:
                raise self._error
            with naming_setting(self._memory):
                return self._train()
        except (NotCompiled, DeviceError):
            raise  # all groups have it
        except MLPError as error:
            return Result(error=f"{type(error).__name__}: {error}")

    def _train(self) -> Result:
        # Parts of Spark's partitions would give short blocks.
        arrays = self._buffer.arrays()
        arrays = arrays._replace(partition_sizes=[len(arrays.y)])
        outcome = fit_arrays(arrays, self._request)
        sentences = [sentence for _, sentence, _ in outcome.warnings]
        if self._buffer.note:
            sentences.append(self._buffer.note)
        return Result(outcome.model.to_json(), measure(outcome.model, arrays), sentences)


def measure(model: _core.Model, arrays: TrainingArrays) -> dict[str, Any]:
    """Returns the metrics of a model on the rows that trained it."""
    history, losses = model.objective_history, model.validation_history
    predicted = predict(model, arrays.X)
    errors = (predicted - arrays.y) ** 2 if model.is_regressor else predicted == arrays.y
    name = "meanSquaredError" if model.is_regressor else "accuracy"
    return {
        "numRows": len(arrays.y),
        "totalIterations": model.total_iterations,
        "objective": float(history[-1]),
        "convergenceReason": model.convergence_reason,
        name: float(np.average(errors, weights=arrays.weights)),
        "validationLoss": float(losses[model.best_iteration]) if len(losses) else None,
    }


def predict(model: _core.Model, X: Features) -> NDArray[np.float64]:
    """Predicts rows, a part after the other if they are in a file."""
    size = X.shape[0]
    parts = [
        model.predict_index(read_rows(X, first, min(ROWS_AT_ONCE, size - first)), 1)
        for first in range(0, size, ROWS_AT_ONCE)
    ]
    return np.concatenate(parts).reshape(size)


def fit_batches(
    batches: Iterable[pyarrow.RecordBatch], fields: dict[str, Any], names: list[str],
    memory: tuple[Any, ...] | None,
) -> Iterator[pyarrow.RecordBatch]:
    """Trains on the groups of a task, one after the other.

    Parameters
    ----------
    names : list of str
        The columns of the result, the group columns first.
    memory : tuple, optional
        The `TaskMemory` of the task.
    """
    num_keys = len(names) - len(Result._fields)
    request = on_this_task(FitRequest(**fields))
    share = None if memory is None else TaskMemory(*memory)
    groups = read_groups(batches, num_keys, request, share)
    yield from join_results(((group.key, group.result()) for group in groups), names)


def join_results(
    results: Iterable[tuple[pyarrow.RecordBatch, Result]], names: list[str]
) -> Iterator[pyarrow.RecordBatch]:
    """Joins groups and their results as batches of a bounded size."""
    collected: list[tuple[pyarrow.RecordBatch, Result]] = []
    size = 0
    for key, result in results:
        collected.append((key, result))
        size += len(result.model or "")
        if len(collected) == RESULTS_PER_BATCH or size >= TEXT_PER_BATCH:
            yield make_batch(collected, names)
            collected, size = [], 0
    if collected:
        yield make_batch(collected, names)


def read_groups(
    batches: Iterable[pyarrow.RecordBatch], num_keys: int, request: FitRequest,
    memory: TaskMemory | None = None,
) -> Iterator[GroupFit]:
    """Gives each group once all its rows were read."""
    group = None
    for is_first, rows in cut_groups(batches, num_keys):
        if is_first:
            if group is not None:
                yield group
            group = GroupFit(copy_key(rows, num_keys), request, memory)
        assert group is not None
        group.append(rows)
    if group is not None:
        yield group


def copy_key(rows: pyarrow.RecordBatch, num_keys: int) -> pyarrow.RecordBatch:
    """Returns the group of rows, which are of one. A slice would keep all rows in memory."""
    import pyarrow

    first = pyarrow.array([0])
    columns = [rows.column(number).take(first) for number in range(num_keys)]
    return pyarrow.RecordBatch.from_arrays(columns, rows.schema.names[:num_keys])


def make_batch(
    collected: list[tuple[pyarrow.RecordBatch, Result]], names: list[str]
) -> pyarrow.RecordBatch:
    """Joins groups and their results as rows."""
    import pyarrow

    keys, results = zip(*collected)
    types = {"bigint": pyarrow.int64(), "int": pyarrow.int32(), "double": pyarrow.float64()}
    text = pyarrow.string()
    metrics = pyarrow.struct([(name, types.get(kind, text)) for name, kind in METRICS.items()])
    kinds = [text, metrics, pyarrow.list_(text), text]
    columns = [
        pyarrow.concat_arrays([key.column(place) for key in keys])
        for place in range(keys[0].num_columns)
    ]
    columns += [pyarrow.array(values, kind) for values, kind in zip(zip(*results), kinds)]
    return pyarrow.RecordBatch.from_arrays(columns, names)
