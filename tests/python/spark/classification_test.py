# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Our classifier beside Spark's, in a running Spark."""

import doctest
import pathlib
import pickle
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
import pyspark.ml.classification as spark  # noqa: E402
from golden_test import FITS, instances_of, read_fit  # noqa: E402
from mlp import MLPClassifier, Model, ModelError, ParamError  # noqa: E402
from mlp.spark import (  # noqa: E402
    MultilayerPerceptronClassificationModel,
    MultilayerPerceptronClassifier,
)
from pyspark.ml.linalg import Vectors  # noqa: E402

from spark.frames import XOR, check_history, iris_frame, make_frame, read_golden  # noqa: E402

TOLERANCE = 1e-12  # of probabilities from equal weights
QUICK_FITS = ("iris_3_partitions", "iris_gd", "iris_thresholds", "xor_initial_weights")


def all_fits() -> list[Any]:
    return [
        pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK_FITS else pytest.mark.slow)
        for path in FITS
    ]


def estimator_of(fit: dict[str, Any]) -> MultilayerPerceptronClassifier:
    params = ({"seed": fit["effectiveSeed"]} if "effectiveSeed" in fit else {}) | fit["params"]
    thresholds = params.pop("thresholds", None)
    estimator = MultilayerPerceptronClassifier(**params)
    return estimator.setThresholds(thresholds) if thresholds else estimator


@pytest.mark.parametrize("path", all_fits())
def test_takes_the_steps_of_spark(path: pathlib.Path, session: Any) -> None:
    fit = read_fit(path)
    X, y = instances_of(fit)
    frame = make_frame(session, X, y, fit.get("partitionSizes"))

    # Spark's objective of one of them is NaN.
    model = estimator_of(fit).setOnDivergence("model").fit(frame)

    check_history(model.objectiveHistory, fit)
    agreeing = fit.get("agreement", {}).get("entries", {}).get("1e-9")
    if "predictions" in fit and agreeing == len(fit["objectiveHistory"]):
        rows = model.transform(frame).select("prediction").collect()
        assert [row.prediction for row in rows] == fit["predictions"]


def test_passes_the_examples_of_pysparks_class(session: Any, tmp_path: pathlib.Path) -> None:
    names = {
        "spark": session,
        "temp_path": str(tmp_path),
        "MultilayerPerceptronClassifier": MultilayerPerceptronClassifier,
        "MultilayerPerceptronClassificationModel": MultilayerPerceptronClassificationModel,
    }
    finder = doctest.DocTestFinder(recurse=False)
    (examples,) = finder.find(spark.MultilayerPerceptronClassifier, globs=names)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)

    results = runner.run(examples, clear_globs=False)

    assert (results.attempted, results.failed) == (32, 0)
    assert type(examples.globs["model"]) is MultilayerPerceptronClassificationModel
    assert examples.globs["model"].convergenceReason == "gradientConverged"


REFUSED = [
    {},
    {"layers": [2]},
    {"layers": [0, 2]},
    {"layers": [2, -1, 2]},
    {"layers": [2, 3, 2], "tol": -1.0},
    {"layers": [2, 3, 2], "tol": float("nan")},
    {"layers": [2, 3, 2], "maxIter": -1},
    {"layers": [2, 3, 2], "blockSize": 0},
    {"layers": [2, 3, 2], "stepSize": 0.0},
    {"layers": [2, 3, 2], "solver": "newton"},
    {"layers": [2, 3, 2], "solver": "gd", "tol": 2.0},
    {"layers": [2, 3, 2], "featuresCol": "other"},
    {"layers": [2, 3, 2], "featuresCol": "label"},
    {"layers": [2, 3, 2], "labelCol": "features"},
    {"layers": [2, 3, 2], "predictionCol": "label"},
    {"layers": [2, 3, 2], "initialWeights": Vectors.dense([1.0] * 5)},
]


