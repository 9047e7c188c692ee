# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The base classes of the estimators of Spark and of their models."""
from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyspark import keyword_only
from pyspark.errors import IllegalArgumentException

from ..errors import ModelError, ParamError, ShapeError
from ..model import Model
from .extra_params import ExtraParams, make_request, optional
from .fit_multiple import SharedFits, shares_rows
from .monitor import Monitor, OnIteration, warn
from .persistence import SavedStage
from .training import train_all
from .training.one_task import make_settings
from .training.request import FitRequest
from .training.rows import training_rows

if TYPE_CHECKING:
    from typing import Self

    from pyspark.ml.param import Param
    from pyspark.sql import DataFrame

    ParamMap = Mapping[Param[Any], Any]

__all__ = ["NativeEstimator", "NativeModel"]

Vector = NDArray[np.float64]
LOGGER = logging.getLogger("mlp.spark")


class NativeEstimator(ExtraParams, SavedStage):
    """An estimator whose network the C++ library trains, in tasks of Spark."""

    _task = ""
    _input_kwargs: dict[str, Any]
    _on_iteration: OnIteration | None = None

    @keyword_only
    def setParams(self, **params: Any) -> Self:
        """Sets Params by their names."""
        for name in params:
            if not self.hasParam(name):
                raise TypeError(
                    f"{type(self).__name__} got an unexpected keyword argument '{name}'"
                )
        self._set(**params)
        return self

    def setOnIteration(self, on_iteration: OnIteration | None) -> Self:
        """Sets a function that the driver calls after each iteration, with an `mlp.Iteration`.

        It is called in a thread of its own, some tenths of a second later, and not over
        Spark Connect. ``fit`` raises its exception at the end. A task that Spark starts
        again reports its iterations again. It is no Param: it is not saved.
        """
        self._on_iteration = on_iteration
        return self

    def _check(self, dataset: DataFrame) -> None:
        """Refuses what can be refused before a training starts."""
        check_values(self)
        make_settings(self._request(), []).params.validate()

    def _request(self) -> FitRequest:
        """Returns what a task needs to train."""
        return make_request(self, self._task)

    def _training_columns(self) -> tuple[str, str, str | None, str | None]:
        """Returns the columns of the features, labels, weights and validation rows."""
        return (
            self.getOrDefault("featuresCol"), self.getOrDefault("labelCol"),
            optional(self, "weightCol"), optional(self, "validationIndicatorCol"),
        )

    @classmethod
    def _from_side_file(cls, model: Model | None) -> Any:
        return cls()

    def _make_model(self, model: Model) -> Any:
        """Wraps a trained network; the Params come later."""
        raise NotImplementedError

    def _fit(self, dataset: DataFrame) -> Any:
        return fit_all([self], dataset)[0]

    def fitMultiple(
        self, dataset: DataFrame, paramMaps: Sequence[ParamMap]
    ) -> Iterator[tuple[int, Any]]:
        """Fits a model for each ParamMap. Spark reads the data once for all of them.

        Returns
        -------
        iterator of (int, model)
            Threads may share it.
        """
        estimators = [self.copy(params) for params in paramMaps]
        for estimator in estimators:
            estimator._check(dataset)
        requests = [estimator._request() for estimator in estimators]
        if shares_rows(estimators, requests):
            return SharedFits(lambda: fit_all(estimators, dataset), len(estimators))
        fallback: Iterator[tuple[int, Any]] = super().fitMultiple(dataset, paramMaps)
        return fallback


