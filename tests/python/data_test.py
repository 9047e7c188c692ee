# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0

import gzip
import pathlib
import resource

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


def test_warns_of_missing_values_as_the_program_does(tmp_path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("country,x,y\nDE,,0\nNA,,1\nFR,,0\nDE,3,1\nFR,,0\n")
    options = {"label": "y", "missing": "mean", "one_hot": "auto"}

    with pytest.warns(mlp.ColumnWarning) as caught:
        mlp.read_csv(path, **options)

    assert [str(entry.message) for entry in caught] == [
        f"{path}: column 'x' has no value in more than half of the rows, 4 of 5, which get the "
        "mean or the most frequent category of the others",
        f"{path}: 'NA' in column 'country' is taken as missing, but its other values are codes of "
        "two letters; if NA is a code too, write it as another text, or choose other texts for "
        "missing values",
    ]
    assert {entry.filename for entry in caught} == {__file__}


def test_reads_decimal_commas_and_other_texts_for_missing_values(tmp_path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("a;b;y\n1,5;-9;0\n2,5;3;1\n1,0;5;0\n")
    second.write_text("a;b;y\n1.5;-9.0;0\n")
    table = mlp.read_csv(first, decimal=",", na=["-9"], missing="mean")
    assert table.X.tolist() == [[1.5, 4.0], [2.5, 3.0], [1.0, 5.0]]
    assert mlp.read_csv(second, like=table).X.tolist() == [[1.5, 4.0]]
    assert mlp.read_csv(second, like=table, na=["x"]).X.tolist() == [[1.5, -9.0]]


def test_reads_columns_that_spaces_separate(tmp_path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("a b  y\n1  2 0\n3 4   1\n")
    assert mlp.read_csv(path, delimiter=" ").X.tolist() == [[1.0, 2.0], [3.0, 4.0]]


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


LARGE = 2**53


def read_labels(tmp_path, *labels: str) -> np.ndarray:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    return mlp.read_csv(path, label="y", missing="drop").y


def test_reads_large_integers_as_labels_without_a_change(tmp_path) -> None:
    labels = [LARGE + 1, 7, -LARGE - 1, 2**63 - 1]
    assert read_labels(tmp_path, *map(str, labels)).tolist() == labels
    assert read_labels(tmp_path, str(LARGE - 1), "+3").tolist() == [LARGE - 1, 3]
    assert read_labels(tmp_path, str(LARGE + 1), "+3").dtype == np.int64


def test_reads_integers_that_int64_has_not_as_texts(tmp_path) -> None:
    assert read_labels(tmp_path, str(2**63), str(2**63 + 1)).tolist() == [
        "9223372036854775808", "9223372036854775809"
    ]


def test_reads_other_large_numbers_as_they_are(tmp_path) -> None:
    assert read_labels(tmp_path, "1e300", "-2e18").tolist() == [1e300, -2e18]
    assert read_labels(tmp_path, "1e300", "0.5").tolist() == [1e300, 0.5]
    (tmp_path / "t.libsvm").write_text("9007199254740993 1:0.5\n1e300 2:1\n")
    assert mlp.read_libsvm(tmp_path / "t.libsvm").y.tolist() == [float(LARGE), 1e300]


def test_refuses_to_train_on_large_integers_that_were_read(tmp_path) -> None:
    y = read_labels(tmp_path, str(LARGE), str(LARGE + 1))
    with pytest.raises(mlp.DataError, match="labels must be integers below 2\\^53 or texts"):
        mlp.MLPClassifier().fit([[0.0], [1.0]], y)
    model = mlp.MLPClassifier().fit([[0.0], [1.0]], y.astype(str)).model_
    assert model.labels == [str(LARGE), str(LARGE + 1)]


def test_bounds_what_a_compressed_file_contains(tmp_path) -> None:
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(300):
            file.write(b"0\n" * 500_000)
    limit = 2**26 + 256 * path.stat().st_size
    sentence = f"^.*bomb.csv.gz: the compressed data hold too much; expected at most {limit} bytes$"
    with pytest.raises(mlp.DataError, match=sentence):
        mlp.read_csv(path)


def test_compares_what_a_compressed_file_contains_with_the_memory(tmp_path) -> None:
    path = tmp_path / "large.csv.gz"
    path.write_bytes(gzip.compress(b"0\n" * 40_000_000))
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 70_000_000, hard))
    sentence = (
        "large.csv.gz: the compressed data hold more than 34 MB, and the next part needs 80 MB of "
        r"memory; [0-9]+ MB are available \(limit of the address space, ulimit -v\); use a "
    )
    try:
        with pytest.raises(mlp.ResourceError, match=sentence):
            mlp.read_csv(path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


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
    with pytest.raises(mlp.ParamError, match="^decimal must be '.' or ',', got 'x'$"):
        mlp.read_csv(DATA / "iris.csv", decimal="x")
    with pytest.raises(mlp.ParamError, match="^decimal must be '.' or ','; got '::'$"):
        mlp.read_csv(DATA / "iris.csv", decimal="::")
    for na in ("NA", [""]):
        with pytest.raises(mlp.ParamError, match="^na must be a sequence of texts that are not"):
            mlp.read_csv(DATA / "iris.csv", na=na)
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
    check_table(mlp.read_arrow(polars.from_arrow(arrow_table).lazy(), **options))


def test_reads_parquet_files_and_folders(arrow_table, tmp_path) -> None:
    import pyarrow.dataset
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow_table, tmp_path / "t.parquet")
    check_table(mlp.read_parquet(tmp_path / "t.parquet", label="kind", weight="w"))
    folder = tmp_path / "partitioned"
    pyarrow.parquet.write_to_dataset(arrow_table, folder, partition_cols=["kind"])
    table = mlp.read_parquet(folder, label="kind", weight="w")
    assert sorted(zip(table.X[:, 0].tolist(), table.y.tolist())) == [(1, "x"), (2, "y"), (3, "x")]


def test_reads_only_the_columns_of_a_single_file(arrow_table, tmp_path) -> None:
    import pyarrow.parquet

    folder = tmp_path / "run=3"
    folder.mkdir()
    path = folder / "date=2020.parquet"
    pyarrow.parquet.write_table(arrow_table, path)
    check_table(mlp.read_parquet(path, label="kind", weight="w"))
    check_table(mlp.read_parquet(folder, label="kind", weight="w"))
    assert mlp.read_parquet(tmp_path, label="kind", weight="w").feature_names == ["a", "b", "run"]


def test_refuses_labels_that_are_dates() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"a": [1.0], "y": pyarrow.array([0], pyarrow.date32())})
    sentence = "^table: column 'y' has dates; expected numbers or texts; make numbers of them, "
    with pytest.raises(mlp.DataError, match=sentence):
        mlp.read_arrow(table, label="y")


