# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The estimators in programs that were written for scikit-learn."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import mlp
import mlp.sklearn

sklearn = pytest.importorskip("sklearn")
from sklearn import neural_network  # noqa: E402
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
    regressor = {"loss": "squared_error"} | TheirRegressor().get_params()
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
        ({"activation": "identity"},
         "activation must be one of logistic, tanh, relu with mlp; got 'identity'"),
        ({"solver": "newton"}, "solver must be one of lbfgs, sgd, adam with mlp; got 'newton'"),
        ({"learning_rate": "falling"},
         "learning_rate must be one of constant, invscaling, adaptive with mlp; got 'falling'"),
        ({"alpha": -1}, "alpha must be a number >= 0; got -1"),
        ({"hidden_layer_sizes": (3, 0)}, "hidden_layer_sizes must be integers > 0; got (3, 0)"),
        ({"hidden_layer_sizes": 2.5}, "hidden_layer_sizes must be integers > 0; got 2.5"),
        ({"max_iter": -1}, "max_iter must be an integer >= 0; got -1"),
        ({"tol": -1.0}, "tol must be a number >= 0; got -1.0"),
        ({"tol": -1.0, "solver": "lbfgs"}, "tol must be a number >= 0; got -1.0"),
        ({"learning_rate_init": 0.0}, "learning_rate_init must be a number > 0; got 0.0"),
        ({"batch_size": 0}, "batch_size must be an integer > 0 or 'auto'; got 0"),
        ({"momentum": 1.5, "solver": "sgd"}, "momentum must be a number >= 0 and < 1; got 1.5"),
        ({"beta_1": 1.0}, "beta_1 must be a number >= 0 and < 1; got 1.0"),
        ({"beta_2": -0.5}, "beta_2 must be a number >= 0 and < 1; got -0.5"),
        ({"epsilon": 0}, "epsilon must be a number > 0; got 0"),
        ({"power_t": -1, "solver": "sgd", "learning_rate": "invscaling"},
         "power_t must be a number >= 0; got -1"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be an integer > 0; got 0"),
        ({"max_fun": 0}, "max_fun must be an integer > 0; got 0"),
        ({"early_stopping": True, "validation_fraction": 1.0},
         "validation_fraction must be >= 0 and < 1; got 1.0"),
        ({"early_stopping": True, "validation_fraction": 0.001},
         "validation_fraction must hold at least 2 instances out and leave some to train on; "
         "got 0.001 of 150 instances"),
        ({"random_state": -1},
         "random_state must be an integer from 0 to 4294967295, a RandomState or None; got -1"),
    ],
    ids=str,
)
def test_refuses_by_the_names_of_scikit_learn_and_the_values_given(iris, params, sentence) -> None:
    with pytest.raises(mlp.ParamError) as caught:
        mlp.sklearn.MLPClassifier(**params).fit(*iris)
    assert str(caught.value) == sentence


def test_has_the_loss_of_regressors_of_scikit_learn(iris) -> None:
    for loss, sentence in {
        "poisson": "loss must be 'squared_error' with mlp; got 'poisson'",
        (8,): "loss must be 'squared_error' with mlp; got (8,). As in scikit-learn since 1.7, "
              "loss comes before hidden_layer_sizes: name hidden_layer_sizes",
    }.items():
        with pytest.raises(mlp.ParamError) as caught:
            mlp.sklearn.MLPRegressor(loss).fit(*iris)
        assert str(caught.value) == sentence
    estimator = mlp.sklearn.MLPRegressor("squared_error", (8,), max_iter=2).fit(*iris)
    assert estimator.model_.layers == [4, 8, 1]


ADAM_OPTIONS = [{}, {"shuffle": False}, {"beta_1": 0.5, "beta_2": 0.9}, {"alpha": 0.5}]
# scikit-learn's velocity has the step size of its steps in it, the library's has not: with
# momentum they differ after the step size changed.
SGD_OPTIONS = [
    {}, {"shuffle": False, "momentum": 0.0}, {"nesterovs_momentum": False},
    {"learning_rate": "invscaling", "power_t": 0.1, "momentum": 0.0},
    {"learning_rate": "adaptive", "n_iter_no_change": 1, "tol": 0.01, "max_iter": 60,
     "momentum": 0.0},
]
# Adam's epsilon is added before or after the correction of the mean square; sgd only rounds.
TOLERANCES = {"adam": 1e-4, "sgd": 1e-10}


