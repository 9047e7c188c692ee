# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

import mlp

NUM_INSTANCES = 400


@pytest.fixture
def surface() -> tuple[np.ndarray, np.ndarray]:
    features = np.random.default_rng(0).uniform(-2, 2, (NUM_INSTANCES, 2))
    return features, 100 + 5 * np.sin(features[:, 0]) + features[:, 1] ** 2


def test_chooses_a_network_without_layers(surface) -> None:
    estimator = mlp.MLPRegressor().fit(*surface)
    assert estimator.score(*surface) > 0.97
    assert estimator.model_.is_regressor


def test_fits_a_linear_function_exactly() -> None:
    features = np.random.default_rng(1).normal(size=(50, 3))
    targets = features @ [1.0, -2.0, 3.0] + 4.0
    estimator = mlp.MLPRegressor(layers=[3, 1], block_size=1, tol=1e-12).fit(features, targets)
    np.testing.assert_allclose(estimator.coefs_[0].ravel(), [1, -2, 3], rtol=1e-5)
    np.testing.assert_allclose(estimator.intercepts_[0], [4], rtol=1e-5)
    np.testing.assert_allclose(estimator.predict(features), targets, rtol=1e-4)


def test_stops_early_by_an_evaluation_set(surface) -> None:
    features, targets = surface
    estimator = mlp.MLPRegressor(patience=5)
    estimator.fit(features[:300], targets[:300], eval_set=(features[300:], targets[300:]))
    assert len(estimator.validation_history_) >= 5
    assert estimator.score(features[300:], targets[300:]) > 0.9


def test_learns_in_parts(surface) -> None:
    estimator = mlp.MLPRegressor(solver="adam", batch_size=32, step_size=0.01)
    for _ in range(150):
        estimator.partial_fit(*surface)
    assert estimator.score(*surface) > 0.9


def test_refuses_the_hyper_parameters_of_classes() -> None:
    with pytest.raises(TypeError):
        mlp.MLPRegressor(thresholds=[1.0])
