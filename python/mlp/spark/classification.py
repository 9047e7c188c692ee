# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Spark's MultilayerPerceptronClassifier, trained by the C++ library."""
from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyspark import keyword_only
from pyspark.ml.classification import (
    ProbabilisticClassificationModel,
    ProbabilisticClassifier,
    _MultilayerPerceptronParams,
)
from pyspark.ml.linalg import DenseVector
from pyspark.sql import DataFrame
from pyspark.sql.utils import is_remote

from .. import _core
from ..errors import ModelError, ParamError
from ..formats.spark import is_expressible, spark_weights
from ..model import Model
from .estimator import NativeEstimator, NativeModel
from .extra_params import extra_names, has_mini_batches, optional, with_setters, with_table_params
from .jar import has_jar
from .scoring import score_columns
from .spark_model import (
    SparkClassifier,
    SparkModel,
    check_params,
    copy_params,
    make_spark_classifier,
    make_spark_model,
    make_summary,
    refuse_thresholds,
    wrap_java,
)

if TYPE_CHECKING:
    from pyspark.ml.linalg import Vector

__all__ = ["MultilayerPerceptronClassificationModel", "MultilayerPerceptronClassifier"]

TASK = "classification"
PACKAGE = "org.apache.spark.ml.classification."


@with_setters
@with_table_params(TASK)
class MultilayerPerceptronClassifier(
    NativeEstimator, ProbabilisticClassifier, _MultilayerPerceptronParams
):
    """Spark's classifier, with the same Params, the same model and the same errors.

    The keywords of the constructor, the setters and the getters are those of PySpark's
    class, and those of more Params, such as ``activation``, ``regParam`` and ``weightCol``;
    ``explainParams()`` lists them all. ``solver`` may also be sgd, adam or adamw.

    Examples
    --------
    >>> from pyspark.ml.linalg import Vectors
    >>> rows = [(0.0, [0.0, 0.0]), (1.0, [0.0, 1.0]), (1.0, [1.0, 0.0]), (0.0, [1.0, 1.0])]
    >>> rows = [(label, Vectors.dense(row)) for label, row in rows]
    >>> dataset = spark.createDataFrame(rows, ["label", "features"])
    >>> classifier = MultilayerPerceptronClassifier(layers=[2, 2, 2], blockSize=1, seed=123)
    >>> model = classifier.fit(dataset)
    >>> model.predictRaw(Vectors.dense([1.0, 0.0]))
    DenseVector([-16.208, 16.344])
    """

    _task = TASK
    _spark_class = PACKAGE + "MultilayerPerceptronClassifier"

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
        probabilityCol: str = "probability",
        rawPredictionCol: str = "rawPrediction",
        **extraParams: Any,
    ) -> None:
        super().__init__()
        self._set_table_defaults(TASK)
        self.setParams(**self._input_kwargs)

    def _check(self, dataset: DataFrame) -> None:
        check_params(self, dataset)
        num_classes = self.getLayers()[-1]
        if self.isDefined("thresholds") and len(self.getThresholds()) != num_classes:
            refuse_thresholds(num_classes, self.getThresholds())
        super()._check(dataset)

    def _make_model(self, model: Model) -> MultilayerPerceptronClassificationModel:
        return MultilayerPerceptronClassificationModel(model)

    def _expressed_by_spark(self) -> SparkClassifier | None:
        is_spark = not extra_names(self) and not has_mini_batches(self)
        return make_spark_classifier(self) if is_spark else None

    @classmethod
    def from_spark(cls, classifier: SparkClassifier) -> MultilayerPerceptronClassifier:
        """Makes an estimator with the Params of PySpark's."""
        instance = cls()
        instance._resetUid(classifier.uid)
        copy_params(classifier, instance)
        return instance

    def to_spark(self) -> SparkClassifier:
        """Makes PySpark's estimator, which trains the same model.

        Raises
        ------
        ParamError
            If PySpark's class lacks a Param that is set, or its solver.
        """
        lacking = extra_names(self)
        if has_mini_batches(self):
            lacking.append(f"solver {self.getSolver()}")
        if lacking:
            name = lacking[0].split()[0]
            raise ParamError(
                f"{name}: PySpark's MultilayerPerceptronClassifier has no "
                f"{', '.join(lacking)}; clear it with clear(estimator.{name}), or keep this class"
            )
        return make_spark_classifier(self)

    @classmethod
    def _from_java(cls, java_stage: Any) -> MultilayerPerceptronClassifier:
        return cls.from_spark(wrap_java(SparkClassifier(), java_stage))

    @classmethod
    def _from_folder(cls, path: str) -> MultilayerPerceptronClassifier:
        return cls.from_spark(SparkClassifier.load(path))


