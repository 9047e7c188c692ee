# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip

import numpy as np
import pytest
from conftest import DATA, SPECIES, read_iris

import mlp


def test_reads_csv_with_names_and_texts_as_labels() -> None:
    table = mlp.read_csv(DATA / "iris.csv", label="species")
    features, labels = read_iris()
    assert (table.X == features).all()
    assert (table.y == np.array(SPECIES)[labels]).all()
    assert table.feature_names[0] == "sepal_length"
    assert table.label_name == "species"
    assert table.X.flags.c_contiguous


def test_reads_chosen_columns(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;b;w;y\n1;2;0.5;3\n4;5;1.5;6\n")
    table = mlp.read_csv(path, label="y", weight="w", ignore=["b"], delimiter=";", header=True)
    assert table.X.tolist() == [[1.0], [4.0]]
    assert table.y.tolist() == [3, 6]
    assert table.weights.tolist() == [0.5, 1.5]
    assert mlp.read_csv(path, label=-1, features=["b", "a"]).X.tolist() == [[2, 1], [5, 4]]


def test_encodes_another_file_like_the_first(tmp_path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("colour,size,y\nred,1,0\nblue,,1\nred,3,1\n")
    second.write_text("colour,size,y\nblue,,0\n")
    table = mlp.read_csv(first, label="y", missing="mean", one_hot="auto")
    assert table.feature_names == ["colour=blue", "colour=red", "size"]
    assert table.X.tolist() == [[0, 1, 1], [1, 0, 2], [0, 1, 3]]
    assert mlp.read_csv(second, label="y", like=table).X.tolist() == [[1, 0, 2]]
    with pytest.raises(mlp.ParamError, match="encoded columns"):
        mlp.read_csv(second, like=mlp.read_csv(DATA / "iris.csv"))


def test_reads_libsvm_npy_and_idx(tmp_path) -> None:
    (tmp_path / "t.libsvm").write_text("1 1:0.5 3:2\n0 2:1\n")
    table = mlp.read_libsvm(tmp_path / "t.libsvm")
    assert table.X.tolist() == [[0.5, 0, 2], [0, 1, 0]]
    assert table.y.tolist() == [1, 0]
    np.save(tmp_path / "x.npy", table.X)
    np.save(tmp_path / "y.npy", table.y)
    again = mlp.read_npy(tmp_path / "x.npy", labels=tmp_path / "y.npy", scale=2)
    assert (again.X == table.X / 2).all()
    images = mlp.read_idx(
        DATA / "t10k-images-idx3-ubyte.gz", labels=DATA / "t10k-labels-idx1-ubyte.gz", scale=255
    )
    assert images.X.shape == (10000, 784)
    assert images.X.max() == 1.0
    raw = gzip.decompress((DATA / "t10k-labels-idx1-ubyte.gz").read_bytes())[8:]
    assert (images.y == np.frombuffer(raw, np.uint8)).all()


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("a,b,y\n1,x,0\n", "t.csv:2"),
        ("a,b,y\n1,,0\n", "missing|empty"),
        ("", "empty|no"),
    ],
)
def test_names_the_place_of_bad_data(tmp_path, text, sentence) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(mlp.DataError, match=sentence):
        mlp.read_csv(path)


def test_refuses_unknown_options() -> None:
    with pytest.raises(mlp.ParamError, match="missing must be refuse, drop or mean"):
        mlp.read_csv(DATA / "iris.csv", missing="guess")
    with pytest.raises(mlp.ParamError, match="one_hot must be 'auto'"):
        mlp.read_csv(DATA / "iris.csv", one_hot="yes")
    with pytest.raises(mlp.ParamError, match="one character"):
        mlp.read_csv(DATA / "iris.csv", delimiter=";;")
    with pytest.raises(mlp.DataError, match="no/such.csv"):
        mlp.read_csv("no/such.csv")


@pytest.fixture
def arrow_table():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(
        {
            "a": pyarrow.array([1, 2, 3], pyarrow.int16()),
            "b": pyarrow.array([0.5, 1.5, 2.5], pyarrow.float32()),
            "kind": ["x", "y", "x"],
            "w": [1.0, 2.0, 3.0],
        }
    )


def check_table(table: mlp.Table) -> None:
    assert table.X.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert table.y.tolist() == ["x", "y", "x"]
    assert table.weights.tolist() == [1, 2, 3]
    assert table.feature_names == ["a", "b"]


def test_reads_arrow_tables_batches_and_streams(arrow_table) -> None:
    options = {"label": "kind", "weight": "w"}
    check_table(mlp.read_arrow(arrow_table, **options))
    check_table(mlp.read_arrow(arrow_table.to_batches()[0], **options))
    check_table(mlp.read_arrow(arrow_table.to_reader(max_chunksize=2), **options))
    polars = pytest.importorskip("polars")
    check_table(mlp.read_arrow(polars.from_arrow(arrow_table), **options))


def test_reads_parquet_files_and_folders(arrow_table, tmp_path) -> None:
    import pyarrow.dataset
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow_table, tmp_path / "t.parquet")
    check_table(mlp.read_parquet(tmp_path / "t.parquet", label="kind", weight="w"))
    folder = tmp_path / "partitioned"
    pyarrow.parquet.write_to_dataset(arrow_table, folder, partition_cols=["kind"])
    table = mlp.read_parquet(folder, label="kind", weight="w")
    assert sorted(zip(table.X[:, 0].tolist(), table.y.tolist())) == [(1, "x"), (2, "y"), (3, "x")]


def test_reads_integers_of_every_type() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for kind in ("int8", "uint8", "int32", "uint64", "bool"):
        table = pyarrow.table({"a": pyarrow.array([0, 1]).cast(kind)})
        assert mlp.read_arrow(table).X.tolist() == [[0], [1]]


def test_names_the_columns_that_cannot_be_read(arrow_table, tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(mlp.DataError, match="column 'kind' must be numbers; it has the type string"):
        mlp.read_arrow(arrow_table)
    with pytest.raises(mlp.DataError, match="no column 'z'; the columns are a, b, kind, w"):
        mlp.read_arrow(arrow_table, label="z")
    with pytest.raises(mlp.DataError, match="column 'a' must be at most 2\\^53"):
        mlp.read_arrow(pyarrow.table({"a": [2**53 + 1]}))
    with pytest.raises(mlp.DataError, match="column 'a' must be numbers; it has the type timestamp"):
        mlp.read_arrow(pyarrow.table({"a": pyarrow.array([0], pyarrow.timestamp("s"))}))
    with pytest.raises(mlp.DataError, match="column 'a' has 1 missing values"):
        mlp.read_arrow(pyarrow.table({"a": [1.0, None]}))
    (tmp_path / "t.parquet").write_text("no parquet")
    with pytest.raises(mlp.DataError, match="t.parquet"):
        mlp.read_parquet(tmp_path / "t.parquet")
