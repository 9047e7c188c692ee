# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on batches give the model of the whole table, and never hold it twice."""
import subprocess
import sys

import numpy as np
import pytest

import mlp

LAYERS = [3, 4, 2]


@pytest.fixture(scope="module")
def instances():
    random = np.random.default_rng(7)
    X = random.normal(size=(90, 3))
    return X, (X[:, 0] > 0).astype(np.int64), random.uniform(1, 2, 90)


def fit(*arguments, **options) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(layers=LAYERS, max_iter=5).fit(*arguments, **options)


def weights_of(model) -> list:
    return model.model_.weights.tolist()


@pytest.fixture(scope="module")
def expected(instances):
    X, y, weights = instances
    return weights_of(fit(X, y, weights))


def parts(*arrays):
    for first in range(0, 90, 40):
        yield tuple(array[first : first + 40] for array in arrays)


def table_of(instances):
    pyarrow = pytest.importorskip("pyarrow")
    X, y, weights = instances
    return pyarrow.table({"a": X[:, 0], "y": y, "b": X[:, 1], "w": weights, "c": X[:, 2]})


def test_arrays_give_the_model_of_the_whole(instances, expected) -> None:
    X, y, weights = instances
    assert weights_of(fit(parts(X, y, weights))) == expected
    assert weights_of(fit(parts(X, y))) == weights_of(fit(X, y))


def test_streams_of_arrow_give_the_model_of_the_whole(instances, expected) -> None:
    table = table_of(instances)
    for batches in (
        iter(table.to_batches(max_chunksize=40)),
        table.to_reader(max_chunksize=40),
        table.to_batches()[0],
        table,
        table.to_pandas(),
    ):
        model = fit(batches, "y", "w")
        assert weights_of(model) == expected, type(batches)
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        assert model.classes_.tolist() == [0, 1]


def test_data_sets_of_pyarrow_give_the_model_of_the_whole(instances, expected, tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    from pyarrow import parquet

    parquet.write_table(table_of(instances), tmp_path / "t.parquet", row_group_size=20)
    source = dataset.dataset(tmp_path, format="parquet")
    assert weights_of(fit(source, "y", "w")) == expected
    assert weights_of(fit(source.scanner(batch_size=7), "y", "w")) == expected
    assert weights_of(fit(dataset.dataset(table_of(instances)), "y", "w")) == expected
    folder = tmp_path / "in" / "c=3"
    folder.mkdir(parents=True)
    parquet.write_table(pyarrow.table({"a": [0.0, 1.0], "y": [0, 1]}), folder / "0.parquet")
    source = dataset.dataset(tmp_path / "in", partitioning="hive")
    model = mlp.MLPClassifier(layers=[2, 2], max_iter=1).fit(source, "y")
    assert model.feature_names_in_.tolist() == ["a", "c"]


def test_lazy_frames_of_polars_give_the_model_of_the_whole(instances, expected) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(table_of(instances))
    assert weights_of(fit(frame.lazy(), "y", "w")) == expected
    assert weights_of(fit(frame.iter_slices(40), "y", "w")) == expected
    assert weights_of(fit(frame, "y", "w")) == expected


def test_relations_of_duckdb_give_the_model_of_the_whole(instances, expected) -> None:
    duckdb = pytest.importorskip("duckdb")
    table = table_of(instances)
    assert table.num_rows == 90
    assert weights_of(fit(duckdb.sql("select * from 'table'"), "y", "w")) == expected


def test_labels_keep_their_kind(instances) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    X, y, _ = instances
    names = np.array(["no", "yes"])[y]
    table = pyarrow.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": names})
    assert fit(table.to_reader(), "y").classes_.tolist() == ["no", "yes"]
    large = pyarrow.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y + 2**60})
    with pytest.raises(mlp.DataError, match="^labels must be integers below 2"):
        fit(large.to_reader(), "y")


def test_regressors_take_batches(instances) -> None:
    X, _, _ = instances
    whole = mlp.MLPRegressor(layers=[3, 2, 1], max_iter=3).fit(X, X[:, 0])
    in_parts = mlp.MLPRegressor(layers=[3, 2, 1], max_iter=3).fit(parts(X, X[:, 0]))
    assert weights_of(in_parts) == weights_of(whole)
    table = table_of(instances).drop_columns(["y", "w"]).append_column("t", [X[:, 0]])
    from_table = mlp.MLPRegressor(layers=[3, 2, 1], max_iter=3).fit(table.to_reader(), "t")
    assert weights_of(from_table) == weights_of(whole)


def test_sparse_batches_are_packed_one_by_one(instances) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    X, y, _ = instances
    X = np.where(X > 0, X, 0.0)
    batches = ((sparse.csc_array(rows), labels) for rows, labels in parts(X, y))
    assert weights_of(fit(batches)) == weights_of(fit(X, y))


