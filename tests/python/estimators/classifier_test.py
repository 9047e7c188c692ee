# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

import pickle
import warnings

import numpy as np
import pytest

import mlp
import mlp.sklearn

LAYERS = [4, 5, 4, 3]


def test_trains_spark_s_network_with_layers(iris) -> None:
    estimator = mlp.MLPClassifier(layers=LAYERS, seed=1234).fit(*iris)
    assert estimator.score(*iris) == 149 / 150
    assert estimator.total_iterations_ == 102
    assert estimator.convergence_reason_ == "maxIter"
    assert len(estimator.objective_history_) == 103
    assert estimator.loss_ == estimator.loss_curve_[-1]
    assert estimator.loss_ == pytest.approx(0.0236586, rel=1e-5)


def test_chooses_a_network_without_layers(iris) -> None:
    estimator = mlp.MLPClassifier(effort="quick").fit(*iris)
    assert estimator.model_.layers == [4, 64, 3]
    assert estimator.score(*iris) > 0.96
    mean, deviation = estimator.model_._core.scaler
    np.testing.assert_allclose(mean, iris[0].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(deviation, iris[0].std(axis=0, ddof=1), rtol=1e-12)


def test_keeps_values_that_are_set_without_layers(iris) -> None:
    estimator = mlp.MLPClassifier(max_iter=3, activation="tanh", standardize=False).fit(*iris)
    assert estimator.total_iterations_ <= 4
    assert estimator.model_._core.param("activation") == '"tanh"'
    assert estimator.model_._core.scaler is None


def test_predicts_the_labels_of_the_training(iris, names) -> None:
    features, _ = iris
    estimator = mlp.MLPClassifier(layers=LAYERS, seed=1).fit(features, names)
    assert estimator.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(estimator.predict(features)) <= set(names)
    assert estimator.model_.labels == estimator.classes_.tolist()
    assert (estimator.model_.predict(features) == estimator.predict(features)).all()


def test_stores_the_names_of_truth_values(iris) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier(layers=[4, 2], max_iter=20).fit(features, labels > 0)
    assert estimator.classes_.tolist() == [False, True]
    assert estimator.predict(features).dtype == np.bool_
    assert estimator.model_.labels == ["False", "True"]
    assert set(estimator.model_.predict(features)) == {"False", "True"}


def test_has_all_classes_of_layers(iris) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier(layers=[4, 5, 3], seed=3).fit(features[:50], labels[:50])
    assert estimator.classes_.tolist() == [0, 1, 2]
    assert estimator.predict_proba(features).shape == (150, 3)


def test_sorts_labels_that_are_no_indices(iris) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier(layers=LAYERS).fit(features, 10 - labels)
    assert estimator.classes_.tolist() == [8, 9, 10]


def test_probabilities_are_those_of_the_outputs(iris) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier(layers=LAYERS, max_iter=20).fit(features, labels)
    raw = estimator.decision_function(features)
    expected = np.exp(raw - raw.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(estimator.predict_proba(features), expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(estimator.predict_log_proba(features)), expected, rtol=1e-9)


def test_decides_between_two_classes_by_one_number(iris) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier().fit(features, labels > 0)
    decision = estimator.decision_function(features)
    assert decision.shape == (150,)
    assert ((decision > 0) == estimator.predict(features)).all()


def test_weights_count_as_repeated_rows(iris) -> None:
    features, labels = iris
    counts = np.arange(150) % 3 + 1
    # The folds of repeated rows are others.
    estimator = mlp.MLPClassifier(effort="quick")
    by_weight = estimator.fit(features, labels, sample_weight=counts).model_
    rows = features.repeat(counts, axis=0)
    by_rows = estimator.fit(rows, labels.repeat(counts)).model_
    np.testing.assert_allclose(
        by_weight.predict_proba(features), by_rows.predict_proba(features), atol=1e-5
    )


def test_class_weight_multiplies_the_weights(iris) -> None:
    features, labels = iris
    by_class = mlp.MLPClassifier(class_weight={0: 2.0, 1: 0.5}).fit(features, labels)
    weights = np.choose(labels, [2.0, 0.5, 1.0])
    by_weight = mlp.MLPClassifier().fit(features, labels, sample_weight=weights)
    assert by_class.model_.weights.tobytes() == by_weight.model_.weights.tobytes()
    few = np.r_[0:50, 50:60, 100:150]
    balanced = mlp.MLPClassifier(class_weight="balanced").fit(features[few], labels[few])
    assert balanced.score(features, labels) > 0.9


def test_balanced_classes_that_occur_weigh_the_same(iris) -> None:
    features, labels = iris[0][:60], iris[1][:60]
    layers = [4, 3]
    balanced = mlp.MLPClassifier(layers=layers, seed=1, max_iter=5, class_weight="balanced")
    # Two classes occur, 50 and 10 times; the third does not.
    given = mlp.MLPClassifier(layers=layers, seed=1, max_iter=5, class_weight={0: 0.6, 1: 3.0})

    assert balanced.fit(features, labels).loss_curve_ == given.fit(features, labels).loss_curve_


@pytest.mark.filterwarnings("ignore::mlp.ConvergenceWarning")
@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (np.arange(60) % 12, "the labels are 12 different integers, which become classes"),
        (
            np.arange(60) % 12 * 3,
            "the labels 0, 3, 6, ..., 33 are not the integers 0..11, so they are taken as the "
            "names of 12 classes",
        ),
    ],
)
def test_warns_of_many_numbers_as_classes_without_layers(labels, sentence) -> None:
    features = np.random.default_rng(1).random((60, 2))
    with pytest.warns(mlp.LabelWarning, match=f"^{sentence}; MLPRegressor predicts numbers"):
        mlp.MLPClassifier(max_iter=1).fit(features, labels)

    with warnings.catch_warnings():
        warnings.simplefilter("error", mlp.LabelWarning)
        mlp.MLPClassifier(max_iter=1).fit(features, np.arange(60) % 10 + 1)
        mlp.MLPClassifier(max_iter=1).fit(features, labels.astype(str))
        mlp.MLPClassifier(layers=[2, 12], max_iter=1).fit(features, labels)