def sentence_of(estimator: Any, frame: Any) -> str:
    """Returns what a fit raises, without the stack of the JVM and the names of objects."""
    with pytest.raises(Exception) as caught:
        estimator.fit(frame)
    text = re.sub(r"_[0-9a-f]{12}|\bo\d+\.\w+", "", str(caught.value))
    found = re.search("requirement failed: [^\n]*", text)
    return found.group() if found else " ".join(text.split("\n")[:2])


@pytest.mark.parametrize("params", REFUSED, ids=str)
def test_refuses_with_sparks_sentence(params: dict[str, Any], session: Any) -> None:
    frame = make_frame(session, *XOR)

    ours = sentence_of(MultilayerPerceptronClassifier(**params), frame)

    assert ours == sentence_of(spark.MultilayerPerceptronClassifier(**params), frame)


def test_refuses_thresholds_of_another_number(session: Any) -> None:
    frame = make_frame(session, *XOR)
    ours = MultilayerPerceptronClassifier(layers=[2, 2], maxIter=1).setThresholds([1.0] * 3)
    theirs = spark.MultilayerPerceptronClassifier(layers=[2, 2], maxIter=1)

    assert sentence_of(ours, frame) == sentence_of(theirs.setThresholds([1.0] * 3), frame)
    model = ours.copy({ours.thresholds: [0.5, 0.5]}).fit(frame)
    with pytest.raises(Exception, match="numClasses=2, but thresholds has length 1"):
        model.setThresholds([1.0]).transform(frame)


def test_refuses_labels_and_features_with_sparks_sentence(session: Any) -> None:
    estimator = MultilayerPerceptronClassifier(layers=[2, 3, 2], maxIter=1)
    X, y = XOR

    with pytest.raises(ValueError, match=re.escape("Labels MUST be in {0, 1}, but got 2.0")):
        estimator.fit(make_frame(session, X, y * 2))
    with pytest.raises(ValueError, match="Vector values MUST NOT be NaN or Infinity, but got NaN"):
        estimator.fit(make_frame(session, np.where(X > 0, np.nan, X), y))
    with pytest.raises(ValueError, match="features must have 2 values.*; got 1"):
        estimator.fit(make_frame(session, X[:, :1], y))


def test_refuses_a_param_that_does_not_exist() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'layer'"):
        MultilayerPerceptronClassifier(layer=[2, 2])


def spark_params(text: str) -> list[str]:
    """Returns the lines of explainParams, without the seed of the process."""
    return [line for line in text.splitlines() if not line.startswith("seed")]


def test_explains_the_params_of_spark_and_more() -> None:
    ours = spark_params(MultilayerPerceptronClassifier(layers=[4, 3]).explainParams())
    theirs = spark_params(spark.MultilayerPerceptronClassifier(layers=[4, 3]).explainParams())

    assert set(theirs) <= set(ours)
    names = {line.partition(":")[0] for line in ours}
    assert {"weightCol", "activation", "regParam", "numWorkers", "device", "timeout"} <= names


def test_has_a_setter_and_a_getter_for_each_param() -> None:
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 3])
    given = {"Activation": "relu", "RegParam": 0.5, "NumWorkers": 2, "WeightCol": "w",
             "Dropout": [0.25], "Freeze": [1], "Residual": True, "BatchSize": 7, "Solver": "adam"}

    for name, value in given.items():
        assert getattr(estimator, f"set{name}")(value) is estimator
        assert getattr(estimator, f"get{name}")() == value
    theirs = {name for name in dir(spark.MultilayerPerceptronClassifier) if name[:3] in ("set", "get")}
    assert theirs <= set(dir(estimator))


def test_columns_have_the_types_and_the_metadata_of_sparks(session: Any) -> None:
    frame = iris_frame(session)
    ours = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=1, seed=1).fit(frame)
    theirs = spark.MultilayerPerceptronClassifier(layers=[4, 3], maxIter=1, seed=1).fit(frame)

    assert ours.transform(frame).schema.json() == theirs.transform(frame).schema.json()
    assert repr(ours).partition(", ")[2] == repr(theirs).partition(", ")[2]


