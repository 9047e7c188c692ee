# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Features are scored where they lie, or gathered in small parts."""

import subprocess
import sys

import numpy as np
import pytest

import mlp
from mlp import _core
from mlp._arrays import as_features

SIZE = 5000
WIDTH = 30


def make_rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(SIZE, WIDTH)).astype(np.float32)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "standardized"])
def model(request) -> mlp.Model:
    rows = make_rows().astype(np.float64)
    labels = (rows[:, 0] > 0).astype(int)
    estimator = mlp.MLPClassifier(
        layers=[WIDTH, 20, 2], max_iter=5, standardize=request.param
    )
    return estimator.fit(rows, labels).model_


def assert_equal_bits(model: mlp.Model, X, expected: np.ndarray) -> None:
    for threads in (1, 3):
        assert np.array_equal(model.predict(X, threads), model.predict(expected))
        for function in (model.predict_proba, model.decision_function):
            assert function(X, threads).tobytes() == function(expected).tobytes()


def test_rows_one_after_another_are_scored_in_place() -> None:
    rows = make_rows()
    for array in (rows, rows.astype(np.float64), rows[10:2000], rows[:1, :]):
        assert _core.scored_in_place(array)
    for array in (rows[::2], rows[:, :5], np.asfortranarray(rows), rows[::-1]):
        assert not _core.scored_in_place(array)


@pytest.mark.parametrize(
    "change",
    [
        np.copy,
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.hstack([x, x])[:, :WIDTH],
        lambda x: x[::-1].copy()[::-1],
    ],
    ids=["rows", "column-major", "every second row", "part of the columns", "reversed"],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float32_has_the_bits_of_the_same_float64(model, change, dtype) -> None:
    rows = make_rows()
    assert_equal_bits(model, change(rows.astype(dtype)), rows.astype(np.float64))


def as_arrow(rows: np.ndarray):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table({f"c{i}": np.ascontiguousarray(rows[:, i]) for i in range(WIDTH)})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_the_columns_of_arrow_tables(model, dtype) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = make_rows().astype(dtype)
    expected = rows.astype(np.float64)
    table = as_arrow(rows)
    assert isinstance(as_features(table), _core.Columns)
    assert as_features(table).shape == rows.shape
    assert_equal_bits(model, table, expected)
    assert_equal_bits(model, table.to_batches()[0], expected)
    several = pyarrow.concat_tables([table.slice(0, 100), table.slice(100, 0), table.slice(100)])
    assert isinstance(as_features(several), _core.Columns)
    assert_equal_bits(model, several, expected)


def test_reads_columns_of_several_types(model) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = np.round(make_rows().astype(np.float64) * 10)
    types = [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64]
    columns = {f"c{i}": rows[:, i].astype(types[i % len(types)]) for i in range(WIDTH)}
    table = pyarrow.table(columns)
    assert isinstance(as_features(table), _core.Columns)
    assert_equal_bits(model, table, rows)


def test_scores_the_columns_of_data_frames(model) -> None:
    pandas = pytest.importorskip("pandas")
    rows = make_rows()
    one_array = pandas.DataFrame(rows.astype(np.float64), copy=False)
    assert isinstance(as_features(one_array), np.ndarray)
    assert np.may_share_memory(as_features(one_array), one_array.iloc[:, 0].to_numpy())
    several = pandas.DataFrame({i: rows[:, i].copy() for i in range(WIDTH)}, copy=False)
    several[3] = several[3].astype(np.float64)
    assert isinstance(as_features(several), _core.Columns)
    for frame in (one_array, several):
        assert_equal_bits(model, frame, rows.astype(np.float64))


def test_scores_the_columns_of_polars(model) -> None:
    polars = pytest.importorskip("polars")
    rows = make_rows()
    frame = polars.DataFrame({f"c{i}": rows[:, i].copy() for i in range(WIDTH)})
    assert isinstance(as_features(frame), _core.Columns)
    assert_equal_bits(model, frame, rows.astype(np.float64))


def test_columns_with_missing_values_and_texts_are_not_read_in_place(model) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = as_arrow(make_rows())
    missing = table.set_column(2, "c2", pyarrow.array([None] + [1.0] * (SIZE - 1)))
    texts = table.set_column(2, "c2", pyarrow.array(["a"] * SIZE))
    for wrong in (missing, texts):
        assert not isinstance(as_features_or_none(wrong), _core.Columns)
    with pytest.raises(mlp.DataError, match="column 'c2' must be numbers"):
        model.predict(texts)
    if model._core.scaler is None:
        with pytest.raises(mlp.DataError, match="column 'c2' has 1 missing values"):
            model.predict(missing)
    else:
        with pytest.warns(mlp.ColumnWarning, match=r"most in column (2|'c2') \(1\)"):
            model.predict(missing)


def as_features_or_none(X):
    try:
        return as_features(X)
    except mlp.DataError:
        return None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_names_the_first_number_of_a_column_that_is_not_finite(model, dtype) -> None:
    rows = make_rows().astype(dtype)
    rows[4000, 1] = np.nan
    rows[3001, 2] = np.inf
    for X in (rows, as_arrow(rows)):
        with pytest.raises(mlp.DataError, match="feature 2 of row 3001 is Infinity"):
            model.predict_proba(X, 3)


def test_refuses_tables_of_another_width(model) -> None:
    narrow = as_arrow(make_rows()).select(["c0", "c1"])
    with pytest.raises(mlp.ShapeError, match="X has 2 features, but the model expects 30"):
        model.predict(narrow)


MEMORY = """
import resource, sys
import numpy as np, mlp
from mlp import _core

rows = np.ones((400_000, 100), dtype=np.float32)
kind = sys.argv[1]
X = rows
if kind == "every second row":
    X = rows[::2]
elif kind == "columns":
    X = _core.Columns([[np.ones(400_000, dtype=np.float32) for _ in range(100)]])
model = mlp.MLPClassifier(layers=[100, 2], max_iter=1).fit(
    np.random.default_rng(0).normal(size=(50, 100)), [0, 1] * 25).model_
model._core.predict_index(X[:50] if kind != "columns" else np.ones((50, 100)), 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model._core.predict_index(X, 2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("kind", ["rows", "every second row", "columns"])
def test_scoring_needs_little_memory_beside_the_rows(kind) -> None:
    # A copy of the rows would take 160 MB, or 320 MB as float64.
    most_kilobytes = 30_000
    result = subprocess.run(
        [sys.executable, "-c", MEMORY, kind], capture_output=True, text=True, check=True
    )
    assert int(result.stdout) < most_kilobytes
