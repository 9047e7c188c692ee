# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The regressor in a running Spark."""

import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from mlp import MLPClassifier, MLPRegressor, ModelError, ParamError  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronRegressionModel,
    MultilayerPerceptronRegressor,
)
from pyspark.ml.evaluation import RegressionEvaluator  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from spark.frames import make_frame  # noqa: E402

X = np.linspace(-1.0, 1.0, 60).reshape(20, 3)
Y = np.sin(X).sum(axis=1)
PARAMS = {"layers": [3, 4, 1], "maxIter": 30, "seed": 1}


def make_regressor(**params: Any) -> MultilayerPerceptronRegressor:
    return MultilayerPerceptronRegressor(**(PARAMS | params))


def test_has_the_weights_of_the_estimator_for_numpy(session: Any) -> None:
    expected = MLPRegressor(layers=[3, 4, 1], max_iter=30, seed=1, standardize=False).fit(X, Y)
    frame = make_frame(session, X, Y)

    model = make_regressor().fit(frame)

    assert model.model.weights.tobytes() == expected.model_.weights.tobytes()
    predictions = model.transform(frame)
    rows = [row.prediction for row in predictions.collect()]
    np.testing.assert_allclose(rows, expected.predict(X), rtol=1e-12)
    assert RegressionEvaluator(metricName="r2").evaluate(predictions) > 0.9


def test_reads_arrays(session: Any) -> None:
    rows = [(row, float(y)) for row, y in zip(X.tolist(), Y)]
    frame = session.createDataFrame(rows, ["features", "label"]).coalesce(1)

    model = make_regressor().fit(frame)

    assert model.objectiveHistory == make_regressor().fit(make_frame(session, X, Y)).objectiveHistory
    assert model.transform(frame).first().prediction == model.predict(Vectors.dense(X[0]))


REFUSED = {
    "layers must be set": {"layers": None},
    r"the last of the layers must be 1; got \[3, 2\]": {"layers": [3, 2]},
    "activation must be": {"activation": "step"},
    "Column label must be of type a vector or an array": {"featuresCol": "label"},
    "Column features must be of type numeric": {"labelCol": "features"},
    "Column label already exists": {"predictionCol": "label"},
    "features must have 2 values": {"layers": [2, 1]},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses(sentence: str, session: Any) -> None:
    estimator = make_regressor(**REFUSED[sentence])

    with pytest.raises(Exception, match=sentence):
        estimator.fit(make_frame(session, X, Y))


def test_refuses_a_param_of_the_classifier() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'labelSmoothing'"):
        make_regressor(labelSmoothing=0.5)
    with pytest.raises(ModelError, match="must be a regressor with one output; got <mlp.Model"):
        MultilayerPerceptronRegressionModel(
            MLPClassifier(layers=[1, 2], max_iter=1).fit([[0.0], [1.0]], [0, 1]).model_
        )


def test_is_saved_and_loaded(session: Any, tmp_path: pathlib.Path) -> None:
    estimator = make_regressor(regParam=0.5, activation="tanh")
    model = estimator.fit(make_frame(session, X, Y))
    estimator.save(str(tmp_path / "estimator"))
    model.save(str(tmp_path / "model"))
    model.to_json(tmp_path / "model.json")

    again = MultilayerPerceptronRegressionModel.load(str(tmp_path / "model"))

    assert again.model == model.model and again.uid == model.uid
    assert MultilayerPerceptronRegressionModel.from_json(tmp_path / "model.json").model == model.model
    loaded = MultilayerPerceptronRegressor.load(str(tmp_path / "estimator"))
    assert (loaded.getRegParam(), loaded.getActivation()) == (0.5, "tanh")


def test_layers_are_checked_before_the_training(session: Any) -> None:
    with pytest.raises(ParamError, match="layers must"):
        make_regressor(layers=[1]).fit(make_frame(session, X, Y))