def test_scores_one_row_as_spark_does(session: Any) -> None:
    frame = iris_frame(session)
    model = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=5, seed=1).fit(frame)
    model.setThresholds([0.0, 1.0, 1.0])
    theirs = model.to_spark()
    row = Vectors.sparse(4, {0: 5.1, 2: 1.4})

    assert model.predict(row) == theirs.predict(row)
    for name in ("predictRaw", "predictProbability"):
        ours, expected = getattr(model, name)(row), getattr(theirs, name)(row)
        np.testing.assert_allclose(ours.toArray(), expected.toArray(), atol=TOLERANCE)
    with pytest.raises(ValueError, match="features must have 4 values; got 2"):
        model.predict(Vectors.dense([1.0, 2.0]))


def test_sparse_vectors_are_trained_as_dense_ones(session: Any) -> None:
    X, y = XOR
    rows = [(Vectors.sparse(2, np.flatnonzero(x), x[x > 0]), float(z)) for x, z in zip(X, y)]
    sparse = session.createDataFrame(rows, ["features", "label"]).coalesce(1)
    estimator = MultilayerPerceptronClassifier(layers=[2, 5, 2], seed=1, blockSize=1)

    weights = estimator.fit(sparse).weights

    assert weights == estimator.fit(make_frame(session, X, y)).weights


def test_the_summary_is_that_of_spark(session: Any) -> None:
    frame = iris_frame(session)
    params = {"layers": [4, 3], "maxIter": 20, "seed": 1}
    ours = MultilayerPerceptronClassifier(**params).fit(frame).summary()
    theirs = spark.MultilayerPerceptronClassifier(**params).fit(frame).summary()

    assert ours.totalIterations == theirs.totalIterations
    np.testing.assert_allclose(ours.objectiveHistory, theirs.objectiveHistory, rtol=1e-9)
    assert ours.accuracy == theirs.accuracy
    assert ours.weightedFMeasure() == theirs.weightedFMeasure()
    assert ours.predictions.columns == theirs.predictions.columns


def test_evaluates_without_a_prediction_column(session: Any) -> None:
    frame = iris_frame(session)
    model = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=20, seed=1).fit(frame)
    accuracy = model.evaluate(frame).accuracy

    assert model.setPredictionCol("").evaluate(frame).accuracy == accuracy > 0.7
    with pytest.raises(TypeError, match="dataset must be a DataFrame"):
        model.evaluate([1])


def test_a_copy_has_no_summary(session: Any) -> None:
    model = MultilayerPerceptronClassifier(layers=[2, 2], maxIter=1).fit(make_frame(session, *XOR))

    assert model.hasSummary and not model.copy().hasSummary
    with pytest.raises(RuntimeError, match="No training summary available for this Multilayer"):
        model.copy().summary()


def test_param_maps_change_one_fit(session: Any) -> None:
    frame = iris_frame(session)
    estimator = MultilayerPerceptronClassifier(layers=[4, 3], maxIter=1, seed=1)

    more, same = estimator.fit(frame, [{estimator.maxIter: 3}, {}])

    assert (len(more.objectiveHistory), len(same.objectiveHistory)) == (4, 2)
    assert (more.getMaxIter(), more.uid) == (3, estimator.uid)


def test_weights_of_rows_count(session: Any) -> None:
    X, y = XOR
    frame = make_frame(session, X, y).selectExpr("*", "label + 1 AS weight")
    estimator = MultilayerPerceptronClassifier(layers=[2, 3, 2], maxIter=5, seed=1, weightCol="weight")
    expected = MLPClassifier(layers=[2, 3, 2], max_iter=5, seed=1).fit(X, y, sample_weight=y + 1)

    model = estimator.fit(frame)

    np.testing.assert_array_equal(model.model.weights, expected.model_.weights)
    assert model.summary().weightCol == "weight"


