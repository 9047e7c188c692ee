# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

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


@pytest.mark.parametrize("solver", ["l-bfgs", "gd", "sgd", "adam"])
def test_the_gradient_of_several_targets_is_that_of_the_reference(surface, solver) -> None:
    features, targets = surface
    both = np.c_[targets, features[:, 0] * 3]
    options = {"layers": [2, 6, 2], "solver": solver, "max_iter": 3, "step_size": 1e-3}
    ours = mlp.MLPRegressor(backend="cpu", **options).fit(features, both)
    plain = mlp.MLPRegressor(backend="reference", **options).fit(features, both)
    np.testing.assert_allclose(ours.model_.weights, plain.model_.weights, rtol=1e-7, atol=1e-9)


def test_predicts_several_targets(surface, tmp_path) -> None:
    features, targets = surface
    both = np.c_[targets, 1e6 * features[:, 0] * features[:, 1]]
    estimator = mlp.MLPRegressor().fit(features, both)
    assert estimator.predict(features).shape == both.shape
    assert estimator.score(features, both) > 0.95
    estimator.model_.save(tmp_path / "model.json")
    loaded = mlp.Model.load(tmp_path / "model.json")
    assert (loaded.predict(features) == estimator.predict(features)).all()
    held_out = mlp.MLPRegressor(patience=3).fit(
        features, both, eval_set=(features[:50], both[:50]), sample_weight=np.ones(NUM_INSTANCES)
    )
    assert len(held_out.validation_history_) > 3


def test_refuses_another_number_of_targets(surface) -> None:
    features, targets = surface
    with pytest.raises(mlp.ShapeError, match="number of targets, 2"):
        mlp.MLPRegressor(layers=[2, 4, 1]).fit(features, np.c_[targets, targets])
    with pytest.raises(mlp.DataError, match="NaN"):
        mlp.MLPRegressor().fit(features, np.c_[targets, targets * np.nan])


def test_refuses_the_hyper_parameters_of_classes() -> None:
    with pytest.raises(TypeError):
        mlp.MLPRegressor(thresholds=[1.0])