def test_reads_texts_and_missing_values_of_tables_as_those_of_files(arrow_table, tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"colour": ["red", None, "blue", "red"], "size": [1.5, 2.0, None, 4.0],
               "kind": pyarrow.array(["1", "2", "1", "1"]).dictionary_encode(),
               "y": [True, False, True, True]}
    options = {"label": "y", "missing": "mean", "one_hot": "auto"}
    table = mlp.read_arrow(pyarrow.table(columns), **options)
    path = tmp_path / "t.csv"
    path.write_text("colour,size,kind,y\nred,1.5,1,True\n,2,2,False\nblue,,1,True\nred,4,1,True\n")
    other = mlp.read_csv(path, label="y", missing="mean", one_hot=["colour", "kind"])
    assert table.feature_names == other.feature_names
    assert table.X.tolist() == other.X.tolist()
    assert table.y.tolist() == other.y.tolist() == ["True", "False", "True", "True"]
    again = mlp.read_arrow(pyarrow.table(columns).slice(1, 2), label="y", like=table)
    assert again.X.tolist() == table.X[1:3].tolist()


def test_reads_long_integers_of_labels_exactly() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    labels = pyarrow.array([2**53 + 1, -3])
    for y in (labels, labels.dictionary_encode(), labels.cast(pyarrow.decimal128(20, 0))):
        table = pyarrow.table({"a": [1.0, 2.0], "y": y})
        for label in ("y", 1, -1, "1"):
            assert mlp.read_arrow(table, label=label).y.tolist() == [2**53 + 1, -3]


def test_reads_integers_of_every_type() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for kind in ("int8", "uint8", "int32", "uint64", "bool"):
        table = pyarrow.table({"a": pyarrow.array([0, 1]).cast(kind)})
        assert mlp.read_arrow(table).X.tolist() == [[0], [1]]