def test_validation_rows_are_not_trained(session: Any) -> None:
    frame = iris_frame(session).selectExpr("*", "monotonically_increasing_id() % 3 = 0 AS held")
    estimator = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=5, seed=1)

    model = estimator.copy().setValidationIndicatorCol("held").fit(frame)

    assert model.weights == estimator.fit(frame.where("NOT held")).weights
    start = estimator.fit(frame.where("held"), {estimator.maxIter: 0}).objectiveHistory
    assert len(model.validationHistory) == 6
    assert model.validationHistory[0] == pytest.approx(start[0])


def test_a_fit_can_be_sent_to_another_process(session: Any) -> None:
    model = MultilayerPerceptronClassifier(layers=[2, 2], maxIter=1).fit(make_frame(session, *XOR))

    again = pickle.loads(pickle.dumps(model))

    assert again.weights == model.weights and not again.hasSummary


def test_an_estimator_that_spark_lacks_is_not_converted(session: Any) -> None:
    own = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=7, seed=3)
    assert own.to_spark().getMaxIter() == 7
    with pytest.raises(ParamError, match=r"has no solver adam; clear it with clear\("):
        own.copy({own.solver: "adam"}).to_spark()
    with pytest.raises(ParamError, match="has no weightCol"):
        own.copy({own.weightCol: "w"}).to_spark()


def test_converts_to_spark_and_back(session: Any) -> None:
    frame = iris_frame(session)
    model = MultilayerPerceptronClassifier(layers=[4, 5, 3], maxIter=10, seed=1).fit(frame)
    model.setThresholds([0.2, 0.3, 0.5]).setProbabilityCol("p")

    theirs = model.to_spark()
    again = MultilayerPerceptronClassificationModel.from_spark(theirs)

    assert type(theirs) is spark.MultilayerPerceptronClassificationModel
    assert again.weights == theirs.weights == model.weights
    assert again.uid == theirs.uid == model.uid
    assert again.extractParamMap() == model.extractParamMap() | again.extractParamMap()
    assert again.getThresholds() == [0.2, 0.3, 0.5] and theirs.getProbabilityCol() == "p"


def test_a_model_of_the_program_scores_in_spark(session: Any, tmp_path: pathlib.Path) -> None:
    X = np.array([row.features.toArray() for row in iris_frame(session).collect()])
    y = np.array(["a"] * 75 + ["b"] * 75)
    expected = MLPClassifier(layers=[4, 5, 2], max_iter=20, standardize=True).fit(X, y).model_
    expected.save(tmp_path / "model.json")

    model = MultilayerPerceptronClassificationModel.from_json(tmp_path / "model.json")

    rows = model.transform(iris_frame(session)).collect()
    probabilities = np.array([row.probability.toArray() for row in rows])
    np.testing.assert_allclose(probabilities, expected.predict_proba(X), atol=TOLERANCE)
    model.to_json(tmp_path / "again.json")
    assert Model.load(tmp_path / "again.json") == expected


def test_refuses_a_regressor(tmp_path: pathlib.Path) -> None:
    from mlp import MLPRegressor

    MLPRegressor(layers=[1, 1], max_iter=1).fit([[1.0], [2.0]], [1.0, 2.0]).model_.save(
        tmp_path / "model.json"
    )

    with pytest.raises(ModelError, match="must be a classifier; got a regressor"):
        MultilayerPerceptronClassificationModel.from_json(tmp_path / "model.json")


def test_golden_thresholds_survive_a_fit(session: Any) -> None:
    fit = read_golden("iris_thresholds")

    model = estimator_of(fit).fit(iris_frame(session))

    assert model.getThresholds() == fit["params"]["thresholds"] == model.model.thresholds
