# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tables and lists are read by the rules of data files."""
import shutil
import subprocess

import numpy as np
import pytest

import mlp

pandas = pytest.importorskip("pandas")

QUICK = {"max_iter": 20, "seed": 1, "effort": "quick"}
SPARK = {"layers": [2, 3, 2], "max_iter": 5, "seed": 1}


@pytest.fixture(name="frame")
def fixture_frame():
    random = np.random.default_rng(2)
    return pandas.DataFrame(random.normal(size=(60, 2)), columns=["a", "b"])


def with_row_names(library: str, frame):
    """Returns the table that pandas stores of rows with other numbers."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(frame.set_index(np.arange(60) * 7.0))
    assert "__index_level_0__" in table.column_names
    if library == "pyarrow":
        return table
    if library == "polars":
        return pytest.importorskip("polars").from_arrow(table)
    return pytest.importorskip("duckdb").from_arrow(table)


@pytest.mark.parametrize("library", ["pyarrow", "polars", "duckdb"])
@pytest.mark.parametrize("params", [QUICK, SPARK], ids=["modern", "spark"])
def test_row_names_of_pandas_are_no_feature(library, params, frame) -> None:
    y = frame["a"] > 0
    table = with_row_names(library, frame)
    expected = mlp.MLPClassifier(**params).fit(frame, y)

    ours = mlp.MLPClassifier(**params).fit(table, y)

    assert ours.model_ == expected.model_
    assert ours.feature_names_in_.tolist() == ["a", "b"]
    for estimator in (ours, expected):
        assert np.array_equal(estimator.predict(table), expected.predict(frame))
        assert np.array_equal(estimator.model_.predict_proba(table), ours.predict_proba(frame))
    without_names = mlp.MLPClassifier(**params).fit(frame.to_numpy(), y)
    assert np.array_equal(without_names.model_.predict(table), expected.model_.predict(frame))
    labelled = with_row_names(library, frame.assign(y=y.astype(int)))
    assert mlp.MLPClassifier(**params).fit(labelled, "y").n_features_in_ == 2


def predictions_of_program(frame, model, tmp_path) -> list:
    program = shutil.which("mlp")
    if program is None:
        pytest.skip("the program mlp is not installed")
    model.save(tmp_path / "m.json")
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = [program, "predict", "m.json", "t.csv"]
    ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    return [line.split(",")[0] for line in ran.stdout.splitlines()[1:]]


COLUMNS = {
    "truth values": ["True", "False", "True"],
    "lower case": ["true", "false", "FALSE"],
    "codes": ["01234", "99999", " 5e2 "],
    "a missing one": ["1", "?", "3"],
    "objects": [True, False, True],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_texts_of_numbers_are_numbers_for_estimators_models_and_files(name, frame, tmp_path) -> None:
    frame["paid"] = pandas.Series(COLUMNS[name] * 20, dtype=object)
    y = (frame["a"] > 0).astype(int)
    estimator = mlp.MLPClassifier(**QUICK).fit(frame, y)

    expected = estimator.predict(frame)

    saved = mlp.Model.from_json(estimator.model_.to_json())
    for model in (estimator.model_, saved):
        assert np.array_equal(model.predict(frame), expected)
        assert np.array_equal(model.predict(frame[["paid", "b", "a"]]), expected)
    assert predictions_of_program(frame, saved, tmp_path) == [str(label) for label in expected]


@pytest.mark.parametrize("params", [QUICK, SPARK], ids=["modern", "spark"])
def test_a_model_of_numbers_reads_texts_of_a_table(params, frame) -> None:
    estimator = mlp.MLPClassifier(**params).fit(frame, frame["a"] > 0)
    expected = estimator.predict_proba(frame)
    for predict in (estimator.predict_proba, estimator.model_.predict_proba):
        assert np.array_equal(predict(frame.astype(str)), expected)
        for wrong in ("red", "1_000", "0x1"):
            with pytest.raises(mlp.DataError, match="^column 'a' must be numbers; it has the type"):
                predict(frame.assign(a=wrong))


def test_lists_may_have_numbers_and_texts() -> None:
    rows = [[1.0, "red"], [2.0, "blue"], [3.0, "red"], [4.5, "blue"]] * 10
    y = [0, 1, 0, 1] * 10
    with_none = mlp.MLPClassifier(**QUICK).fit([[1.5, None], *rows], [0, *y])
    estimator = mlp.MLPClassifier(**QUICK).fit(rows, y)
    frame = pandas.DataFrame(rows, columns=["a", "b"])

    assert estimator.predict(rows).tolist() == y
    assert estimator.model_.predict(rows).tolist() == y
    assert with_none.predict(rows).tolist() == y
    of_frame = mlp.MLPClassifier(**QUICK).fit(frame, y).model_
    assert estimator.model_.weights.tolist() == of_frame.weights.tolist()
    with pytest.raises(mlp.DataError, match="^column 1 of X must be numbers; got the text 'red'"):
        mlp.MLPClassifier(**SPARK).fit(rows, y)


def test_columns_of_one_name_are_told_apart_by_their_order(frame) -> None:
    y = frame["a"] > 0
    twice = frame.set_axis(["a", "a"], axis=1)
    for params in (QUICK, SPARK):
        expected = mlp.MLPClassifier(**params).fit(frame, y)
        estimator = mlp.MLPClassifier(**params).fit(twice, y)
        assert estimator.feature_names_in_.tolist() == ["a", "a"]
        assert np.array_equal(estimator.predict_proba(twice), expected.predict_proba(frame))
        assert np.array_equal(estimator.model_.predict(twice), expected.model_.predict(frame))
        with pytest.raises(mlp.ShapeError, match="^The feature names should match"):
            estimator.predict(twice.set_axis(["b", "b"], axis=1))
        with pytest.raises(mlp.ShapeError, match="^X has 3 features, but MLPClassifier is exp"):
            estimator.predict(pandas.concat([twice, twice.iloc[:, :1]], axis=1))


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_a_field_of_packed_records_is_copied(kind, frame) -> None:
    y = (frame["a"] > 0).to_numpy()
    for fields in ([("x", kind, 2), ("n", "i1")], [("n", "i1"), ("x", kind, 2)]):
        records = np.zeros(60, dtype=fields)
        records["x"] = frame.to_numpy()
        plain = np.ascontiguousarray(records["x"])
        estimator = mlp.MLPClassifier(**SPARK).fit(records["x"], y)
        assert estimator.model_ == mlp.MLPClassifier(**SPARK).fit(plain, y).model_
        for function in (estimator.predict_proba, estimator.model_.predict_proba):
            assert np.array_equal(function(records["x"]), function(plain))