def test_refuses_texts_that_describe_rows_without_layers() -> None:
    features = np.random.default_rng(1).random((101, 2))
    names = [f"row {i}" for i in range(101)]

    sentence = (
        "^the label column has 101 different texts in 101 rows; expected at most 100, or half "
        "as many as rows, to be classes; choose other labels, or give layers to make each text "
        "a class$"
    )
    with pytest.raises(mlp.DataError, match=sentence):
        mlp.MLPClassifier().fit(features, names)
    assert len(mlp.MLPClassifier(layers=[2, 101], max_iter=1).fit(features, names).classes_) == 101


def test_stops_early_by_an_evaluation_set(iris) -> None:
    features, labels = iris
    kept = np.arange(150) % 3 != 0
    estimator = mlp.MLPClassifier(layers=[4, 20, 3], patience=3, max_iter=500)
    estimator.fit(features[kept], labels[kept], eval_set=(features[~kept], labels[~kept]))
    losses = estimator.validation_history_
    assert estimator.convergence_reason_ == "validationStalled"
    assert estimator.model_._core.best_iteration == np.argmin(losses)
    probability = estimator.predict_proba(features[~kept])
    loss = -np.log(probability[np.arange(50), labels[~kept]]).mean()
    assert loss == pytest.approx(losses.min(), rel=1e-9)


def test_refuses_labels_of_numbers_and_texts(iris) -> None:
    for labels in ([1, "a"] * 75, np.array([1, "a"] * 75, dtype=object)):
        with pytest.raises(mlp.DataError, match="^labels must be all texts or all numbers; got a"):
            mlp.MLPClassifier(layers=[4, 2]).fit(iris[0], labels)
    assert mlp.MLPClassifier(layers=[4, 2], max_iter=1).fit(
        iris[0], ("b", "a") * 75
    ).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("name, given, meant", [
    ("activation", "ReLU", "relu"),
    ("activation", ["ReLU", "Tanh"], "relu,tanh"),
    ("solver", "Adam", "adam"),
    ("solver", "lbfgs", "l-bfgs"),
    ("init", "he_normal", "he-normal"),
    ("init", "glorot_uniform", "xavier-uniform"),
    ("precision", "double", "float64"),
])
def test_an_error_names_the_spelling_that_was_meant(name, given, meant, iris) -> None:
    params = {"layers": LAYERS} | {name: given}
    with pytest.raises(mlp.ParamError) as raised:
        mlp.MLPClassifier(**params).fit(*iris)
    assert str(raised.value).startswith(f"{name} must be ")
    assert str(raised.value).endswith(f"; did you mean '{meant}'?")
    with pytest.raises(mlp.ParamError, match="got 'Quick'; did you mean 'quick'"):
        mlp.MLPClassifier(effort="Quick").fit(*iris)


