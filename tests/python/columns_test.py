# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of data frames and tables are found by the names of the model's features."""

import re

import numpy as np
import pytest

from conftest import ROOT

import mlp
from mlp.errors import DataError

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


def make_pandas(columns: dict[str, np.ndarray]):
    return pytest.importorskip("pandas").DataFrame(columns)


def make_polars(columns: dict[str, np.ndarray]):
    return pytest.importorskip("polars").DataFrame(columns)


def make_table(columns: dict[str, np.ndarray]):
    return pytest.importorskip("pyarrow").table(columns)


def make_batch(columns: dict[str, np.ndarray]):
    arrays = {name: list(values) for name, values in columns.items()}
    return pytest.importorskip("pyarrow").RecordBatch.from_pydict(arrays)


KINDS = pytest.mark.parametrize("make", [make_pandas, make_polars, make_table, make_batch])
FUNCTIONS = ("predict", "predict_proba", "decision_function", "transform")


@pytest.fixture
def model(iris) -> mlp.Model:
    frame = make_pandas(dict(zip(NAMES, iris[0].T)))
    return mlp.MLPClassifier(layers=[4, 5, 3], seed=1, max_iter=20).fit(frame, iris[1]).model_


@KINDS
def test_takes_columns_in_any_order_and_ignores_others(make, model, iris) -> None:
    columns = dict(zip(NAMES, iris[0].T))
    texts = {"id": np.array(["a"] * len(iris[0]))}
    table = make(texts | dict(reversed(columns.items())) | {"label": iris[1]})

    assert model.feature_names == NAMES
    for name in FUNCTIONS:
        expected = getattr(model, name)(iris[0])
        assert np.array_equal(getattr(model, name)(table), expected)
        assert np.array_equal(getattr(model, name)(make(columns)), expected)


@KINDS
def test_refuses_a_table_without_a_feature(make, model, iris) -> None:
    columns = dict(zip(["sepal length", "sepal width", "petal length", "width"], iris[0].T))
    sentence = (
        "there is no column 'petal width'; expected the features by their names, got "
        "'sepal length', 'sepal width', 'petal length', 'width'"
    )
    for name in FUNCTIONS:
        with pytest.raises(DataError, match=f"^{re.escape(sentence)}$"):
            getattr(model, name)(make(columns))


@KINDS
def test_takes_columns_in_their_order_where_the_model_has_no_names(make, iris) -> None:
    model = mlp.MLPClassifier(layers=[4, 5, 3], seed=1, max_iter=5).fit(*iris).model_
    table = make(dict(zip(reversed(NAMES), iris[0].T)))

    assert np.array_equal(model.predict_proba(table), model.predict_proba(iris[0]))


def test_takes_columns_without_texts_as_names_in_their_order(model, iris) -> None:
    pandas = pytest.importorskip("pandas")

    assert np.array_equal(model.predict(pandas.DataFrame(iris[0])), model.predict(iris[0]))


def test_tells_columns_of_one_name_apart_by_their_order(model, iris) -> None:
    pandas = pytest.importorskip("pandas")
    twice = model._replace(feature_names=["a", "b", "a", "c"])
    frame = pandas.DataFrame(iris[0][:, [1, 0, 3, 2]], columns=["b", "a", "c", "a"])

    assert np.array_equal(twice.predict_proba(frame), model.predict_proba(iris[0]))
    once = "1 column is named 'a'; expected 2, because only their order tells them apart"
    with pytest.raises(DataError, match=f"^{re.escape(once)}$"):
        twice.predict(frame.iloc[:, :3])


@KINDS
@pytest.mark.parametrize("score", ["predict", "predict_proba"])
def test_an_estimator_refuses_another_order_as_scikit_learn_does(make, score, iris) -> None:
    pytest.importorskip("sklearn")
    columns = dict(zip(NAMES, iris[0].T))
    estimator = mlp.MLPClassifier(layers=[4, 5, 3], max_iter=5).fit(make(columns), iris[1])

    for wrong in (dict(reversed(columns.items())), {"x" + name: columns[name] for name in columns}):
        with pytest.raises(ValueError, match="feature names should match"):
            getattr(estimator, score)(make(wrong))


@pytest.fixture
def encoded() -> mlp.Model:
    """A model of color, blue or red, and x; both may be missing: blue, and 8 / 3."""
    return mlp.Model.load(ROOT / "tests/corpus/good/columns.json")


@KINDS
def test_a_model_encodes_the_columns_that_it_was_trained_on(make, encoded) -> None:
    table = make({"x": [1.0, 2.0, 3.0], "id": [1, 2, 3], "color": ["red", "blue", "?"]})
    expected = np.array([[0, 1, 1], [1, 0, 2], [1, 0, 3]], dtype=float)

    for name in FUNCTIONS[:3]:  # it has no hidden layer
        assert np.array_equal(getattr(encoded, name)(table), getattr(encoded, name)(expected))


@pytest.mark.parametrize("make", [make_pandas, make_polars, make_table])
def test_a_model_fills_in_missing_values(make, encoded) -> None:
    table = make({"x": [None, 2.0], "color": ["red", None]})
    expected = np.array([[0, 1, 8 / 3], [1, 0, 2]])

    assert np.array_equal(encoded.predict_proba(table), encoded.predict_proba(expected))