@with_table_params(TASK)
class MultilayerPerceptronClassificationModel(
    NativeModel, ProbabilisticClassificationModel, _MultilayerPerceptronParams
):
    """A trained classifier; see Spark's class of this name.

    Parameters
    ----------
    model : mlp.Model
        A classifier, such as ``mlp.Model.load("iris.json")``.
    """

    _spark_class = PACKAGE + "MultilayerPerceptronClassificationModel"

    def __init__(self, model: Model) -> None:
        super().__init__()
        if model.is_regressor:
            raise ModelError("the model must be a classifier; got a regressor")
        self._init_model(model)
        self._network = model  # with the thresholds of the Params
        self._set_table_defaults(TASK)
        self._set(layers=model.layers)
        if model.thresholds:
            self._set(thresholds=model.thresholds)

    @property
    def weights(self) -> DenseVector:
        """The weights of Spark's network, or of ours if Spark cannot express it."""
        model = self._model
        return DenseVector(spark_weights(model) if is_expressible(model) else model.weights)

    @property
    def numClasses(self) -> int:
        """Number of classes (values which the label can take)."""
        return self._model.layers[-1]

    def setThresholds(self, value: list[float]) -> MultilayerPerceptronClassificationModel:
        """Sets the value of :py:attr:`thresholds`."""
        self._set(thresholds=value)
        return self

    def predictRaw(self, value: Vector) -> Vector:
        """Raw prediction for each possible label."""
        return DenseVector(self._model.decision_function(self._rows_of(value), 1)[0])

    def predictProbability(self, value: Vector) -> Vector:
        """Predict the probability of each class given the features."""
        return DenseVector(self._model.predict_proba(self._rows_of(value), 1)[0])

    def predict(self, value: Vector) -> float:
        """Predict label for the given features. As in Spark, thresholds do not apply."""
        return float(np.argmax(self.predictProbability(value).toArray()))

    def _transform(self, dataset: DataFrame) -> DataFrame:
        thresholds = self.getThresholds() if self.isDefined("thresholds") else []
        if thresholds and len(thresholds) != self.numClasses:
            refuse_thresholds(self.numClasses, thresholds)
        if is_expressible(self._model) and not has_jar(dataset.sparkSession):
            model = make_spark_model(self, spark_weights(self._model), dataset.sparkSession)
            return model.transform(dataset)
        return score_columns(
            dataset,
            self._to_score(),
            self.getFeaturesCol(),
            self.getPredictionCol(),
            self.getRawPredictionCol(),
            self.getProbabilityCol(),
        )

    def _to_score(self) -> Model:
        """Returns the network of `transform`: as in Spark, thresholds need one of two columns."""
        if self.getRawPredictionCol() or self.getProbabilityCol():
            return self._with_thresholds()
        return self._model._replace(thresholds=[])

    def _with_thresholds(self) -> Model:
        """Returns the network with the thresholds of the Params; the last one is kept."""
        thresholds = self.getThresholds() if self.isDefined("thresholds") else []
        if self._network.thresholds != thresholds:
            self._network = self._model._replace(thresholds=thresholds)
        return self._network

    @property
    def hasSummary(self) -> bool:
        """Indicates whether a training summary exists for this model instance."""
        return self._training_data is not None

    def summary(self) -> Any:
        """Gets Spark's summary of the training: the metrics, and the objective."""
        if self._training_data is None:
            raise RuntimeError(
                f"No training summary available for this {type(self).__name__}"
            )
        return self._summarize(self._training_data, self._model.objective_history)

    def evaluate(self, dataset: DataFrame) -> Any:
        """Evaluates the model on a test dataset, as Spark's summary."""
        if not isinstance(dataset, DataFrame):
            raise TypeError(f"dataset must be a DataFrame but got {type(dataset)}.")
        return self._summarize(dataset, None)

    def _summarize(self, dataset: DataFrame, history: NDArray[np.float64] | None) -> Any:
        if is_remote():
            raise NotImplementedError(
                "Spark's summaries are objects of a JVM, which Spark Connect does not have; use "
                "objectiveHistory, or MulticlassClassificationEvaluator on transform(dataset)"
            )
        model = self
        if not self.getPredictionCol():
            model = self.copy({self.predictionCol: f"prediction_{uuid.uuid4()}"})
        return make_summary(
            model.transform(dataset),
            model.getPredictionCol(),
            model.getLabelCol(),
            optional(model, "weightCol") or "",
            history,
        )

    def to_spark(self) -> SparkModel:
        """Makes PySpark's own model.

        Raises
        ------
        ModelError
            If Spark cannot express the network, such as one with another activation.
        """
        return make_spark_model(self, spark_weights(self._model))

    @classmethod
    def from_spark(cls, model: SparkModel) -> MultilayerPerceptronClassificationModel:
        """Makes a model with the weights and the Params of PySpark's."""
        core = _core.Model.make(model.getOrDefault("layers"), model.weights.toArray())
        instance = cls(Model(core))
        instance._resetUid(model.uid)
        copy_params(model, instance)
        return instance

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Saves the model file of the program ``mlp``, on the machine of the driver."""
        self._with_thresholds().save(path)

    def _expressed_by_spark(self) -> SparkModel | None:
        return self.to_spark() if is_expressible(self._model) else None

    @classmethod
    def _from_java(cls, java_stage: Any) -> MultilayerPerceptronClassificationModel:
        return cls.from_spark(wrap_java(SparkModel(java_stage), java_stage))

    @classmethod
    def _from_folder(cls, path: str) -> MultilayerPerceptronClassificationModel:
        return cls.from_spark(SparkModel.load(path))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}: uid={self.uid}, numLayers={len(self._model.layers)}, "
            f"numClasses={self.numClasses}, numFeatures={self.numFeatures}"
        )