def test_warns_of_weights_whose_scale_changes_the_penalty(iris) -> None:
    X, y = iris
    weights = np.full(len(y), 1 / len(y))
    sentence = (
        "the weights of the 150 rows have the sum 1, for which the penalty regParam is chosen, "
        "because a row of weight 2 counts as two rows; divide the weights by their mean, or set "
        "regParam"
    )
    with pytest.warns(UserWarning, match=f"^{sentence}$") as caught:
        mlp.MLPClassifier(effort="quick", max_iter=1).fit(X, y, weights)
    assert caught[0].filename == __file__
    with warnings.catch_warnings(record=True) as none:
        warnings.simplefilter("always")
        mlp.MLPClassifier(effort="quick", max_iter=1).fit(X, y, weights * len(y))
        mlp.MLPClassifier(effort="quick", max_iter=1, reg_param=0.01).fit(X, y, weights)
        mlp.MLPClassifier(layers=LAYERS, max_iter=1).fit(X, y, weights)
    assert not any("have the sum" in str(entry.message) for entry in none)


def test_the_scale_of_weights_does_not_change_spark_s_training(iris) -> None:
    X, y = iris
    weights = np.random.default_rng(1).uniform(1, 2, len(y))
    models = [
        mlp.MLPClassifier(layers=LAYERS, max_iter=20, reg_param=0.01).fit(X, y, weights * scale)
        for scale in (1.0, 2.0**-10)
    ]
    assert np.array_equal(models[0].model_.weights, models[1].model_.weights)


def test_calls_back_after_each_iteration(iris) -> None:
    seen = []
    estimator = mlp.MLPClassifier(layers=LAYERS, max_iter=5)
    estimator.fit(*iris, on_iteration=seen.append)
    assert [state.iteration for state in seen] == list(range(6))
    assert [state.objective for state in seen] == estimator.loss_curve_


@pytest.mark.parametrize("kind", [bool, np.bool_, int, np.array])
@pytest.mark.parametrize("make", [
    lambda: mlp.MLPClassifier(layers=LAYERS),
    lambda: mlp.sklearn.MLPClassifier(solver="lbfgs", random_state=0),
    lambda: mlp.sklearn.MLPClassifier(solver="adam", early_stopping=True, random_state=0),
], ids=["lbfgs", "sklearn", "held out"])
def test_a_false_value_of_a_callback_stops_the_training(make, kind, iris) -> None:
    estimator = make()
    estimator.fit(*iris, on_iteration=lambda state: kind(state.iteration < 7))
    assert estimator.total_iterations_ == 7
    assert estimator.convergence_reason_ == "stoppedByCallback"


def test_an_answer_without_a_truth_value_reaches_the_caller(iris) -> None:
    with pytest.raises(ValueError, match="truth value of an array"):
        mlp.MLPClassifier(layers=LAYERS).fit(*iris, on_iteration=lambda state: np.zeros(2))


def test_an_exception_of_a_callback_reaches_the_caller(iris) -> None:
    def fail(state: mlp.Iteration) -> None:
        raise KeyError(state.iteration)

    with pytest.raises(KeyError):
        mlp.MLPClassifier(layers=LAYERS).fit(*iris, on_iteration=fail)


def test_continues_from_its_weights_with_warm_start(iris) -> None:
    estimator = mlp.MLPClassifier(layers=LAYERS, max_iter=10, warm_start=True).fit(*iris)
    before = estimator.loss_
    estimator.fit(*iris)
    assert estimator.objective_history_[0] == pytest.approx(before, rel=1e-12)
    assert estimator.loss_ < before


def test_continues_from_a_model_file(iris, tmp_path) -> None:
    first = mlp.MLPClassifier(layers=LAYERS, max_iter=10).fit(*iris)
    first.model_.save(tmp_path / "model.json")
    second = mlp.MLPClassifier(layers=LAYERS, max_iter=10)
    second.fit(*iris, init_model=tmp_path / "model.json")
    assert second.objective_history_[0] == pytest.approx(first.loss_, rel=1e-12)