@pytest.mark.parametrize(
    "solver, options",
    [("adam", options) for options in ADAM_OPTIONS] + [("sgd", options) for options in SGD_OPTIONS],
    ids=str,
)
@pytest.mark.parametrize("kind", ["MLPClassifier", "MLPRegressor"])
def test_mini_batches_take_the_steps_of_scikit_learn(iris, kind, solver, options) -> None:
    """With all instances in one batch, the order does not matter."""
    X, y = StandardScaler().fit_transform(iris[0]), iris[1] > 0
    options = {"solver": solver, "batch_size": 150, "max_iter": 30, "random_state": 3,
               "learning_rate_init": 0.05, "hidden_layer_sizes": (5,)} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(mlp.sklearn, kind)(**options).fit(X, y)
        theirs = getattr(neural_network, kind)(**options).fit(X, y)
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.t_ == theirs.t_
    tolerance = TOLERANCES[solver]
    np.testing.assert_allclose(ours.loss_curve_[1:], theirs.loss_curve_, rtol=tolerance)
    assert ours.best_loss_ == pytest.approx(theirs.best_loss_, rel=tolerance)
    for mine, other in zip(ours.coefs_ + ours.intercepts_, theirs.coefs_ + theirs.intercepts_):
        np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance)


def test_passes_epsilon_to_adam(iris) -> None:
    options = {"max_iter": 3, "random_state": 0}
    large, small = (
        mlp.sklearn.MLPClassifier(epsilon=epsilon, **options).fit(*iris) for epsilon in (10.0, 1e-8)
    )
    assert large.loss_ > small.loss_


def test_takes_batches_in_order_as_scikit_learn_without_shuffle(iris) -> None:
    X, y = StandardScaler().fit_transform(iris[0]), iris[1]
    options = {"shuffle": False, "batch_size": 50, "max_iter": 5, "random_state": 3, "alpha": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = mlp.sklearn.MLPClassifier((5,), **options).fit(X, y)
        theirs = TheirClassifier((5,), **options).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5)


