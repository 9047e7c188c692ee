# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A second fit: it starts from the features by name, and a failed one changes nothing."""
import numpy as np
import pytest

import mlp
import mlp.sklearn

pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::mlp.ConvergenceWarning", "ignore::mlp.ColumnWarning")

QUICK = {"max_iter": 20, "seed": 1, "effort": "quick"}


@pytest.fixture(name="frame")
def fixture_frame():
    random = np.random.default_rng(5)
    frame = pandas.DataFrame(random.normal(size=(80, 3)), columns=["a", "b", "c"])
    return frame * [1.0, 10.0, 100.0]


def facts_of(estimator) -> tuple:
    """What a fit sets, besides the model."""
    names = ("n_features_in_", "feature_names_in_", "classes_")
    return tuple(np.array(getattr(estimator, name, None)).tolist() for name in names)


def make_failing_calls(frame) -> list:
    y = frame["a"] > 0
    other = frame.rename(columns={"a": "z"})
    narrow = other[["b", "z"]]
    return [
        lambda estimator: estimator.fit(narrow, [np.nan] * 80),
        lambda estimator: estimator.fit(narrow.to_numpy(), y, sample_weight=[-1.0] * 80),
        lambda estimator: estimator.fit(other.assign(t="t"), [0, 1, 2, 3] * 20, groups=[1]),
        lambda estimator: estimator.fit(other, y, eval_set=3),
    ]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("make", [
    lambda: mlp.MLPClassifier(**QUICK), lambda: mlp.MLPClassifier(layers=[3, 2], max_iter=9),
    lambda: mlp.sklearn.MLPClassifier(solver="lbfgs", max_iter=9, random_state=1),
], ids=["modern", "spark", "sklearn"])
def test_a_failed_fit_leaves_the_last_one(make, number, frame) -> None:
    estimator = make().fit(frame, frame["a"] > 0)
    model, facts, scores = estimator.model_, facts_of(estimator), estimator.predict_proba(frame)

    with pytest.raises((ValueError, TypeError)):
        make_failing_calls(frame)[number](estimator)

    assert estimator.model_ is model
    assert facts_of(estimator) == facts
    assert np.array_equal(estimator.predict_proba(frame), scores)


def test_a_failed_first_fit_is_no_fit(frame) -> None:
    estimator = mlp.MLPRegressor(**QUICK)
    with pytest.raises(mlp.DataError):
        estimator.fit(frame, [np.nan] * 80)
    assert not hasattr(estimator, "n_features_in_")
    assert not hasattr(estimator, "feature_names_in_")


def test_a_failed_partial_fit_leaves_the_last_one(frame) -> None:
    estimator = mlp.MLPClassifier(layers=[3, 2], solver="adam", max_iter=2)
    with pytest.raises(mlp.ShapeError):
        estimator.partial_fit(frame, [0, 1], classes=[0, 1])
    assert not hasattr(estimator, "classes_")
    estimator.partial_fit(frame, frame["a"] > 0, classes=[False, True])
    facts = facts_of(estimator)
    with pytest.raises(mlp.DataError):
        estimator.partial_fit(frame, ["x"] * 80)
    assert facts_of(estimator) == facts


ORDERS = pytest.mark.parametrize("params", [
    QUICK, {"layers": [3, 4, 2], "max_iter": 20, "seed": 1},
    {"layers": [3, 4, 2], "max_iter": 20, "seed": 1, "standardize": True},
], ids=["modern", "spark", "standardised"])


@ORDERS
def test_a_start_finds_its_features_by_name(params, frame) -> None:
    y = frame["a"] > 0
    start = mlp.MLPClassifier(**params).fit(frame, y).model_
    expected = mlp.MLPClassifier(**params).fit(frame, y, init_model=start)
    mixed = frame[["c", "a", "b"]].assign(note="x")[["note", "c", "a", "b"]]

    ours = mlp.MLPClassifier(**params).fit(mixed, y, init_model=start, eval_set=(mixed, y))
    same = mlp.MLPClassifier(**params).fit(frame, y, init_model=start, eval_set=(frame, y))

    assert ours.model_ == same.model_
    assert ours.model_.feature_names == ["a", "b", "c"]
    assert ours.feature_names_in_.tolist() == ["note", "c", "a", "b"]
    assert np.array_equal(ours.predict_proba(mixed), same.predict_proba(frame))
    assert np.array_equal(ours.model_.predict(mixed), same.model_.predict(frame))
    warm = mlp.MLPClassifier(**params, warm_start=True).fit(frame, y)
    assert warm.fit(frame[["b", "c", "a"]], y).model_ == expected.model_


def test_batches_of_a_start_are_matched_by_name(frame) -> None:
    pytest.importorskip("pyarrow")
    params = {"layers": [3, 4, 2], "max_iter": 20, "seed": 1}
    frame["y"] = (frame["a"] > 0).astype(int)
    start = mlp.MLPClassifier(**params).fit(frame, "y").model_
    expected = mlp.MLPClassifier(**params).fit(frame, "y", init_model=start)

    ours = mlp.MLPClassifier(**params).fit(iter([frame[["c", "y", "b", "a"]]]), "y", init_model=start)

    assert ours.model_ == expected.model_
    assert ours.feature_names_in_.tolist() == ["a", "b", "c"]


@ORDERS
def test_a_start_refuses_a_table_without_its_features(params, frame) -> None:
    y = frame["a"] > 0
    start = mlp.MLPClassifier(**params).fit(frame, y).model_
    with pytest.raises(mlp.DataError, match="^there is no column 'b'; expected the features by"):
        mlp.MLPClassifier(**params).fit(frame.rename(columns={"b": "d"}), y, init_model=start)