@pytest.mark.parametrize("solver", ["sgd", "adam", "adamw"])
def test_learns_in_parts(iris, solver) -> None:
    features, labels = iris
    estimator = mlp.MLPClassifier(solver=solver, batch_size=16, step_size=0.02)
    for _ in range(60):
        estimator.partial_fit(features, labels, classes=[0, 1, 2])
    assert estimator.score(features, labels) > 0.9


def test_has_partial_fit_with_mini_batches_only(iris) -> None:
    assert not hasattr(mlp.MLPClassifier(), "partial_fit")
    assert hasattr(mlp.MLPClassifier(solver="adam"), "partial_fit")
    with pytest.raises(mlp.ParamError, match="classes must be given"):
        mlp.MLPClassifier(solver="adam").partial_fit(*iris)


def test_threads_and_copies_of_an_estimator_do_not_change_the_model(iris) -> None:
    one = mlp.MLPClassifier(layers=LAYERS, n_jobs=1).fit(*iris)
    two = mlp.MLPClassifier(layers=LAYERS, n_jobs=2).fit(*iris)
    assert one.model_ == two.model_
    restored = pickle.loads(pickle.dumps(one))
    assert restored.model_ == one.model_
    assert (restored.predict(iris[0]) == one.predict(iris[0])).all()


def test_shows_progress(iris, capsys) -> None:
    mlp.MLPClassifier(layers=LAYERS, max_iter=30, verbose=True).fit(*iris)
    assert "30" in capsys.readouterr().err


def test_has_the_matrices_of_the_layers_as_views(iris) -> None:
    estimator = mlp.MLPClassifier(layers=LAYERS).fit(*iris)
    features, _ = iris
    output = features
    for coef, intercept in zip(estimator.coefs_[:-1], estimator.intercepts_[:-1]):
        output = 1 / (1 + np.exp(-(output @ coef + intercept)))
    raw = output @ estimator.coefs_[-1] + estimator.intercepts_[-1]
    np.testing.assert_allclose(raw, estimator.decision_function(features), rtol=1e-9)
    np.testing.assert_allclose(output, estimator.hidden_output(features, 2), rtol=1e-12)
    assert np.shares_memory(estimator.coefs_[0], estimator.coefs_[0])
    assert not estimator.coefs_[0].flags.writeable


def test_refuses_patience_without_instances_for_validation(iris) -> None:
    for estimator in (mlp.MLPClassifier(patience=5), mlp.MLPRegressor(patience=5)):
        with pytest.raises(mlp.ParamError) as caught:
            estimator.fit(*iris)
        assert str(caught.value) == (
            "patience needs instances for validation; got patience 5 and no eval_set: give "
            "eval_set=(X, y) to fit"
        )
    mlp.MLPClassifier(patience=10, max_iter=1).fit(*iris)


@pytest.mark.parametrize("kind", [mlp.MLPClassifier, mlp.MLPRegressor])
def test_partial_fit_says_which_rows_the_scaler_saw(iris, kind) -> None:
    estimator = kind(solver="adam", standardize=True)
    options = {"classes": [0, 1, 2]} if kind is mlp.MLPClassifier else {}
    with pytest.warns(UserWarning) as caught:
        estimator.partial_fit(iris[0][::3], iris[1][::3], **options)
    assert [str(warning.message) for warning in caught] == [
        "the features are standardised by the 50 instances of this first call of partial_fit; "
        "later calls keep these means and deviations"
    ]
    assert caught[0].filename == __file__
    scaler = estimator.model_._core.scaler
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.partial_fit(*iris)
    np.testing.assert_array_equal(estimator.model_._core.scaler[0], scaler[0])


def test_errors_name_their_hyper_parameter(iris) -> None:
    with pytest.raises(mlp.ParamError) as caught:
        mlp.MLPClassifier(layers=[4, 3], reg_param=-1.0).fit(*iris)
    assert caught.value.parameter == "regParam"


def test_refuses_labels_that_numpy_would_make_equal() -> None:
    with pytest.raises(mlp.DataError, match="must not end with a NUL character.*got 'a\\\\x00'"):
        mlp.MLPClassifier().fit([[0.0], [1.0], [2.0]], np.array(["a\0", "a", "b"], dtype=object))
