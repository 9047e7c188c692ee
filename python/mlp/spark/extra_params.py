# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Params of the estimators that Spark's classes do not have.

Those of the network and of its training come from the table of the C++ library.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasValidationIndicatorCol, HasWeightCol

from .._parameters import PARAMETERS, ClassifierParameters, Parameter, RegressorParameters
from .._settings import to_text
from .training.request import FitRequest

__all__ = [
    "ExtraParams",
    "RunParams",
    "extra_names",
    "has_mini_batches",
    "make_request",
    "with_setters",
    "with_table_params",
]

C = TypeVar("C", bound=type)

# The hyper-parameters that Spark's class has too.
SPARK_NAMES = (
    "layers", "maxIter", "tol", "blockSize", "solver", "stepSize", "seed", "initialWeights",
    "thresholds",
)
# Not offered: quantiles are not merged over the tasks of a training.
LEFT_OUT = ("numericEncoding",)
# Spark's hyper-parameters with one value in the table of the C++ library.
PLAIN_NAMES = ("maxIter", "tol", "blockSize", "solver", "seed")
MINI_BATCH_SOLVERS = ("sgd", "adam", "adamw")


def to_names(value: Any) -> str:
    """Returns one name, or several with commas between them."""
    names = [value] if isinstance(value, str) else TypeConverters.toListString(value)
    return ",".join(names)


def to_numbers(value: Any) -> list[float]:
    """Returns a list of numbers for one number or several."""
    is_one = isinstance(value, (int, float))
    numbers: list[float] = TypeConverters.toListFloat([value] if is_one else value)
    return numbers


# Converters by the types that the estimators for NumPy declare.
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "int": TypeConverters.toInt,
    "float": TypeConverters.toFloat,
    "bool": TypeConverters.toBoolean,
    "str": TypeConverters.toString,
    "str | Sequence[str]": to_names,
    "Sequence[int]": TypeConverters.toListInt,
    "Sequence[float]": TypeConverters.toListFloat,
    "float | Sequence[float]": to_numbers,
}
PARAMS_OF_TASK = {"classification": ClassifierParameters, "regression": RegressorParameters}


def extra_parameters(task: str) -> Iterator[tuple[Parameter, Callable[[Any], Any]]]:
    """Gives the entries of the table that Spark's class lacks, and what converts them."""
    declared = inspect.signature(PARAMS_OF_TASK[task]).parameters
    for parameter in PARAMETERS:
        is_known = parameter.spark_name in (*SPARK_NAMES, *LEFT_OUT)
        if parameter.name in declared and not is_known:
            kind = str(declared[parameter.name].annotation).removesuffix(" | None")
            yield parameter, CONVERTERS[kind]


def with_table_params(task: str) -> Callable[[C], C]:
    """Adds a Param and a getter to a class for each entry of the table."""

    def decorate(cls: C) -> C:
        for parameter, converter in extra_parameters(task):
            doc = f"{parameter.sentence} It must be {parameter.interval}."
            param: Any = Param(Params._dummy(), parameter.spark_name, doc, converter)
            setattr(cls, parameter.spark_name, param)
        return with_getters(cls)

    return decorate


def with_getters(cls: C) -> C:
    """Adds the getters of the Params that a class declares itself."""
    for name in [name for name, value in vars(cls).items() if isinstance(value, Param)]:
        add(cls, "get", name, lambda self, name=name: self.getOrDefault(name))
    return cls


def with_setters(cls: C) -> C:
    """Adds a setter for each Param of a class that has none."""
    for name in [name for name in dir(cls) if isinstance(getattr(cls, name), Param)]:
        add(cls, "set", name, lambda self, value, name=name: self._set(**{name: value}))
    return cls


def add(cls: type, verb: str, name: str, function: Callable[..., Any]) -> None:
    """Adds a method such as getLayers, unless the class has it."""
    method = verb + name[0].upper() + name[1:]
    if hasattr(cls, method):
        return
    function.__name__ = method
    function.__qualname__ = f"{cls.__name__}.{method}"
    function.__doc__ = f"{verb.capitalize()}s the value of :py:attr:`{name}`."
    setattr(cls, method, function)


