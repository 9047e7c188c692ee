# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Networks as plain layers: folded on the way out, joined on the way in."""

import numpy as np
import pytest
from mlp import ModelError
from mlp.formats.network import Affine, Stack, plain_layers
from mlp.formats.spark import spark_weights

from formats.networks import TOLERANCE, random_model, random_rows, random_scaler

W = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_batch_normalisation_becomes_a_part_of_the_weights() -> None:
    model = random_model((4, 5, 3), batch_norm=(1,))
    X = random_rows(4)

    layer = plain_layers(model)[0]

    hidden = 1 / (1 + np.exp(-(X @ layer.matrix + layer.bias)))
    assert abs(hidden - model.transform(X, 1)).max() <= TOLERANCE


def test_a_scaler_becomes_a_part_of_the_first_layer() -> None:
    model = random_model((4, 3), scaler=random_scaler(4))
    X = random_rows(4)

    weights = spark_weights(model)

    matrix, bias = weights[:12].reshape(4, 3), weights[12:]
    raw = X @ matrix + bias
    assert abs(raw - model.decision_function(X)).max() <= TOLERANCE * abs(raw).max()
    # The last feature is constant in the training and has no weight.
    assert (matrix[3] == 0).all()


def test_affine_maps_that_follow_each_other_become_one() -> None:
    # ((x * 2 + 1) W - 1) * 3
    affine = Affine.identity().times(np.array([2.0])).plus(np.array([1.0])).then(W)
    affine = affine.plus(np.array([-1.0])).times(np.array([3.0]))
    x = np.array([[1.0, -1.0]])

    model = Stack().map(affine).regressor()

    assert model.weights[:4].tolist() == [6, 12, 18, 24]
    assert (model.predict(x) == ((x * 2 + 1) @ W - 1) * 3).all()


def test_one_output_becomes_the_second_of_two_classes() -> None:
    affine = Affine.identity().then(np.array([[2.0], [-1.0]])).plus(np.array([0.5]))

    model = Stack().map(affine).binary_classifier(("no", "yes"))

    z = 2 * 1.0 - 1 * 3.0 + 0.5
    probability = model.predict_proba([[1.0, 3.0]])[0]
    assert abs(probability - [1 - 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-z))]).max() <= TOLERANCE
    assert model.labels == ["no", "yes"]


def test_names_that_are_indices_are_left_out() -> None:
    stack = Stack().map(Affine.identity().then(W))

    assert stack.classifier(("0", "1")).labels == []
    assert stack.classifier(("1", "0")).labels == ["1", "0"]


def test_refuses_an_activation_without_a_matrix_before_it() -> None:
    with pytest.raises(ModelError, match="got the activation relu without one before it"):
        Stack().activate("relu")


def test_refuses_layers_whose_sizes_differ() -> None:
    stack = Stack().map(Affine.identity().then(W)).activate("relu")

    with pytest.raises(ModelError, match="layer 2 must have 2 inputs.*got 3"):
        stack.map(stack.affine.then(np.ones((3, 1)))).regressor()
