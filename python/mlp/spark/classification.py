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
from pyspark.ml.util import MLReadable, MLWritable
from pyspark.sql import DataFrame
from pyspark.sql.utils import is_remote

from ..errors import ModelError
from ..formats.document import ModelDocument, read_document, to_model
from ..formats.spark import check_expressible, is_expressible, spark_weights
from ..model import Model
from .estimator import NativeEstimator, NativeModel, with_thresholds
from .extra_params import extra_names, has_mini_batches, optional, with_setters, with_table_params
from .persistence import StageReader, StageWriter
from .scoring import prefers_spark, score_columns
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
    NativeEstimator,
    ProbabilisticClassifier,
    _MultilayerPerceptronParams,
    MLWritable,
    MLReadable["MultilayerPerceptronClassifier"],
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
    _input_kwargs: dict[str, Any]

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

    @keyword_only
    def setParams(
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
    ) -> MultilayerPerceptronClassifier:
        """Sets Params by their names."""
        self._set_named(self._input_kwargs)
        return self

    def _check(self, dataset: DataFrame) -> None:
        check_params(self, dataset)
        num_classes = self.getLayers()[-1]
        if self.isDefined("thresholds") and len(self.getThresholds()) != num_classes:
            refuse_thresholds(num_classes, self.getThresholds())
        super()._check(dataset)

    def _make_model(self, model: Model) -> MultilayerPerceptronClassificationModel:
        return MultilayerPerceptronClassificationModel(model)

    def write(self) -> StageWriter:
        """Returns what saves this instance."""
        is_spark = not extra_names(self) and not has_mini_batches(self)
        return StageWriter(self, make_spark_classifier(self) if is_spark else None)

    @classmethod
    def read(cls) -> StageReader:
        """Returns what loads an instance."""
        return StageReader(cls, PACKAGE + "MultilayerPerceptronClassifier")

    @classmethod
    def from_spark(cls, classifier: SparkClassifier) -> MultilayerPerceptronClassifier:
        """Makes an estimator with the Params of PySpark's."""
        instance = cls()
        instance._resetUid(classifier.uid)
        copy_params(classifier, instance)
        return instance

    def to_spark(self) -> SparkClassifier:
        """Makes PySpark's estimator with the Params that it has."""
        return make_spark_classifier(self)

    @classmethod
    def _from_java(cls, java_stage: Any) -> MultilayerPerceptronClassifier:
        return cls.from_spark(wrap_java(SparkClassifier(), java_stage))

    @classmethod
    def _from_folder(cls, path: str) -> MultilayerPerceptronClassifier:
        return cls.from_spark(SparkClassifier.load(path))

    @classmethod
    def _from_side_file(cls, model: Model | None) -> MultilayerPerceptronClassifier:
        return cls()


@with_table_params(TASK)
class MultilayerPerceptronClassificationModel(
    NativeModel,
    ProbabilisticClassificationModel,
    _MultilayerPerceptronParams,
    MLWritable,
    MLReadable["MultilayerPerceptronClassificationModel"],
):
    """A trained classifier; see Spark's class of this name.

    Parameters
    ----------
    model : mlp.Model
        A classifier, such as ``mlp.Model.load("iris.json")``.
    """

    def __init__(self, model: Model) -> None:
        super().__init__()
        if model.is_regressor:
            raise ModelError("the model must be a classifier; got a regressor")
        self._init_model(model)
        self._set_table_defaults(TASK)
        self._set(layers=model.layers)
        if model.thresholds:
            self._set(thresholds=model.thresholds)

    @property
    def weights(self) -> DenseVector:
        """The weights of Spark's network, or of ours if Spark cannot express it."""
        document = read_document(self._model)
        is_spark = is_expressible(document)
        return DenseVector(spark_weights(document) if is_spark else document.weights)

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
        document = read_document(self._model)
        if is_expressible(document) and prefers_spark(self._model, dataset):
            return make_spark_model(self, spark_weights(document)).transform(dataset)
        return score_columns(
            dataset,
            with_thresholds(self._model, thresholds),
            self.getFeaturesCol(),
            self.getPredictionCol(),
            self.getRawPredictionCol(),
            self.getProbabilityCol(),
        )

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
                "Spark's summaries are objects of a JVM, which Spark Connect has not; use "
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
        document = read_document(self._model)
        check_expressible(document)
        return make_spark_model(self, spark_weights(document))

    @classmethod
    def from_spark(cls, model: SparkModel) -> MultilayerPerceptronClassificationModel:
        """Makes a model with the weights and the Params of PySpark's."""
        layers = tuple(model.getOrDefault("layers"))
        document = ModelDocument(
            layers=layers,
            weights=model.weights.toArray(),
            activations=("sigmoid",) * (len(layers) - 2),
        )
        instance = cls(to_model(document))
        instance._resetUid(model.uid)
        copy_params(model, instance)
        return instance

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Saves the model file of the program ``mlp``, on the machine of the driver."""
        thresholds = self.getThresholds() if self.isDefined("thresholds") else []
        with_thresholds(self._model, thresholds).save(path)

    @classmethod
    def from_json(
        cls, path: str | os.PathLike[str]
    ) -> MultilayerPerceptronClassificationModel:
        """Loads a model file of the program ``mlp`` from the machine of the driver."""
        return cls(Model.load(path))

    def write(self) -> StageWriter:
        """Returns what saves this instance."""
        is_spark = is_expressible(read_document(self._model))
        return StageWriter(self, self.to_spark() if is_spark else None)

    @classmethod
    def read(cls) -> StageReader:
        """Returns what loads an instance."""
        return StageReader(cls, PACKAGE + "MultilayerPerceptronClassificationModel")

    @classmethod
    def _from_java(cls, java_stage: Any) -> MultilayerPerceptronClassificationModel:
        return cls.from_spark(wrap_java(SparkModel(java_stage), java_stage))

    @classmethod
    def _from_folder(cls, path: str) -> MultilayerPerceptronClassificationModel:
        return cls.from_spark(SparkModel.load(path))

    @classmethod
    def _from_side_file(cls, model: Model | None) -> MultilayerPerceptronClassificationModel:
        if model is None:
            raise ModelError("the sub-folder mlp has no model")
        return cls(model)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}: uid={self.uid}, numLayers={len(self._model.layers)}, "
            f"numClasses={self.numClasses}, numFeatures={self.numFeatures}"
        )