def test_a_model_takes_encoded_columns_by_name(encoded) -> None:
    table = make_pandas({"x": [1.0], "color=red": [1.0], "color=blue": [0.0]})

    assert np.array_equal(
        encoded.predict_proba(table), encoded.predict_proba(np.array([[0.0, 1.0, 1.0]]))
    )


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (
            {"x": [1.0, 2.0], "color": ["red", "green"]},
            "row 1: unknown category 'green' in column 'color'; expected one of 'blue', 'red'",
        ),
        (
            {"x": ["one"], "color": ["red"]},
            "column 'x' must be numbers; could not convert string to float: 'one'",
        ),
        (
            {"x": [1.0]},
            "there is no column 'color'; expected the features by their names, got 'x'",
        ),
    ],
)
@KINDS
def test_an_encoding_model_refuses_other_columns(make, columns, sentence, encoded) -> None:
    with pytest.raises(DataError, match=f"^{re.escape(sentence)}$"):
        encoded.predict(make(columns))


@KINDS
def test_a_model_ignores_unknown_categories_if_it_says_so(make, encoded) -> None:
    model = encoded._replace(unknown="ignore")
    table = make({"x": [1.0, 2.0], "color": ["red", "green"]})
    expected = np.array([[0, 1, 1], [0, 0, 2]], dtype=float)
    sentence = (
        "^X: 1 category value unknown to the model, taken as none of its categories: "
        "1 in column 'color'$"
    )

    with pytest.warns(mlp.ColumnWarning, match=sentence) as caught:
        found = model.predict_proba(table)

    assert len(caught) == 1
    assert np.array_equal(found, model.predict_proba(expected))


@pytest.mark.parametrize("make", [make_pandas, make_polars, make_table])
def test_a_model_takes_its_own_texts_for_missing_values(make, encoded) -> None:
    model = encoded._replace(missing_texts=["-999", "none"])
    expected = model.predict_proba(np.array([[0, 1, 8 / 3], [1, 0, 2]]))

    for x in ([-999.0, 2.0], ["none", "2"]):
        table = make({"x": x, "color": ["red", "none"]})
        assert np.array_equal(model.predict_proba(table), expected)
    with pytest.raises(DataError, match="row 0: unknown category 'NA' in column 'color'"):
        model.predict(make({"x": [1.0], "color": ["NA"]}))


@KINDS
def test_a_model_without_columns_refuses_its_numbers_for_missing_values(make, iris) -> None:
    features, labels = iris
    columns = {name: features[:, i].copy() for i, name in enumerate(NAMES)}
    trained = mlp.MLPClassifier(layers=[4, 3], max_iter=5).fit(make_pandas(columns), labels)
    model = trained.model_._replace(missing_texts=["-999"])
    assert np.array_equal(model.predict(make(columns)), trained.model_.predict(make(columns)))

    columns[NAMES[1]][3] = -999.0

    sentence = "row 3: expected a number in column 'sepal width', got -999, which means a missing"
    with pytest.raises(DataError, match=sentence):
        model.predict(make(columns))


@KINDS
def test_a_model_with_means_fills_them_in_and_warns(make, iris) -> None:
    features, labels = iris
    columns = {name: features[:, i].copy() for i, name in enumerate(NAMES)}
    trained = mlp.MLPClassifier(layers=[4, 3], max_iter=5, standardize=True)
    model = trained.fit(make_pandas(columns), labels).model_
    expected = model.predict_proba(np.where(features == 3.0, features.mean(axis=0), features))
    holes = np.where(features == 3.0, np.nan, features)
    number = int(np.isnan(holes).sum())
    sentence = (
        f"^X: {number} missing values in {number} of 150 rows replaced by the values of the model; "
        rf"most in column '{NAMES[1]}' \(\d+\)$"
    )

    for given in (make({name: holes[:, i].copy() for i, name in enumerate(NAMES)}), holes):
        with pytest.warns(mlp.ColumnWarning, match=sentence) as caught:
            found = model.predict_proba(given)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        assert np.allclose(found, expected, rtol=0, atol=1e-12)
    numbers = model._replace(missing_texts=["-999"])
    with pytest.warns(mlp.ColumnWarning, match="1 missing value in 1 of 150 rows"):
        numbers.predict(make(columns | {NAMES[0]: np.append(features[:-1, 0], -999.0)}))


def test_every_function_of_a_model_with_means_fills_them_in(iris) -> None:
    features, labels = iris
    holes = np.where(features == 3.0, np.nan, features)
    for standardize in (False, True):
        trained = mlp.MLPClassifier(layers=[4, 5, 3], max_iter=5, standardize=standardize)
        model = trained.fit(features, labels).model_
        for name in FUNCTIONS:
            function = getattr(model, name)
            if standardize:
                with pytest.warns(mlp.ColumnWarning, match="most in column 1 "):
                    assert np.isfinite(function(holes)).all()
            else:
                with pytest.raises(DataError, match="feature 1 of row 1 is NaN; leave these"):
                    function(holes)
    with pytest.raises(DataError, match="feature 0 of row 0 is Infinity; replace it"):
        model.predict(np.full((1, 4), np.inf))


def test_a_table_like_another_has_the_label_of_that_table(tmp_path) -> None:
    first = tmp_path / "first.csv"
    first.write_text("kind,x\na,1\nb,2\na,\n")
    table = mlp.read_csv(first, label="kind", missing="mean")
    second = tmp_path / "second.csv"
    second.write_text("x,class,kind\n3,c,b\n")
    other = tmp_path / "other.csv"
    other.write_text("x,class\n3,c\n")

    assert mlp.read_csv(second, like=table).y.tolist() == ["b"]
    sentence = (
        f"{other}:1:1: expected the label column of the training, 'kind', got the columns 'x', "
        "'class'; if the label has another name, name it"
    )
    with pytest.raises(DataError, match=f"^{re.escape(sentence)}$"):
        mlp.read_csv(other, like=table)
    assert mlp.read_csv(other, like=table, label="class").y.tolist() == ["c"]
