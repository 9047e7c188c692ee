# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Small folders that say they are large: refused before memory is allocated."""

import json
import pathlib
import re
import resource
import shutil
from typing import Any

import numpy as np
import pytest
from mlp import ModelError
from mlp.formats import read_spark

from formats.networks import GOLDEN

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

MANY = 20_000_000  # numbers: 160 MB
MOST_BYTES = 2**29


@pytest.fixture
def classifier(tmp_path: pathlib.Path) -> pathlib.Path:
    source = GOLDEN / "spark-3.5/iris_default.model"
    return pathlib.Path(shutil.copytree(source, tmp_path / "model"))


@pytest.fixture
def pipeline(tmp_path: pathlib.Path) -> pathlib.Path:
    source = GOLDEN / "spark-pipeline/iris.model"
    return pathlib.Path(shutil.copytree(source, tmp_path / "model"))


def stage_of(pipeline: pathlib.Path, number: int) -> pathlib.Path:
    return next((pipeline / "stages").glob(f"{number}_*"))


def write_row(folder: pathlib.Path, **columns: Any) -> pathlib.Path:
    """Replaces the row of a stage; columns are arrays of Arrow or lists."""
    file = next((folder / "data").glob("part-*"))
    parquet.write_table(arrow.table(columns), file, compression="zstd")
    return file


def vector_type() -> Any:
    return arrow.struct({
        "type": arrow.int8(), "size": arrow.int32(), "indices": arrow.list_(arrow.int32()),
        "values": arrow.list_(arrow.float64()),
    })


def vector(**members: Any) -> Any:
    return arrow.array([members], vector_type())


def zeros(count: int) -> Any:
    """A dense vector of zeros."""
    values = arrow.ListArray.from_arrays([0, count], arrow.array(np.zeros(count)))
    fields = vector_type()
    columns = [
        arrow.array([1], arrow.int8()), arrow.nulls(1, arrow.int32()),
        arrow.nulls(1, fields.field("indices").type), values,
    ]
    return arrow.StructArray.from_arrays(columns, fields=list(fields))


def set_layers(folder: pathlib.Path, layers: str) -> None:
    file = folder / "metadata" / "part-00000"
    text = file.read_text()
    assert "[4,5,4,3]" in text
    file.write_text(text.replace("[4,5,4,3]", layers))


def check_refused(folder: pathlib.Path, sentence: str) -> None:
    """The sentence comes without much more memory than the process has."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    with pytest.raises(ModelError, match=re.escape(sentence) + "$"):
        read_spark(folder)

    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert after - before < MOST_BYTES


SPARSE = {"type": 0, "size": 64, "indices": [1, 63], "values": [2.0, 3.0]}
# The members of the vector of weights that differ from SPARSE, and the sentence.
VECTORS = {
    "size": (
        {"size": 2**31 - 1}, "weights must be 64 numbers for layers [4, 5, 4, 3]; got 2147483647"),
    "negative size": ({"size": -64}, "weights must be 64 numbers for layers [4, 5, 4, 3]; got -64"),
    "no size": ({"size": None}, "weights must be 64 numbers for layers [4, 5, 4, 3]; got None"),
    "negative index": ({"indices": [-1, 3]}, "weights must have indices from 0 to 63; got -1"),
    "large index": ({"indices": [1, 64]}, "weights must have indices from 0 to 63; got 64"),
    "duplicate": ({"indices": [5, 5]}, "weights must have ascending indices; got 5 after 5"),
    "order": ({"indices": [9, 5]}, "weights must have ascending indices; got 5 after 9"),
    "few indices": (
        {"indices": [5]}, "weights must have as many indices as values, 2; got 1"),
    "type": ({"type": 2}, "weights must have the type 0, sparse, or 1, dense; got 2"),
    "no indices": (
        {"indices": None},
        "weights must be a vector of Spark ML, of integer numbers; got nothing"),
    "no values": (
        {"values": None},
        "weights must be a vector of Spark ML, of floating numbers; got nothing"),
    "missing value": (
        {"values": [1.0, None]},
        "weights must be a vector of Spark ML, of floating numbers; got 1 missing ones"),
    "few values of a dense one": (
        {"type": 1, "size": None, "indices": None},
        "weights must be 64 numbers for layers [4, 5, 4, 3]; got 2"),
}


@pytest.mark.parametrize("name", VECTORS)
def test_refuses_a_vector_that_is_not_that_of_the_layers(
    name: str, classifier: pathlib.Path
) -> None:
    changes, sentence = VECTORS[name]
    write_row(classifier, weights=vector(**(SPARSE | changes)))

    check_refused(classifier, sentence)


def test_refuses_texts_and_fractions_in_a_vector(classifier: pathlib.Path) -> None:
    members = {"type": 1, "size": None, "indices": None, "values": ["1.5"] * 64}
    write_row(classifier, weights=[members])
    check_refused(
        classifier,
        "weights must be a vector of Spark ML, of floating numbers; got dictionary<values=string, "
        "indices=int32, ordered=0>",
    )
    write_row(classifier, weights=[SPARSE | {"indices": [1.5, 2.5]}])
    check_refused(
        classifier, "weights must be a vector of Spark ML, of integer numbers; got double"
    )


def test_refuses_many_rows_of_a_small_file(classifier: pathlib.Path) -> None:
    column = arrow.nulls(50_000_000, arrow.float64())
    file = write_row(classifier, weights=column)

    assert file.stat().st_size < 200_000
    check_refused(classifier, "data: must have one row; got 50000000")


@pytest.fixture(scope="module")
def many_zeros(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A file whose vector has many numbers in few bytes."""
    folder = tmp_path_factory.mktemp("zeros")
    (folder / "data").mkdir()
    (folder / "data" / "part-0.parquet").touch()
    column = zeros(MANY)
    return write_row(folder, weights=column, mean=column, std=column)


