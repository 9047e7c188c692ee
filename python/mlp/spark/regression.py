# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A regressor beside Spark's classifier, with Params of the same names."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import keyword_only
from pyspark.errors import IllegalArgumentException
from pyspark.ml.base import _PredictorParams
from pyspark.ml.classification import _MultilayerPerceptronParams
from pyspark.ml.linalg import VectorUDT
from pyspark.ml.param.shared import HasBlockSize, HasMaxIter, HasSeed, HasSolver, HasStepSize, HasTol
from pyspark.ml.regression import RegressionModel, Regressor
from pyspark.sql.types import ArrayType, NumericType

from ..errors import ModelError, ParamError
from ..model import Model
from .estimator import NativeEstimator, NativeModel
from .extra_params import optional, with_setters, with_table_params
from .scoring import score_columns

if TYPE_CHECKING:
    from pyspark.ml.linalg import Vector
    from pyspark.sql import DataFrame

__all__ = ["MultilayerPerceptronRegressionModel", "MultilayerPerceptronRegressor"]

TASK = "regression"


class RegressorParams(
    _PredictorParams, HasSeed, HasMaxIter, HasTol, HasStepSize, HasSolver, HasBlockSize
):
    """Params of the classifier that a regressor has too."""

    layers = _MultilayerPerceptronParams.layers
    initialWeights = _MultilayerPerceptronParams.initialWeights

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(maxIter=100, tol=1e-6, blockSize=128, stepSize=0.03, solver="l-bfgs")

    def getLayers(self) -> list[int]:
        """Gets the value of layers or its default value."""
        layers: list[int] = self.getOrDefault(self.layers)
        return layers

    def getInitialWeights(self) -> Vector:
        """Gets the value of initialWeights or its default value."""
        return self.getOrDefault(self.initialWeights)


@with_setters
@with_table_params(TASK)
class MultilayerPerceptronRegressor(NativeEstimator, Regressor, RegressorParams):
    """A network with one output that is trained to the least squared error.

    It reads a column of vectors or of arrays. The label is used as it is: scale it if its
    numbers are far from 1. Params are those of the classifier.

    Examples
    --------
    >>> rows = [([float(x)], 2.0 * x) for x in range(4)]
    >>> dataset = spark.createDataFrame(rows, ["features", "label"])
    >>> regressor = MultilayerPerceptronRegressor(layers=[1, 1], seed=1)
    >>> round(regressor.fit(dataset).predict([10.0]), 3)
    20.0
    """

    _task = TASK

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        labelCol: str = "label",
        predictionCol: str = "prediction",
        maxIter: int = 100,
        tol: float = 1e-6,
        seed: int | None = None,
        layers: list[int] | None = None,
        blockSize: int = 128,
        stepSize: float = 0.03,
        solver: str = "l-bfgs",
        initialWeights: Vector | None = None,
        **extraParams: Any,
    ) -> None:
        super().__init__()
        self._set_table_defaults(TASK)
        self.setParams(**self._input_kwargs)

    def _check(self, dataset: DataFrame) -> None:
        if not optional(self, "layers"):
            raise ParamError(
                "layers must be set: the sizes from the features to the output, such as [4, 5, 1]"
            )
        if self.getLayers()[-1:] != [1]:
            raise ParamError(f"the last of the layers must be 1; got {self.getLayers()}")
        super()._check(dataset)
        check_columns(self, dataset)

    def _make_model(self, model: Model) -> MultilayerPerceptronRegressionModel:
        return MultilayerPerceptronRegressionModel(model)


def check_columns(estimator: Any, dataset: DataFrame) -> None:
    """Refuses columns with wrong types, as Spark's regressors do."""
    features = dataset.schema[estimator.getFeaturesCol()].dataType
    if not isinstance(features, (VectorUDT, ArrayType)):
        refuse_column(estimator.getFeaturesCol(), "a vector or an array", features)
    label = dataset.schema[estimator.getLabelCol()].dataType
    if not isinstance(label, NumericType):
        refuse_column(estimator.getLabelCol(), "numeric", label)
    if estimator.getPredictionCol() in dataset.columns:
        raise IllegalArgumentException(
            f"requirement failed: Column {estimator.getPredictionCol()} already exists."
        )


def refuse_column(name: str, expected: str, received: Any) -> None:
    raise IllegalArgumentException(
        f"requirement failed: Column {name} must be of type {expected} but was actually of "
        f"type {received.simpleString()}."
    )


@with_table_params(TASK)
class MultilayerPerceptronRegressionModel(NativeModel, RegressionModel, RegressorParams):
    """A trained regressor.

    Parameters
    ----------
    model : mlp.Model
        A regressor with one output, such as ``mlp.Model.load("price.json")``.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        if not model.is_regressor or model.layers[-1] != 1:
            raise ModelError(
                f"the model must be a regressor with one output; got {model!r}"
            )
        self._init_model(model)
        self._set_table_defaults(TASK)
        self._set(layers=model.layers)

    def predict(self, value: Any) -> float:
        """Predicts the number for the given features."""
        return float(self._model.predict(self._rows_of(value), 1)[0])

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return score_columns(
            dataset, self._model, self.getFeaturesCol(), self.getPredictionCol()
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}: uid={self.uid}, numLayers={len(self._model.layers)}, "
            f"numFeatures={self.numFeatures}"
        )