def test_names_the_columns_that_cannot_be_read(arrow_table, tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(mlp.DataError, match="^table:1: expected a number in column 'kind', got 'x'"):
        mlp.read_arrow(arrow_table)
    with pytest.raises(mlp.DataError, match="no column is the label 'z'"):
        mlp.read_arrow(arrow_table, label="z")
    with pytest.raises(mlp.DataError, match="column 'a' has timestamps; expected numbers or texts"):
        mlp.read_arrow(pyarrow.table({"a": pyarrow.array([0], pyarrow.timestamp("s"))}))
    with pytest.raises(mlp.DataError, match="^table:2: expected a number in column 'a', got no val"):
        mlp.read_arrow(pyarrow.table({"a": [1.0, None]}))
    (tmp_path / "t.parquet").write_text("no parquet")
    with pytest.raises(mlp.DataError, match="t.parquet"):
        mlp.read_parquet(tmp_path / "t.parquet")


def test_reads_several_files_as_one(tmp_path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "part-0.csv").write_text("x,c,kind\n1,a,0\n")
    (parts / "part-1.csv").write_text("x,c,kind\n2,b,no\n")
    (parts / "part-2.csv").write_text("")
    (parts / "_SUCCESS").write_text("")
    files = [parts / "part-1.csv", str(parts / "part-0.csv")]
    for path in (parts, files, parts / "part-*.csv"):
        table = mlp.read_csv(path, one_hot="auto")
        assert table.feature_names == ["x", "c=a", "c=b"]
        assert table.X.tolist() == [[1, 1, 0], [2, 0, 1]]
        assert table.y.tolist() == ["0", "no"]


def test_names_the_file_of_several_that_is_wrong(tmp_path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("x,kind\n1,a\n")
    second.write_text("x,kind\n1,a\n?,b\n")
    with pytest.raises(mlp.DataError, match=r"b\.csv:3:1: expected a number"):
        mlp.read_csv([first, second])
    with pytest.raises(mlp.DataError, match="is the same file as"):
        mlp.read_csv([first, first])
    with pytest.raises(mlp.ParamError, match="paths must be at least one file"):
        mlp.read_csv([])


def test_read_finds_the_format_of_a_file(arrow_table, tmp_path) -> None:
    from pyarrow import feather, parquet

    parquet.write_table(arrow_table, tmp_path / "t.parquet")
    feather.write_feather(arrow_table, tmp_path / "t.feather")
    (tmp_path / "t.csv").write_text(arrow_table.to_pandas().to_csv(index=False))
    for name in ("t.parquet", "t.feather", "t.csv"):
        check_table(mlp.read(tmp_path / name, label="kind", weight="w"))
    (tmp_path / "t.libsvm").write_text("1 2:0.5\n")
    np.save(tmp_path / "t.npy", np.eye(2))
    assert mlp.read(tmp_path / "t.libsvm", num_features=3).X.tolist() == [[0, 0.5, 0]]
    assert mlp.read(tmp_path / "t.npy", scale=2).X.tolist() == [[0.5, 0], [0, 0.5]]


def test_read_takes_several_files_and_folders_of_columns(arrow_table, tmp_path) -> None:
    from pyarrow import parquet

    for day in (1, 2):
        folder = tmp_path / "parts" / f"day={day}"
        folder.mkdir(parents=True)
        parquet.write_table(arrow_table, folder / "t.parquet")
    table = mlp.read(tmp_path / "parts", label="kind", weight="w")
    assert table.feature_names == ["a", "b", "day"]
    assert table.X[:, 2].tolist() == [1, 1, 1, 2, 2, 2]
    assert mlp.read_parquet(tmp_path / "parts", label="day", ignore=["kind"]).y.tolist() == [
        1, 1, 1, 2, 2, 2]
    with pytest.warns(mlp.ColumnWarning, match="name the column 'day', which the rows do not get"):
        several = mlp.read(tmp_path / "parts" / "*" / "t.parquet", label="kind", weight="w")
    assert several.feature_names == ["a", "b"]


def test_read_takes_vectors_that_are_texts(tmp_path) -> None:
    (tmp_path / "v.csv").write_text('label,v\n0,"[1.0,2.0]"\n1,"(2,[1],[3.0])"\n')
    table = mlp.read(tmp_path / "v.csv")
    assert table.feature_names == ["v_0", "v_1"]
    assert table.X.tolist() == [[1, 2], [0, 3]]
    assert table.y.tolist() == [0, 1]


def test_read_takes_parts_of_libsvm(tmp_path) -> None:
    (tmp_path / "part-0").write_text("0 1:1\n")
    (tmp_path / "part-1").write_text("1 3:2\n")
    (tmp_path / "_SUCCESS").write_text("")
    assert mlp.read_libsvm(tmp_path).X.tolist() == [[1, 0, 0], [0, 0, 2]]
    assert mlp.read_libsvm([tmp_path / "part-1", tmp_path / "part-0"]).y.tolist() == [0, 1]


def test_read_reads_only_the_columns_of_a_table_that_are_used(tmp_path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    names = ["t", "x", "l", "x", "y"]
    arrays = [pyarrow.array([0], pyarrow.timestamp("s")), pyarrow.array([1.5]),
              pyarrow.array([[1]]), pyarrow.array([2.5]), pyarrow.array([1])]
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), path)
    table = mlp.read(path, label="y", ignore=["t", "l"], features=["1", "3"])
    assert table.X.tolist() == [[1.5, 2.5]]


def test_read_names_a_damaged_table(arrow_table, tmp_path) -> None:
    from pyarrow import feather, parquet

    for name, write in (("t.parquet", parquet.write_table), ("t.feather", feather.write_feather)):
        path = tmp_path / name
        write(arrow_table, path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(mlp.DataError, match=f"{name}: cannot be read"):
            mlp.read(path, label="kind")
