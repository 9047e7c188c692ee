# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The estimators in programs that were written for scikit-learn."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import mlp
import mlp.sklearn

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.neural_network import MLPClassifier as TheirClassifier  # noqa: E402
from sklearn.neural_network import MLPRegressor as TheirRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402


def test_are_a_classifier_and_a_regressor() -> None:
    assert is_classifier(mlp.MLPClassifier())
    assert is_regressor(mlp.MLPRegressor())


def test_works_in_a_pipeline_and_a_search_with_processes(iris) -> None:
    pipeline = make_pipeline(StandardScaler(), mlp.MLPClassifier(layers=[4, 5, 3], max_iter=50))
    search = GridSearchCV(
        pipeline, {"mlpclassifier__layers": [[4, 3], [4, 8, 3]]}, n_jobs=2, cv=3
    )
    assert search.fit(*iris).best_score_ > 0.9
    assert search.best_params_["mlpclassifier__layers"] in ([4, 3], [4, 8, 3])


def test_clones_without_what_it_learned(iris) -> None:
    estimator = mlp.MLPClassifier(layers=[4, 3], seed=7).fit(*iris)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "model_")


def test_has_every_name_of_scikit_learn() -> None:
    theirs = TheirClassifier().get_params()
    assert mlp.sklearn.MLPClassifier().get_params() == theirs
    regressor = TheirRegressor().get_params()
    regressor.pop("loss", None)
    assert mlp.sklearn.MLPRegressor().get_params() == regressor


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "sgd"])
def test_is_as_accurate_as_scikit_learn(iris, solver) -> None:
    scaled = StandardScaler().fit_transform(iris[0])
    options = {"solver": solver, "max_iter": 300, "random_state": 1}
    if solver == "sgd":
        options["learning_rate_init"] = 0.05
    ours = cross_val_score(mlp.sklearn.MLPClassifier((16,), **options), scaled, iris[1]).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cross_val_score(TheirClassifier((16,), **options), scaled, iris[1]).mean()
    assert ours > theirs - 0.03


def test_has_the_objective_of_scikit_learn(iris) -> None:
    """Their weights have the loss here that they have there."""
    scaled = StandardScaler().fit_transform(iris[0])
    theirs = TheirClassifier((6,), solver="lbfgs", alpha=0.3, max_iter=2000, tol=1e-10,
                             random_state=0).fit(scaled, iris[1])
    ours = mlp.sklearn.MLPClassifier((6,), solver="lbfgs", alpha=0.3, max_iter=0)
    start = mlp.MLPClassifier(
        layers=[4, 6, 3], activation="relu", max_iter=0, block_size=1,
        initial_weights=np.concatenate([
            part.ravel() for pair in zip(theirs.coefs_, theirs.intercepts_) for part in pair
        ]),
    ).fit(scaled, iris[1])
    ours.fit(scaled, iris[1], init_model=start.model_)
    assert ours.loss_ == pytest.approx(theirs.loss_, rel=1e-9)
    np.testing.assert_allclose(
        ours.predict_proba(scaled), theirs.predict_proba(scaled), rtol=1e-9, atol=1e-12
    )


def test_holds_instances_out_for_early_stopping(iris) -> None:
    estimator = mlp.sklearn.MLPClassifier(
        early_stopping=True, n_iter_no_change=3, max_iter=500, random_state=0,
        learning_rate_init=0.01,
    ).fit(*iris)
    assert len(estimator.validation_history_) > 3
    assert estimator.convergence_reason_ == "validationStalled"


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"activation": "identity"}, "activation must be one of logistic, tanh, relu"),
        ({"learning_rate": "adaptive"}, "learning_rate must be 'constant'"),
        ({"shuffle": False}, "shuffle must be True"),
        ({"beta_1": 0.5}, "beta_1 must be 0.9"),
        ({"solver": "newton"}, "solver must be one of lbfgs, sgd, adam"),
    ],
)
def test_refuses_what_it_lacks(iris, params, sentence) -> None:
    with pytest.raises(mlp.ParamError, match=sentence):
        mlp.sklearn.MLPClassifier(**params).fit(*iris)


def test_draws_another_seed_each_time_without_a_random_state(iris) -> None:
    first, second = (mlp.sklearn.MLPClassifier(max_iter=1).fit(*iris) for _ in range(2))
    assert first.model_.weights.tolist() != second.model_.weights.tolist()