def test_refuses_many_weights_of_a_small_file(
    classifier: pathlib.Path, many_zeros: pathlib.Path
) -> None:
    shutil.copyfile(many_zeros, next((classifier / "data").glob("part-*")))

    check_refused(
        classifier,
        "the column weights must have at most 64 values, as the layers of the network say; got "
        f"{MANY}",
    )


def test_refuses_weights_that_are_much_larger_than_their_file(
    classifier: pathlib.Path, many_zeros: pathlib.Path
) -> None:
    set_layers(classifier, "[1,10000000]")
    shutil.copyfile(many_zeros, next((classifier / "data").glob("part-*")))
    with pytest.raises(ModelError, match="the column weights must have at most [0-9]+ bytes in a "):
        read_spark(classifier)


def test_refuses_sparse_weights_that_are_much_larger_than_their_file(
    classifier: pathlib.Path,
) -> None:
    set_layers(classifier, "[1048575,1000,2]")
    size = 1048576 * 1000 + 1001 * 2
    write_row(classifier, weights=vector(**(SPARSE | {"size": size})))

    with pytest.raises(ModelError, match=f"bytes in a file of this size; got {8 * size}$"):
        read_spark(classifier)


@pytest.mark.parametrize("layers", ["[4,-5,3]", "[4,0,3]", "[true,3]", "[4.0,3]", "[4]"])
def test_refuses_layers_that_are_no_sizes(layers: str, classifier: pathlib.Path) -> None:
    set_layers(classifier, layers)

    check_refused(classifier, f"layers must be sizes; got {json.loads(layers)!r}")


def test_compares_the_layers_of_spark_2_before_the_weights(tmp_path: pathlib.Path) -> None:
    source = GOLDEN / "spark-2.4/mlp-2.4.4.model"
    folder = pathlib.Path(shutil.copytree(source, tmp_path / "model"))
    layers = arrow.ListArray.from_arrays([0, MANY], arrow.array(np.ones(MANY, np.int32)))
    write_row(folder, layers=layers, weights=zeros(1))

    check_refused(
        folder,
        "the column layers must have at most 257 values, as the layers of the network say; got "
        f"{MANY}",
    )


def test_refuses_a_scaler_of_another_width(
    pipeline: pathlib.Path, many_zeros: pathlib.Path
) -> None:
    scaler = stage_of(pipeline, 2)
    write_row(scaler, mean=vector(**SPARSE), std=vector(**SPARSE))
    check_refused(pipeline, "mean must be 4 numbers for the 4 features of the network; got 64")

    shutil.copyfile(many_zeros, next((scaler / "data").glob("part-*")))
    check_refused(
        pipeline,
        "the column mean must have at most 4 values, as the layers of the network say; got "
        f"{MANY}",
    )


def test_refuses_more_labels_than_classes(pipeline: pathlib.Path) -> None:
    indexer = stage_of(pipeline, 0)
    write_row(indexer, labelsArray=arrow.array([[["a"] * 1_000_000]]))

    check_refused(
        pipeline,
        "the column labelsArray must have at most 3 values, as the layers of the network say; got "
        "1000000",
    )


def test_refuses_labels_that_are_much_larger_than_their_file(pipeline: pathlib.Path) -> None:
    indexer = stage_of(pipeline, 0)
    write_row(indexer, labelsArray=arrow.array([[["a" * 60_000_000] * 2]]))

    with pytest.raises(ModelError, match="column labelsArray must have at most [0-9]+ bytes in a "):
        read_spark(pipeline)


def test_refuses_labels_of_two_columns(pipeline: pathlib.Path) -> None:
    write_row(stage_of(pipeline, 0), labelsArray=arrow.array([[["a", "b"], ["c"]]]))

    check_refused(
        pipeline,
        "labelsArray must be the labels of one column; got [['a', 'b'], ['c']]",
    )


def test_refuses_metadata_that_no_stage_has(classifier: pathlib.Path) -> None:
    with (classifier / "metadata" / "part-00000").open("r+b") as file:
        file.truncate(2**33)

    check_refused(
        classifier, f"metadata: must have at most {2**26} bytes; got {2**33}"
    )
