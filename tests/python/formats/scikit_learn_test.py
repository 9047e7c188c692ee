# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models of networks that scikit-learn trained."""

from typing import Any

import numpy as np
import pytest
from mlp import ModelError
from mlp.formats import from_sklearn

from formats.networks import TOLERANCE

pytest.importorskip("sklearn")
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, StandardScaler  # noqa: E402

ACTIVATIONS = ["logistic", "tanh", "relu", "identity"]
SETTINGS: dict[str, Any] = {
    "hidden_layer_sizes": (6, 5), "max_iter": 30, "solver": "lbfgs", "random_state": 1
}
Iris = tuple[np.ndarray, np.ndarray]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("num_classes", [2, 3])
def test_a_classifier_has_equal_probabilities(
    activation: str, num_classes: int, iris: Iris
) -> None:
    X, y = iris
    fitted = MLPClassifier(activation=activation, **SETTINGS).fit(X, np.minimum(y, num_classes - 1))

    model = from_sklearn(fitted)

    assert abs(model.predict_proba(X) - fitted.predict_proba(X)).max() <= TOLERANCE
    assert model.predict(X).tolist() == fitted.predict(X).tolist()
    assert model.labels == []


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_regressor_predicts_equal_numbers(activation: str, iris: Iris) -> None:
    X, y = iris[0][:, :3], iris[0][:, 3]
    fitted = MLPRegressor(activation=activation, **SETTINGS).fit(X, y)

    model = from_sklearn(fitted)

    assert model.is_regressor
    assert abs(model.predict(X) - fitted.predict(X)).max() <= TOLERANCE


def test_names_of_classes_become_labels(iris: Iris, names: np.ndarray) -> None:
    fitted = MLPClassifier(**SETTINGS).fit(iris[0], names)
    numbers = MLPClassifier(**SETTINGS).fit(iris[0], iris[1] + 3)

    model = from_sklearn(fitted)

    assert (model.predict(iris[0]) == fitted.predict(iris[0])).all()
    assert from_sklearn(numbers).labels == ["3", "4", "5"]


def test_float32_weights_are_kept(iris: Iris) -> None:
    X = iris[0].astype(np.float32)
    fitted = MLPClassifier(**SETTINGS | {"solver": "adam"}).fit(X, iris[1])

    model = from_sklearn(fitted)

    assert fitted.coefs_[0].dtype == np.float32
    assert (model.coefs_[1] == fitted.coefs_[1]).all()


@pytest.mark.parametrize("options", [{}, {"with_mean": False}, {"with_std": False}])
def test_a_pipeline_keeps_its_scaler(options: dict[str, bool], iris: Iris) -> None:
    X = np.column_stack([iris[0], np.ones(150)])
    fitted = make_pipeline(StandardScaler(**options), MLPClassifier(**SETTINGS)).fit(X, iris[1])

    model = from_sklearn(fitted)

    assert model._core.scaler is not None
    assert abs(model.predict_proba(X) - fitted.predict_proba(X)).max() <= TOLERANCE


def test_names_of_features_are_kept(iris: Iris) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris[0], columns=["a", "b", "c", "d"])

    model = from_sklearn(MLPClassifier(**SETTINGS).fit(frame, iris[1]))

    assert model.feature_names == ["a", "b", "c", "d"]


def several_labels(iris: Iris) -> Any:
    labels = np.stack([iris[1] > 0, iris[1] > 1], axis=1)
    return MLPClassifier(**SETTINGS).fit(iris[0], labels)


def poisson(iris: Iris) -> Any:
    try:
        return MLPRegressor(loss="poisson", **SETTINGS).fit(iris[0], iris[1])
    except TypeError:
        pytest.skip("this scikit-learn has squared error only")


REFUSED = {
    "got LogisticRegression": lambda iris: LogisticRegression().fit(*iris),
    "MLPClassifier is not fitted": lambda iris: MLPClassifier(),
    "several labels per instance": several_labels,
    "got the activation exp after them": poisson,
    "one StandardScaler before the network; got MinMaxScaler": lambda iris: make_pipeline(
        MinMaxScaler(), MLPClassifier(**SETTINGS)
    ).fit(*iris),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refuses_what_is_no_network_of_a_model(sentence: str, iris: Iris) -> None:
    estimator = REFUSED[sentence](iris)

    with pytest.raises(ModelError, match=sentence):
        from_sklearn(estimator)