def test_stops_where_the_loss_stalls_as_scikit_learn(iris) -> None:
    X, y = StandardScaler().fit_transform(iris[0]), iris[1]
    options = {"tol": 0.01, "n_iter_no_change": 3, "batch_size": 150, "random_state": 1,
               "learning_rate_init": 0.01, "max_iter": 500}
    ours = mlp.sklearn.MLPClassifier((8,), **options).fit(X, y)
    assert ours.n_iter_ == TheirClassifier((8,), **options).fit(X, y).n_iter_ < 500
    assert ours.convergence_reason_ == "functionValuesConverged"


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("solver", ["adam", "lbfgs"])
def test_has_the_attributes_of_scikit_learn(iris, number, solver) -> None:
    X, y = iris[0][iris[1] < number], iris[1][iris[1] < number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = (
            kind((5, 4), solver=solver, max_iter=7, random_state=0).fit(X, y)
            for kind in (mlp.sklearn.MLPClassifier, TheirClassifier)
        )
    for name in ("n_layers_", "n_outputs_", "out_activation_", "t_"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert [part.shape for part in ours.coefs_] == [part.shape for part in theirs.coefs_]
    assert [part.shape for part in ours.intercepts_] == [part.shape for part in theirs.intercepts_]
    assert ours.validation_scores_ is None
    assert ours.best_validation_score_ is None
    assert ours.best_loss_ == min(ours.loss_curve_[1:])


def test_has_the_attributes_of_a_regressor(iris) -> None:
    estimator = mlp.sklearn.MLPRegressor(max_iter=2).fit(iris[0], iris[0][:, :2])
    assert (estimator.n_layers_, estimator.n_outputs_, estimator.out_activation_) == (
        3, 2, "identity"
    )


@pytest.mark.parametrize("kind", ["MLPClassifier", "MLPRegressor"])
def test_scores_what_it_holds_out_after_each_epoch(iris, kind) -> None:
    X, y = StandardScaler().fit_transform(iris[0]), (iris[1] > 0).astype(float)
    options = {"early_stopping": True, "max_iter": 6, "random_state": 2, "solver": "sgd",
               "learning_rate_init": 0.02, "batch_size": 150, "validation_fraction": 0.2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = getattr(mlp.sklearn, kind)(**options).fit(X, y)
        theirs = getattr(neural_network, kind)(**options).fit(X, y)
    # The same instances are held out.
    assert ours.validation_scores_ == pytest.approx(theirs.validation_scores_, rel=1e-6)
    assert ours.best_validation_score_ == max(ours.validation_scores_)
    assert ours.best_loss_ is None


def test_early_stopping_on_a_frame_does_not_warn(iris) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    for estimator in (mlp.sklearn.MLPClassifier, mlp.sklearn.MLPRegressor):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", ".*feature names.*")
            fitted = estimator(early_stopping=True, max_iter=3).fit(frame, iris[1])
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c", "d"]


def test_refuses_early_stopping_in_partial_fit(iris) -> None:
    with pytest.raises(mlp.ParamError, match="partial_fit does not support early_stopping=True"):
        mlp.sklearn.MLPClassifier(early_stopping=True).partial_fit(*iris, classes=[0, 1, 2])


def test_counts_the_instances_of_every_partial_fit(iris) -> None:
    estimator = mlp.sklearn.MLPClassifier(random_state=0)
    for expected in (150, 300):
        assert estimator.partial_fit(*iris, classes=[0, 1, 2]).t_ == expected
    best = estimator.best_loss_
    assert estimator.partial_fit(*iris).best_loss_ <= best


def test_max_fun_ends_lbfgs(iris) -> None:
    estimator = mlp.sklearn.MLPClassifier(solver="lbfgs", max_fun=7, random_state=0).fit(*iris)
    assert 7 < estimator.model_._core.evaluations < 7 + 20
    assert estimator.convergence_reason_ == "stoppedByCallback"


@pytest.mark.parametrize("label", [0, 7, "a"])
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_one_class_trains_a_constant_as_in_scikit_learn(iris, label, solver) -> None:
    labels = np.full(150, label)
    options = {"solver": solver, "random_state": 0, "max_iter": 3}
    ours = mlp.sklearn.MLPClassifier(**options).fit(iris[0], labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = TheirClassifier(**options).fit(iris[0], labels)
    assert ours.predict(iris[0]).tolist() == theirs.predict(iris[0]).tolist() == labels.tolist()
    assert ours.predict_proba(iris[0][:3]).tolist() == [[1.0]] * 3
    assert ours.n_outputs_ == theirs.n_outputs_ == 1
    with pytest.raises(mlp.DataError, match="MLPClassifier needs at least 2 classes"):
        mlp.MLPClassifier().fit(iris[0], labels)


def test_warns_by_a_class_that_is_also_of_scikit_learn() -> None:
    from sklearn.exceptions import ConvergenceWarning

    kind = mlp.sklearn.MLPClassifier()._convergence_warning()
    assert issubclass(kind, ConvergenceWarning)
    assert issubclass(kind, mlp.errors.ConvergenceWarning)


def test_is_stored_by_skops_and_pickle(iris) -> None:
    io = pytest.importorskip("skops.io")
    for kind in (mlp.MLPClassifier, mlp.sklearn.MLPClassifier, mlp.MLPRegressor):
        estimator = kind(max_iter=5).fit(*iris)
        stored = io.dumps(estimator)
        trusted = io.get_untrusted_types(data=stored)
        assert all(name.startswith("mlp.") for name in trusted)
        for again in (io.loads(stored, trusted=trusted), pickle.loads(pickle.dumps(estimator)),
                      copy.deepcopy(estimator)):
            assert again.model_ == estimator.model_
            assert (again.predict(iris[0]) == estimator.predict(iris[0])).all()


def test_draws_another_seed_each_time_without_a_random_state(iris) -> None:
    first, second = (mlp.sklearn.MLPClassifier(max_iter=1).fit(*iris) for _ in range(2))
    assert first.model_.weights.tolist() != second.model_.weights.tolist()


def test_a_diverged_training_advises_in_the_names_of_scikit_learn() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 10)
    estimator = mlp.sklearn.MLPClassifier(
        (8,), solver="sgd", learning_rate_init=1e300, random_state=1
    )

    with pytest.raises(mlp.DivergedError, match="a learning_rate_init below 1e\\+300") as caught:
        estimator.fit(X * 1e6, [0, 1, 1, 0] * 10)

    assert "clipNorm" not in str(caught.value) and "initialWeights" not in str(caught.value)
    assert caught.value.objective_history


@pytest.mark.parametrize("name", ["alpha", "tol", "learning_rate_init", "max_iter", "momentum"])
@pytest.mark.parametrize("value", ["1", None, True])
def test_refuses_values_that_only_look_like_numbers(name: str, value: object) -> None:
    estimator = mlp.sklearn.MLPClassifier((3,), solver="lbfgs", **{name: value})

    with pytest.raises(mlp.ParamError, match=f"{name} must be a number; got {value!r}"):
        estimator.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("sizes", [(10**9,), (10**6, 10**6)])
def test_refuses_networks_that_no_memory_holds_at_once(sizes: tuple[int, ...]) -> None:
    with pytest.raises((mlp.ParamError, mlp.ResourceError)):
        mlp.sklearn.MLPClassifier(sizes, max_iter=2).fit([[0.0], [1.0]], [0, 1])


def test_warnings_point_at_the_caller() -> None:
    with pytest.warns(mlp.sklearn.ConvergenceWarning) as caught:
        mlp.sklearn.MLPClassifier((3,), solver="lbfgs", random_state=1).fit(
            [[1.0], [1.0], [1.0]], [0, 1, 1]
        )

    assert caught[0].filename == __file__
