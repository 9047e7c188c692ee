# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of texts and with missing values become features of an estimator without layers,
as they do in the program."""

import json
import pickle
import shutil
import subprocess
import warnings
from typing import Any

import mlp
import numpy as np
import pytest
from mlp.errors import DataError, ParamError

pandas = pytest.importorskip("pandas")

QUICK = {"effort": "quick", "max_iter": 20, "seed": 1}


def make_frame(size: int = 120) -> Any:
    """Rows of a number, of which some are missing, and two columns of texts."""
    random = np.random.default_rng(3)
    age = np.round(random.normal(40, 9, size), 1)
    age[::20] = np.nan
    color = random.choice(["red", "blue", "red, dark"], size).astype(object)
    color[9::30] = None
    color[:3] = ["pink", "teal", "teal"]
    return pandas.DataFrame({"age": age, "color": color, "size": random.choice(list("SML"), size)})


def make_labels(frame: Any) -> Any:
    is_old = frame["age"].fillna(40) > 40
    return np.where(is_old == (frame["size"] != "L"), "yes", "no")


@pytest.fixture(name="frame", scope="module")
def fixture_frame() -> Any:
    return make_frame()


@pytest.fixture(name="labels", scope="module")
def fixture_labels(frame: Any) -> Any:
    return make_labels(frame)


@pytest.fixture(name="estimator", scope="module")
def fixture_estimator(frame: Any, labels: Any) -> Any:
    return mlp.MLPClassifier(**QUICK).fit(frame, labels)


def run_program(*arguments: str, folder: Any) -> None:
    program = shutil.which("mlp")
    if program is None:
        pytest.skip("the program mlp is not installed")
    subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True)


def weights_of(path: Any) -> Any:
    return json.loads(path.read_text())["weights"]["data"]


def test_the_model_is_that_of_the_program(frame, labels, estimator, tmp_path) -> None:
    frame.assign(label=labels).to_csv(tmp_path / "data.csv", index=False)
    run_program("train", "data.csv", "--effort", "quick", "--max-iter", "20", "--seed", "1",
                "-o", "model.json", folder=tmp_path)
    estimator.model_.save(tmp_path / "python.json")

    ours = json.loads((tmp_path / "python.json").read_text())
    theirs = json.loads((tmp_path / "model.json").read_text())

    assert ours["weights"] == theirs["weights"]
    assert ours["input"] == {k: v for k, v in theirs["input"].items() if k != "label"}


def test_several_trainings_choose_the_model_of_the_program(frame, labels, tmp_path) -> None:
    frame.assign(label=labels).to_csv(tmp_path / "data.csv", index=False)
    run_program("train", "data.csv", "--seed", "1", "-o", "model.json", folder=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mlp.ConvergenceWarning)
        mlp.MLPClassifier(seed=1).fit(frame, labels).model_.save(tmp_path / "python.json")

    assert weights_of(tmp_path / "python.json") == weights_of(tmp_path / "model.json")


def test_predicts_what_the_model_predicts(frame, estimator) -> None:
    predicted = estimator.predict(frame)

    assert estimator.n_features_in_ == 3
    assert estimator.feature_names_in_.tolist() == ["age", "color", "size"]
    assert estimator.model_.feature_names[:3] == ["age", "age=", "color="]
    assert estimator.model_.column_names == ["age", "color", "size"]
    assert (predicted == estimator.model_.predict(frame)).all()
    again = pickle.loads(pickle.dumps(estimator))
    assert (predicted == again.predict(frame)).all()


def test_unknown_categories_are_others(frame, estimator) -> None:
    rows = frame.iloc[[1, 1, 1]].copy()
    rows["color"] = ["teal", "pink", "green"]

    probability = estimator.predict_proba(rows)

    assert np.array_equal(probability[0], probability[1])
    assert np.array_equal(probability[0], probability[2])


def test_refuses_other_columns_when_it_predicts(frame, estimator) -> None:
    with pytest.raises(ValueError, match="feature names should match|[Ff]eature names"):
        estimator.predict(frame[["color", "age", "size"]])
    with pytest.raises(ValueError, match="[Ff]eature names"):
        estimator.predict(frame[["age", "color"]])
    dates = frame.assign(age=pandas.Timestamp("2026-01-01"))
    with pytest.raises(DataError, match="column 'age' must be numbers"):
        estimator.predict(dates)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_other_libraries_give_the_same_model(library, frame, labels, estimator) -> None:
    module = pytest.importorskip(library)
    columns = {
        name: [None if value is None or value != value else value for value in frame[name]]
        for name in frame
    }
    make = module.DataFrame if library == "polars" else module.table
    table = make(columns)

    other = mlp.MLPClassifier(**QUICK).fit(table, labels)

    assert np.array_equal(other.model_.weights, estimator.model_.weights)
    assert (other.predict(table) == estimator.predict(frame)).all()


def test_categories_of_pandas_are_categories(frame, labels, estimator) -> None:
    typed = frame.astype({"color": "category", "size": "string"})

    other = mlp.MLPClassifier(**QUICK).fit(typed, labels)

    assert np.array_equal(other.model_.weights, estimator.model_.weights)
    codes = pandas.DataFrame({"x": pandas.Categorical([1, 2, 3] * 20)})
    numbers = mlp.MLPClassifier(**QUICK).fit(codes, [0, 1, 1] * 20)
    assert numbers.model_.feature_names == ["x=1", "x=2", "x=3"]
    assert numbers.predict(codes).tolist() == [0, 1, 1] * 20


def test_arrays_may_lack_values(frame) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    X[::9, 1] = np.nan
    y = X[:, 0] > 0

    estimator = mlp.MLPClassifier(**QUICK).fit(X, y)

    assert estimator.model_.layers[0] == 4
    assert estimator.score(X, y) > 0.9
    assert (estimator.predict(X).astype(str) == estimator.model_.predict(X)).all()
    texts = X.astype(object)
    texts[:, 2] = random.choice(["a", "b"], 200)
    mixed = mlp.MLPClassifier(**QUICK).fit(texts, y)
    assert mixed.model_.layers[0] == 5
    assert mixed.score(texts, y) > 0.9


def test_missing_values_have_the_weighted_mean() -> None:
    X = [[1.0], [4.0], [np.nan]] * 10
    estimator = mlp.MLPRegressor(**QUICK).fit(X, [1.0, 4.0, 3.5] * 10, [1.0, 5.0, 1.0] * 10)

    column = json.loads(estimator.model_.to_json())["input"]["columns"][0]

    assert column["missing"] == 3.5
    assert column["extra"] == "missing"


def test_columns_that_cannot_be_features_are_left_out(frame, labels, estimator) -> None:
    wide = frame.assign(name=[f"row {i}" for i in range(120)], empty=np.nan, id=np.arange(120))
    with pytest.warns(mlp.ColumnWarning) as caught:
        other = mlp.MLPClassifier(**QUICK).fit(wide, labels)

    assert np.array_equal(other.model_.weights, estimator.model_.weights)
    assert other.n_features_in_ == 6
    sentences = [str(warning.message) for warning in caught]
    assert sentences == [
        "column 'name' has 120 different texts in 120 rows, and is left out",
        "column 'empty' has no value in any of the 120 rows, and is left out",
        "column 'id' has a different integer in each row, which says nothing about new rows, and is left out",
    ]
    assert caught[0].filename == __file__
    assert (other.predict(wide) == estimator.predict(frame)).all()


def test_arrays_have_the_columns_of_the_frame() -> None:
    random = np.random.default_rng(2)
    frame = pandas.DataFrame({"id": np.arange(60), "a": random.normal(size=60),
                              "b": random.normal(size=60)})
    frame.loc[::5, "a"] = np.nan
    with pytest.warns(mlp.ColumnWarning):
        estimator = mlp.MLPClassifier(**QUICK).fit(frame, frame["b"] > 0)

    expected = estimator.predict_proba(frame)

    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(estimator.predict_proba(frame.to_numpy()), expected)
    codes = pandas.DataFrame({"c": pandas.Categorical([1] * 60), "b": frame["b"]})
    only = mlp.MLPClassifier(**QUICK).fit(codes, frame["b"] > 0)
    with pytest.warns(UserWarning, match="valid feature names"):
        numbers = only.predict_proba(np.column_stack([np.full(60, 7.0), frame["b"]]))
    unknown = only.predict_proba(codes.assign(c=pandas.Categorical(["x"] * 60)))
    assert np.array_equal(numbers, unknown)


def test_row_numbers_are_left_out_of_numbers_and_of_a_part_of_the_rows(tmp_path) -> None:
    random = np.random.default_rng(4)
    frame = pandas.DataFrame({"id": np.arange(100), "b": random.normal(size=100)})
    y = (frame["b"] > 0).astype(int)
    part = frame.sample(60, random_state=1)
    with pytest.warns(mlp.ColumnWarning, match="'id' has a different integer in each row"):
        estimator = mlp.MLPClassifier(**QUICK).fit(part, y[part.index])

    assert estimator.model_.feature_names == ["b"]
    assert "columns" not in json.loads(estimator.model_.to_json())["input"]
    assert (estimator.predict(frame) == estimator.predict(frame.assign(id=5))).all()
    part.assign(label=y[part.index]).to_csv(tmp_path / "data.csv", index=False)
    run_program("train", "data.csv", "--effort", "quick", "--max-iter", "20", "--seed", "1",
                "-o", "model.json", folder=tmp_path)
    assert weights_of(tmp_path / "model.json") == estimator.model_.weights.tolist()


def test_texts_of_numbers_are_numbers_as_in_a_file(tmp_path) -> None:
    random = np.random.default_rng(5)
    values = random.integers(10, 99, 120).astype(str).astype(object)
    values[::17] = "?"
    flags = random.choice(["True", "False"], 120)
    frame = pandas.DataFrame({"size": values, "flag": flags, "x": random.normal(size=120)})
    y = (frame["x"] > 0).astype(int)
    frame.assign(label=y).to_csv(tmp_path / "data.csv", index=False)
    run_program("train", "data.csv", "--effort", "quick", "--max-iter", "20", "--seed", "1",
                "-o", "model.json", folder=tmp_path)

    estimator = mlp.MLPClassifier(**QUICK).fit(frame, y)

    assert estimator.model_.feature_names == ["size", "size=", "flag", "x"]
    assert weights_of(tmp_path / "model.json") == estimator.model_.weights.tolist()


def test_categories_are_the_texts_of_a_file(tmp_path) -> None:
    frame = pandas.DataFrame({"t": [" p", "q "] * 30, "k": pandas.Categorical([1.0, 2.0] * 30)})
    y = [0, 1] * 30
    estimator = mlp.MLPClassifier(**QUICK).fit(frame, y)
    estimator.model_.save(tmp_path / "model.json")
    frame.to_csv(tmp_path / "data.csv", index=False)

    run_program("predict", "model.json", "data.csv", "-o", "out.csv", folder=tmp_path)

    assert estimator.predict(frame).tolist() == y
    assert pandas.read_csv(tmp_path / "out.csv")["prediction"].tolist() == y


def test_a_type_of_categories_chooses_them(labels) -> None:
    names = pandas.Series([f"name {i}" for i in range(120)]).astype("category")

    estimator = mlp.MLPClassifier(**QUICK).fit(pandas.DataFrame({"name": names}), labels)

    assert estimator.model_.feature_names == ["name!="]


def test_missing_values_that_no_training_row_had_are_means() -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(90, 3))
    y = X[:, 0] > 0
    estimator = mlp.MLPClassifier(**QUICK).fit(X, y)
    holes = X.copy()
    holes[3, 1] = np.nan
    filled = X.copy()
    filled[3, 1] = X[:, 1].mean()

    with pytest.warns(mlp.ColumnWarning, match="^X: 1 missing value in 1 of 90 rows replaced by"):
        probability = estimator.predict_proba(holes)

    assert np.allclose(probability, estimator.predict_proba(filled), atol=1e-12)
    frame = pandas.DataFrame(holes, columns=list("abc"))
    from sklearn.model_selection import cross_val_score

    assert np.isfinite(cross_val_score(mlp.MLPClassifier(**QUICK), frame, y, cv=3)).all()


@pytest.mark.parametrize("make", [np.asarray, pandas.DataFrame])
def test_missing_values_of_an_eval_set_are_means_of_the_training(make: Any) -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(90, 3))
    y = X[:, 0] > 0
    holes, filled = X[:30].copy(), X[:30].copy()
    holes[3, 1] = np.nan
    filled[3, 1] = X[:, 1].mean()
    expected = mlp.MLPClassifier(max_iter=5).fit(make(X), y, eval_set=(make(filled), y[:30]))
    estimator = mlp.MLPClassifier(max_iter=5)

    with pytest.warns(mlp.ColumnWarning, match="^X: 1 missing value in 1 of 30 rows replaced by"):
        estimator.fit(make(X), y, eval_set=(make(holes), y[:30]))

    assert np.allclose(estimator.validation_history_, expected.validation_history_, atol=1e-12)
    with pytest.raises(DataError):
        mlp.MLPClassifier(layers=[3, 4, 2]).fit(X, y, eval_set=(holes, y[:30]))


def test_missing_values_that_the_training_has_learned_are_no_surprise() -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(90, 3))
    X[::5, 1] = np.nan
    estimator = mlp.MLPClassifier(**QUICK).fit(X, X[:, 0] > 0)

    with warnings.catch_warnings():
        warnings.simplefilter("error", mlp.ColumnWarning)
        estimator.predict(X)
    X[0, 2] = np.nan
    with pytest.warns(mlp.ColumnWarning, match=r"19 missing values in 18 of 90 rows .* \(18\)$"):
        estimator.predict(X)


def test_warns_of_na_among_codes_and_of_unknown_categories() -> None:
    codes = ["DE", "NA", "FR", "ZA"] * 30
    frame = pandas.DataFrame({"country": codes, "x": np.arange(120) % 7})
    sentence = (
        "^X: 'NA' in column 'country' is taken as missing, but its other values are codes of two "
        "letters; if NA is a code too, write it as another text, or choose other texts for "
        "missing values$"
    )

    with pytest.warns(mlp.ColumnWarning, match=sentence) as caught:
        estimator = mlp.MLPClassifier(**QUICK).fit(frame, frame["x"] > 2)

    places = [entry.filename for entry in caught if entry.category is mlp.ColumnWarning]
    assert places == [__file__]
    with pytest.warns(mlp.ColumnWarning) as caught:
        estimator.predict(frame.assign(country="XX"))
    counted, warned = (str(entry.message) for entry in caught)
    assert counted == (
        "X: 120 category values unknown to the model, taken as none of its categories: "
        "120 in column 'country'"
    )
    assert warned.startswith(
        "X: no value of column 'country' is a category of the model: all 120 are unknown"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", mlp.ColumnWarning)
        estimator.predict(frame)
        other = frame.assign(country=["Germany", "NA", "France", "Chad"] * 30)
        mlp.MLPClassifier(**QUICK).fit(other, frame["x"] > 2)


def test_blanks_around_texts_do_not_count(frame, labels, estimator) -> None:
    spaced = frame.assign(size=[f" {size}\t" for size in frame["size"]])

    again = mlp.MLPClassifier(**QUICK).fit(spaced, labels)

    assert (again.model_.weights == estimator.model_.weights).all()
    assert (estimator.predict(spaced) == estimator.predict(frame)).all()


def test_refuses_what_is_no_number_when_it_predicts() -> None:
    random = np.random.default_rng(7)
    X = random.normal(size=(60, 2))
    X[::5, 0] = np.nan
    estimator = mlp.MLPClassifier(**QUICK).fit(X, X[:, 1] > 0)
    masked = np.ma.masked_array(np.where(np.isnan(X), 1e6, X), mask=np.isnan(X))
    days = np.array(["2026-01-01"] * 60, dtype="datetime64[ns]")

    for given in (masked, X + 1j, np.column_stack([days, days]), np.array([["1", "2"]]),
                  [[b"1", b"2"]]):
        for call in (estimator.predict, estimator.model_.predict):
            with pytest.raises((DataError, ValueError)):
                call(given)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    named = mlp.MLPClassifier(**QUICK).fit(frame, X[:, 1] > 0)
    with pytest.raises(DataError, match="column 'a' must be numbers; it has the type datetime64"):
        named.predict(frame.assign(a=days))


def test_a_fit_that_fails_leaves_the_columns_of_the_model(frame, labels) -> None:
    estimator = mlp.MLPClassifier(**QUICK).fit(frame, labels)
    before = estimator._taken
    other = pandas.DataFrame({"id": np.arange(120), "x": np.nan, "y": 1.5, "z": ["a", "b"] * 60})

    with pytest.raises(DataError), pytest.warns(mlp.ColumnWarning):
        estimator.fit(other, ["one"] * 120)

    assert estimator._taken == before


def test_a_start_without_columns_takes_numbers() -> None:
    X = np.random.default_rng(8).normal(size=(60, 2))
    estimator = mlp.MLPClassifier(**QUICK, warm_start=True).fit(X, X[:, 0] > 0)
    X[0, 0] = np.nan

    with pytest.raises(DataError, match="because the model that the training starts from"):
        estimator.fit(X, X[:, 1] > 0)


def structures() -> list[tuple[Any, str]]:
    """A column of structures of Arrow, and what refuses it."""
    pyarrow = pytest.importorskip("pyarrow")
    kind = pandas.ArrowDtype(pyarrow.struct([("a", pyarrow.int64())]))
    return [(pandas.Series([{"a": 1}] * 120, dtype=kind), "it has the type struct")]


def test_refuses_columns_that_are_neither_numbers_nor_categories(frame, labels) -> None:
    estimator = mlp.MLPClassifier(**QUICK)
    for values, sentence in (
        (pandas.date_range("2026-01-01", periods=120), "must be numbers; it has the type"),
        ([1.5, "a"] * 60, "has both numbers, such as '1.5', and texts, such as 'a'"),
        ([b"a", b"b"] * 60, "must be numbers; got bytes"),
        ([np.array([1.0, 2.0]), 3.0] * 60, "must be numbers"),
        ([np.inf, np.nan] * 60, "row 0: column 'odd' must be finite; got Infinity"),
        ([f"{i}%" for i in range(120)], "120 rows, such as '0%'; expected categories that rep"),
        ([1j] * 120, "must be real numbers"),
        (pandas.Categorical([b"a", b"b"] * 60), "must be numbers; got bytes"),
        *structures(),
    ):
        with pytest.raises(DataError, match=sentence):
            estimator.fit(frame.assign(odd=values), labels)
    with pytest.raises(DataError, match="column .a. has 120 different texts in 120 rows, such as"):
        estimator.fit(pandas.DataFrame({"a": [f"row {i}" for i in range(120)]}), labels)
    with pytest.raises(DataError, match="feature 1 of row 1 is Infinity; replace it"):
        estimator.fit(np.where(np.arange(240).reshape(120, 2) == 3, np.inf, 1.0), labels)


def test_layers_mean_numbers(frame, labels) -> None:
    with pytest.raises(DataError, match="column 'color' .*mlp.read_csv"):
        mlp.MLPClassifier(layers=[3, 4, 2]).fit(frame, labels)
    with pytest.raises(DataError, match="feature 'age' of row 0 is NaN; .* without layers, mlp"):
        mlp.MLPClassifier(layers=[1, 4, 2]).fit(frame[["age"]], labels)


def test_evaluation_sets_and_later_fits_have_the_columns_of_the_first(frame, labels) -> None:
    estimator = mlp.MLPClassifier(**QUICK, warm_start=True)
    estimator.fit(frame, labels, eval_set=(frame[:40], labels[:40]))
    columns = json.loads(estimator.model_.to_json())["input"]["columns"]

    estimator.fit(frame[:60], labels[:60])

    assert json.loads(estimator.model_.to_json())["input"]["columns"] == columns
    started = mlp.MLPClassifier(**QUICK).fit(frame, labels, init_model=estimator.model_)
    assert json.loads(started.model_.to_json())["input"]["columns"] == columns


def test_partial_fit_takes_the_columns_of_the_first_fit(frame, labels) -> None:
    estimator = mlp.MLPClassifier(solver="adam", **QUICK).fit(frame, labels)
    before = estimator.model_.weights.copy()

    estimator.partial_fit(frame, labels)

    assert not np.array_equal(estimator.model_.weights, before)
    assert (estimator.predict(frame) == estimator.model_.predict(frame)).all()


def test_a_wrong_weight_is_refused_first(frame, labels) -> None:
    with pytest.raises((ParamError, DataError), match="weight"):
        mlp.MLPClassifier(**QUICK).fit(frame, labels, sample_weight=np.full(120, -1.0))