def fit_all(estimators: Sequence[NativeEstimator], dataset: DataFrame) -> list[Any]:
    """Trains estimators that read the same columns."""
    for estimator in estimators:
        estimator._check(dataset)
    first = estimators[0]
    rows = training_rows(dataset, *first._training_columns())
    requests = [estimator._request() for estimator in estimators]
    models = []
    monitor = Monitor([estimator._on_iteration for estimator in estimators])
    results = train_all(rows, requests, monitor if monitor.is_used() else None)
    for estimator, result in zip(estimators, results):
        warn(result.warnings)
        model = estimator._make_model(Model.from_json(result.model))
        LOGGER.info(
            "trained: %d iterations, objective %.6g, %s", len(model.objectiveHistory) - 1,
            model.objectiveHistory[-1], model.convergenceReason,
        )
        model._resetUid(estimator.uid)
        model._training_data = dataset
        models.append(estimator._copyValues(model))
    return models


def check_values(estimator: NativeEstimator) -> None:
    """Refuses, with Spark's sentences, what Spark finds only while it trains."""
    tol = estimator.getOrDefault("tol")
    if estimator.getOrDefault("solver") == "gd" and tol > 1:
        raise IllegalArgumentException(
            f"requirement failed: Convergence tolerance must be in range [0, 1] but got {tol}"
        )
    num_workers, timeout = optional(estimator, "numWorkers"), estimator.getOrDefault("timeout")
    if num_workers is not None and num_workers < 1:
        raise ParamError(f"numWorkers must be >= 1; got {num_workers}")
    if not 0 < timeout < math.inf:
        raise ParamError(f"timeout must be a finite number of seconds above 0; got {timeout}")
    choice = estimator.getOrDefault("onDivergence")
    if choice not in ("error", "model"):
        raise ParamError(f"onDivergence must be 'error' or 'model'; got {choice!r}")
    is_plain = not any(optional(estimator, name) for name in ("residual", "batchNorm"))
    if estimator.isDefined("initialWeights") and is_plain:
        size = estimator.getOrDefault("initialWeights").size
        expected = estimator._request().num_weights
        if size != expected:
            raise IllegalArgumentException(
                f"requirement failed: Expected weight vector of size {expected} but got size "
                f"{size}."
            )


class NativeModel(ExtraParams, SavedStage):
    """A model whose network the C++ library has trained or scores."""

    _model: Model
    _training_data: DataFrame | None

    def _init_model(self, model: Model) -> None:
        if model._core.has_encoding:
            raise ModelError(
                "a model in Spark reads a vector of features; this one encodes the columns of "
                "its data file"
            )
        self._model = model
        self._training_data = None

    @property
    def model(self) -> Model:
        """The network as an :py:class:`mlp.Model`."""
        return self._model

    @property
    def numFeatures(self) -> int:
        """Number of features the model was trained on."""
        return self._model.num_features

    @property
    def objectiveHistory(self) -> list[float]:
        """The objective at the start and after each iteration."""
        history: list[float] = self._model.objective_history.tolist()
        return history

    @property
    def validationHistory(self) -> list[float]:
        """The loss of the validation rows after each entry of the history; may be empty."""
        history: list[float] = self._model.validation_history.tolist()
        return history

    @property
    def convergenceReason(self) -> str:
        """Why the training stopped, such as maxIter."""
        return self._model.convergence_reason

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Loads a model file of the program ``mlp`` from the machine of the driver."""
        return cls(Model.load(path))

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Saves the model file of the program ``mlp``, on the machine of the driver."""
        self._model.save(path)

    def copy(self, extra: ParamMap | None = None) -> Any:
        """Copies the model with some Params changed. The copy has no summary."""
        that = super().copy(dict(extra) if extra else None)
        that._training_data = None
        return that

    def __getstate__(self) -> dict[str, Any]:
        # A DataFrame cannot leave the driver.
        return self.__dict__ | {"_training_data": None}

    def _rows_of(self, value: Any) -> Vector:
        """Returns one vector as the rows that the network reads."""
        row = np.asarray(value.toArray() if hasattr(value, "toArray") else value, np.float64)
        if row.shape != (self.numFeatures,):
            raise ShapeError(
                f"features must have {self.numFeatures} values; got {row.size}"
            )
        return row.reshape(1, -1)