@with_getters
class RunParams(Params):
    """Params of the computation. They change the trained model only by rounding."""

    numWorkers: Any = Param(
        Params._dummy(), "numWorkers",
        "Number of Spark tasks that train together. Without it, one in local mode, and as many as "
        "the size of the training makes worthwhile on a cluster.",
        TypeConverters.toInt,
    )
    precision: Any = Param(
        Params._dummy(), "precision", "Precision of the training: float64 or float32.",
        TypeConverters.toString,
    )
    device: Any = Param(
        Params._dummy(), "device",
        "What computes: cpu, or cuda for the GPU that Spark gives the task, or cuda:N.",
        TypeConverters.toString,
    )
    checkpointDir: Any = Param(
        Params._dummy(), "checkpointDir",
        "A folder that the driver and all executors share. A training whose task is lost "
        "continues from it.",
        TypeConverters.toString,
    )
    timeout: Any = Param(
        Params._dummy(), "timeout", "Seconds that a task waits for another one. It is > 0.",
        TypeConverters.toFloat,
    )
    onDivergence: Any = Param(
        Params._dummy(), "onDivergence",
        "What happens if the objective or a weight is not finite at the end: error raises "
        "DivergedError, model gives a model whose weights are 0 and whose predictions ignore "
        "the features.",
        TypeConverters.toString,
    )
    verbose: Any = Param(
        Params._dummy(), "verbose", "Whether tasks write their progress to standard error.",
        TypeConverters.toBoolean,
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(
            precision="float64", device="cpu", timeout=300.0, verbose=False, onDivergence="error"
        )


class ExtraParams(HasWeightCol, HasValidationIndicatorCol, RunParams):
    """Params that Spark's class lacks and that are not hyper-parameters of the table."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Getters and setters that are made from the table."""

    def _set_table_defaults(self, task: str) -> None:
        for parameter, converter in extra_parameters(task):
            if parameter.spark is not None:
                self._setDefault(**{parameter.spark_name: converter(parameter.spark)})


def has_mini_batches(instance: Any) -> bool:
    """True if the solver uses mini-batches, which Spark's solvers do not."""
    return instance.getOrDefault("solver") in MINI_BATCH_SOLVERS


def extra_names(instance: Any) -> list[str]:
    """Returns the Params that are set and that Spark's classes lack, without `RunParams`."""
    names = {parameter.spark_name for parameter in PARAMETERS} - set(SPARK_NAMES)
    names |= {"weightCol", "validationIndicatorCol"}
    return [p.name for p in instance.params if p.name in names and instance.isSet(p)]


def make_request(instance: Any, task: str) -> FitRequest:
    """Makes the request of a training from the Params of an estimator."""
    params = {name: to_text(instance.getOrDefault(name)) for name in PLAIN_NAMES}
    params["layers"] = to_text(instance.getOrDefault("layers"))
    # The step size of a solver that Spark lacks has another default.
    if not has_mini_batches(instance) or instance.isSet("stepSize"):
        params["stepSize"] = to_text(instance.getOrDefault("stepSize"))
    for parameter, _ in extra_parameters(task):
        if instance.isSet(parameter.spark_name):
            params[parameter.spark_name] = to_text(instance.getOrDefault(parameter.spark_name))
    if instance.hasParam("thresholds") and instance.isSet("thresholds"):
        params["thresholds"] = to_text(instance.getOrDefault("thresholds"))
    weights = None
    if instance.isSet("initialWeights"):
        weights = tuple(instance.getOrDefault("initialWeights").toArray().tolist())
    return FitRequest(
        task=task,
        params=params,
        initial_weights=weights,
        precision=instance.getOrDefault("precision"),
        device=instance.getOrDefault("device"),
        num_workers=optional(instance, "numWorkers"),
        timeout=instance.getOrDefault("timeout"),
        checkpoint_dir=optional(instance, "checkpointDir"),
        verbose=instance.getOrDefault("verbose"),
        on_divergence=instance.getOrDefault("onDivergence"),
    )


def optional(instance: Any, name: str) -> Any:
    """Returns the value of a Param; None if it is not set."""
    return instance.getOrDefault(name) if instance.isDefined(name) else None
