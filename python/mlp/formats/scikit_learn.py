# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Networks that scikit-learn trained."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..model import Model
from .library import import_library
from .network import Stack

__all__ = ["from_sklearn"]

ACTIVATIONS = {"logistic": "sigmoid", "tanh": "tanh", "relu": "relu", "identity": ""}


def from_sklearn(estimator: Any) -> Model:
    """Makes a model of a fitted network of scikit-learn.

    It predicts what the estimator predicts. Names of classes that are 0, 1, ... stay
    indices, and other names become texts. Two classes, for which scikit-learn has one
    output z, get the outputs 0 and z.

    Parameters
    ----------
    estimator : MLPClassifier, MLPRegressor or Pipeline
        A pipeline may have a ``StandardScaler`` before the network.

    Raises
    ------
    ModelError
        If it is another estimator or not fitted, or has several labels per instance.
    ImportError
        If scikit-learn is missing.

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor
    >>> from mlp.formats import from_sklearn
    >>> estimator = MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs")
    >>> from_sklearn(estimator.fit([[0.0], [1.0]], [0.0, 1.0])).layers
    [1, 3, 1]
    """
    import_library("sklearn", "sklearn")
    scalers, network = split_pipeline(estimator)
    model = read_network(network)
    names = getattr(estimator, "feature_names_in_", ())
    parts: dict[str, Any] = {"feature_names": list(map(str, names))}
    for scaler in scalers:
        parts["scaler"] = read_scaler(scaler, model.layers[0])
    return model._replace(**parts)


def split_pipeline(estimator: Any) -> tuple[list[Any], Any]:
    """Returns the scalers, at most one, and the network."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    if not isinstance(estimator, Pipeline):
        return [], estimator
    *before, network = (step for _, step in estimator.steps if step not in (None, "passthrough"))
    if len(before) > 1 or not all(isinstance(step, StandardScaler) for step in before):
        raise ModelError(
            "a pipeline may have one StandardScaler before the network; got "
            f"{', '.join(type(step).__name__ for step in before)}"
        )
    return before, network


def read_scaler(
    scaler: Any, num_features: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the mean and the deviation of a StandardScaler."""
    mean, deviation = np.zeros(num_features), np.ones(num_features)
    if scaler.with_mean:
        mean = np.asarray(scaler.mean_, dtype=np.float64)
    if scaler.with_std:
        deviation = np.asarray(scaler.scale_, dtype=np.float64)
    return mean, deviation


def read_network(network: Any) -> Model:
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    if not isinstance(network, (MLPClassifier, MLPRegressor)):
        raise ModelError(
            f"must be MLPClassifier or MLPRegressor of scikit-learn; got {type(network).__name__}"
        )
    if not hasattr(network, "coefs_"):
        raise ModelError(f"{type(network).__name__} is not fitted; call fit first")
    if network.activation not in ACTIVATIONS:
        raise ModelError(f"the activation {network.activation} is not known")
    stack = read_layers(network)
    if isinstance(network, MLPRegressor):
        if network.out_activation_ != "identity":
            raise ModelError(
                f"a regressor must predict its outputs; got the activation "
                f"{network.out_activation_} after them"
            )
        return stack.regressor()
    labels = read_labels(network)
    if network.out_activation_ == "softmax":
        return stack.classifier(labels)
    return stack.binary_classifier(labels)


def read_layers(network: Any) -> Stack:
    name = ACTIVATIONS[network.activation]
    stack = Stack()
    pairs = list(zip(network.coefs_, network.intercepts_))
    for number, (matrix, bias) in enumerate(pairs, 1):
        affine = stack.affine.then(np.asarray(matrix, dtype=np.float64))
        stack = stack.map(affine.plus(np.asarray(bias, dtype=np.float64)))
        if name and number < len(pairs):
            stack = stack.activate(name)
    return stack


def read_labels(network: Any) -> tuple[str, ...]:
    """Returns the names of the classes in the order of the outputs."""
    if network.out_activation_ == "logistic" and network.n_outputs_ != 1:
        raise ModelError(
            f"several labels per instance are not supported; the network has "
            f"{network.n_outputs_} of them"
        )
    return tuple(str(label) for label in network.classes_.tolist())