@pytest.mark.parametrize("batches, y, error, sentence", [
    ([], None, mlp.ShapeError, "X has no batch; expected at least one with rows"),
    ([], "y", mlp.ShapeError, "X has no batch; expected at least one with rows"),
    ([1], None, mlp.ParamError, "batches must be (X, y) or (X, y, sample_weight), or record batches"),
    ([1], "y", mlp.DataError, "X must have record batches or data frames as its parts; got int"),
    ([], [0, 1], mlp.ParamError, "y must be the name of the label column for an iterator of rec"),
    ([(np.eye(3), [0, 1])], None, mlp.ShapeError, "batch 0 must have 3 labels and weights"),
    ([(np.eye(3), [0, 1, 0]), (np.eye(2), [0, 1])], None, mlp.ShapeError,
     "all batches must have 3 features as the first one; got 2"),
    ([(np.eye(3), [0, 1, 0]), (np.eye(3, dtype="f4"), [0, 1, 0])], None, mlp.DataError,
     "all batches must have float64 features as the first one; got float32"),
    ([(np.eye(3), 5)], None, mlp.ShapeError, "batch 0 must have 3 labels and weights"),
    ([(np.eye(3), [0, 1, 0]), (np.eye(3), ["a", "b", "a"])], None, mlp.DataError,
     "labels must be all texts or all numbers; got a mixture"),
    ([(np.eye(3), [0, "a", 0])], None, mlp.DataError,
     "labels must be all texts or all numbers; got a mixture"),
    ([(np.eye(3), np.ma.array([0, 1, 0], mask=[1, 0, 0]))], None, mlp.DataError,
     "y has 1 masked entries, the first one at (0,)"),
    ([(np.eye(3), [0, 1, 0], np.ma.array([1.0, 1.0, 1.0], mask=[0, 0, 1]))], None, mlp.DataError,
     "sample_weight has 1 masked entries, the first one at (2,)"),
    ([(np.eye(3), [0, 1, 0], [1, 1, 1]), (np.eye(3), [0, 1, 0])], None, mlp.ShapeError,
     "all batches must have weights, or none; 1 of 2 have some"),
])
def test_refuses_what_are_no_batches(batches, y, error, sentence) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(error) as raised:
        fit(iter(batches), y)
    assert str(raised.value).startswith(sentence)


def test_refuses_texts_and_unknown_columns_of_streams(instances) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"a": ["x", "z"], "y": [0, 1]})
    with pytest.raises(mlp.DataError, match="^X:1: expected a number in column 'a', got 'x'"):
        fit(table.to_reader(), "y")
    with pytest.raises(mlp.DataError, match="^X: no column is the label 'z'"):
        fit(table.to_reader(), "z")
    with pytest.raises(mlp.DataError, match="^X must have one column 'z'; its columns are"):
        fit(table, "z")


PEAK = """
import sys, numpy as np
from mlp._arrays import as_rows
from mlp.batches import gather
kind, path = sys.argv[1:]
ROWS, WIDTH, AT_ONCE = 150_000, 100, 5_000

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name + ":"):
            return 1024 * int(line.split()[1])

def chunks():
    random = np.random.default_rng(1)
    for _ in range(ROWS // AT_ONCE):
        X = random.normal(size=(AT_ONCE, WIDTH))
        yield X, (X[:, 0] > 0).astype(np.int64)

def batches():
    import pyarrow
    for X, y in chunks():
        columns = [pyarrow.array(X[:, i]) for i in range(WIDTH)] + [pyarrow.array(y)]
        names = [f"x{i}" for i in range(WIDTH)] + ["y"]
        yield pyarrow.RecordBatch.from_arrays(columns, names)

def sparse_rows(rows):
    import scipy.sparse
    return scipy.sparse.random(rows, WIDTH, 0.01, format="csc", rng=1)

def first_of(kind):
    if kind == "sparse":
        return (sparse_rows(10),)
    first = iter([next(batches() if kind != "arrays" else chunks())])
    return (first,) if kind == "arrays" else (first, "y")

def pack(X, y=None):
    if kind == "sparse":
        return as_rows(X)
    return gather(X, y, None).rows

pack(*first_of(kind))
if kind == "sparse":
    given = (sparse_rows(ROWS),)
elif kind == "dataset":
    import pyarrow.dataset, pyarrow.parquet
    reader = batches()
    batch = next(reader)
    with pyarrow.parquet.ParquetWriter(path, batch.schema) as writer:
        writer.write_batch(batch)
        for batch in reader:
            writer.write_batch(batch)
    del batch
    given = pyarrow.dataset.dataset(path), "y"
else:
    given = (batches(), "y") if kind == "arrow" else (chunks(),)
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")
rows = pack(*given)
assert rows.shape == (ROWS, WIDTH) and rows.dtype == np.float64 and rows.flags.c_contiguous
print((status("VmHWM") - before) / (8 * ROWS * WIDTH))
"""


@pytest.mark.parametrize("kind", ["arrays", "arrow", "dataset", "sparse"])
def test_batches_are_never_whole_beside_their_instances(kind, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("scipy")
    ran = subprocess.run(
        [sys.executable, "-c", PEAK, kind, str(tmp_path / "x.parquet")], capture_output=True,
        text=True, check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) < 1.3
