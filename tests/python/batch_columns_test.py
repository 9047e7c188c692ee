# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Batches whose columns differ in order or type are those of one table, or are refused."""
import decimal
import re

import numpy as np
import pytest

import mlp

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(name="frame")
def fixture_frame():
    random = np.random.default_rng(3)
    frame = pandas.DataFrame({"a": random.integers(0, 9, 60), "b": random.normal(size=60)})
    return frame.assign(y=(frame["a"] > 4).astype(int))


def fit(*arguments) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(layers=[2, 3, 2], max_iter=5, standardize=True).fit(*arguments)


def with_parts(frame, change) -> list:
    """Two parts of a table, the second one changed."""
    return [frame.iloc[:30], change(frame.iloc[30:])]


CHANGES = {
    "order": lambda frame: frame[["y", "b", "a"]],
    "type": lambda frame: frame.astype({"a": float, "b": "float32", "y": "uint8"}),
    "row names": lambda frame: frame.set_index(np.arange(100, 130)),
    "Arrow": lambda frame: pyarrow.table(frame.astype({"a": "int8"})),
}


@pytest.mark.parametrize("name", CHANGES)
def test_batches_of_other_orders_and_types_give_the_model_of_the_whole(name, frame) -> None:
    frame["b"] = frame["b"].astype("float32").astype(float)
    model = fit(iter(with_parts(frame, CHANGES[name])), "y")
    assert model.model_ == fit(frame, "y").model_
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_dictionaries_are_their_values(frame) -> None:
    texts = frame.assign(y=np.where(frame["y"] == 1, "yes", "no"))
    parts = with_parts(texts, lambda part: part.astype({"y": "category"}))
    expected = fit(texts, "y")
    for given in (parts, parts[::-1]):
        assert fit(iter(given), "y").classes_.tolist() == expected.classes_.tolist()
    assert fit(iter(parts), "y").model_ == expected.model_


@pytest.mark.parametrize("change, sentence", [
    (lambda frame: frame[["a", "y"]],
     "batch 1 has no column 'b'; expected the columns of batch 0, ['a', 'b', 'y']; got ['a', 'y']"),
    (lambda frame: frame.assign(c=1.0), "batch 1 has an additional column 'c'; expected the"),
    (lambda frame: frame.assign(a="x"),
     "column 'a' of batch 1 has the type string; expected double as in batch 0; convert"),
    (lambda frame: pyarrow.table([frame["b"]] * 4, names=["a", "b", "y", "a"]),
     "batch 1 has its columns in another order, and several columns 'a'; expected"),
    (lambda frame: 3, "X must have record batches or data frames as its parts; got int"),
])
def test_refuses_a_batch_with_other_columns(change, sentence, frame) -> None:
    with pytest.raises(mlp.DataError) as raised:
        fit(iter(with_parts(frame, change)), "y")
    assert str(raised.value).replace("large_string", "string").startswith(sentence)


def test_a_reader_whose_batches_have_other_types_than_its_schema_is_read_by_their_types(frame) -> None:
    schema = pyarrow.schema([("a", "double"), ("b", "double"), ("y", "int64")])
    batches = [batch for part in with_parts(frame, lambda part: part)
               for batch in pyarrow.Table.from_pandas(part, preserve_index=False).to_batches()]
    reader = pyarrow.RecordBatchReader.from_batches(schema, iter(batches))
    assert fit(reader, "y").model_ == fit(frame, "y").model_


def test_refuses_a_reader_whose_batches_differ_in_type(frame) -> None:
    first, second = with_parts(frame, lambda part: part.assign(a="x"))
    batches = [pyarrow.RecordBatch.from_pandas(part, preserve_index=False)
               for part in (first, second)]
    reader = pyarrow.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    with pytest.raises(mlp.DataError, match="^column 'a' of batch 1 has the type .*string; expec"):
        fit(reader, "y")
    reader = pyarrow.RecordBatchReader.from_batches(batches[0].schema, iter(batches))
    with pytest.raises((mlp.DataError, pyarrow.ArrowInvalid), match="[Ss]chema|type"):
        mlp.read_arrow(reader, label="y")


@pytest.mark.parametrize("types", [(bool, int), (int, bool), (bool, float), ("boolean", bool)])
def test_truth_values_and_numbers_are_one_type_of_features(types, frame) -> None:
    frame["a"] = frame["a"] > 4
    whole = fit(frame.astype({"a": float}), "y")
    parts = [part.astype({"a": kind}) for part, kind in
             zip(with_parts(frame, lambda part: part), types)]
    assert fit(iter(parts), "y").model_ == whole.model_


def test_decimals_of_other_precisions_are_numbers(frame) -> None:
    whole = fit(frame.assign(a=frame["a"] / 4), "y")
    parts = [
        frame.iloc[:30].assign(a=[decimal.Decimal(int(a)) / 4 for a in frame["a"][:30]]),
        frame.iloc[30:].assign(a=[decimal.Decimal(int(a)) / 4 + decimal.Decimal("0.000")
                                  for a in frame["a"][30:]]),
    ]
    assert fit(iter(parts), "y").model_ == whole.model_


def test_truth_values_are_no_numbers_as_labels(frame) -> None:
    texts = frame.assign(y=frame["y"] == 1)
    assert fit(iter(with_parts(texts, lambda part: part)), "y").classes_.tolist() == [
        "False", "True",
    ]
    with pytest.raises(mlp.DataError, match="column 'y' of batch 1 has the type int64; expected b"):
        fit(iter(with_parts(texts, lambda part: part.astype({"y": int}))), "y")


def test_an_error_of_an_iterator_reaches_the_caller(frame) -> None:
    def parts():
        yield frame
        raise LookupError("no more rows")

    with pytest.raises(LookupError, match="^no more rows$"):
        fit(parts(), "y")


def test_frames_with_labels_are_matched_by_name(frame) -> None:
    parts = with_parts(frame, lambda part: part[["b", "y", "a"]])
    pairs = [(part.drop(columns="y"), part["y"]) for part in parts]
    whole = fit(frame[["a", "b"]], frame["y"])
    model = fit(iter(pairs))
    assert model.model_ == whole.model_
    assert model.feature_names_in_.tolist() == ["a", "b"]
    pairs[1] = (pairs[1][0].rename(columns={"a": "c"}), pairs[1][1])
    sentence = "batch 1 has no column 'a'; expected the columns of batch 0, ['a', 'b']"
    with pytest.raises(mlp.DataError, match=f"^{re.escape(sentence)}"):
        fit(iter(pairs))


def test_arrays_after_a_frame_have_its_order(frame) -> None:
    first, second = with_parts(frame, lambda part: part)
    pairs = [(first[["a", "b"]], first["y"]), (second[["a", "b"]].to_numpy(), second["y"])]
    assert fit(iter(pairs)).model_ == fit(frame[["a", "b"]], frame["y"]).model_


def test_a_filtered_data_set_gives_the_model_of_its_rows(frame, tmp_path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    frame.to_parquet(tmp_path / "t.parquet")
    source = dataset.dataset(tmp_path).filter(dataset.field("a") != 3)
    expected = fit(frame[frame["a"] != 3], "y")
    assert fit(source, "y").model_ == expected.model_
