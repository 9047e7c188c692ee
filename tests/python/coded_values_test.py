# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Values of columns that repeat are read once, and mean what they mean row by row."""
import decimal
import math
from typing import Any

import numpy as np
import pytest
from mlp.tables.coded_values import Coded, as_floats, as_texts, code_objects, keep_used
from mlp.tables.columns import list_columns

TEXTS = ["b", "a", None, "b", "ä"]


def decoded(values: Any) -> list[Any]:
    """The values of all rows, None where one is missing."""
    texts, codes, rows = as_texts(values)
    assert [codes.tolist().index(at) for at in range(len(texts))] == rows.tolist()
    return [texts[code] for code in codes]


def test_each_value_is_kept_once_in_the_order_of_its_first_row() -> None:
    values, codes, rows = code_objects(["b", "a", "b", None, "a"])
    assert values == ["b", "a", None]
    assert codes.tolist() == [0, 1, 0, 2, 1]
    assert rows.tolist() == [0, 1, 3]


def test_values_that_no_row_has_are_left_out() -> None:
    values, codes, rows = keep_used(["x", "y", "z"], np.array([2, -1, 2], dtype=np.int8))
    assert values == ["z", None]
    assert codes.tolist() == [0, 1, 0]
    assert rows.tolist() == [0, 1]


@pytest.mark.parametrize("objects, texts", [
    ([1, 1.0, "1"], ["1", "1", "1"]),
    ([True, 1, 1.0], ["True", "1", "1"]),
    ([True, "True", None], ["True", "True", None]),
    ([decimal.Decimal("1.0"), decimal.Decimal("1.00")], ["1.0", "1.00"]),
    ([np.float64(2.0), np.str_("x")], ["2", "x"]),
    ([float("nan"), " a\t", None], [None, " a\t", None]),
    ([[1], [1]], ["[1]", "[1]"]),
    ([], []),
])
def test_equal_values_that_are_different_texts_stay_different(objects, texts) -> None:
    assert decoded(code_objects(objects)) == texts


def test_numbers_are_those_of_the_rows() -> None:
    numbers = as_floats(code_objects(["1.5", None, "True", "1.5"]), "x")
    assert numbers.tolist()[0:1] + numbers.tolist()[2:] == [1.5, 1.0, 1.5]
    assert math.isnan(numbers[1])


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "object": pandas.Series(TEXTS, dtype=object),
        "string": pandas.Series(TEXTS, dtype="string"),
        "category": pandas.Categorical(TEXTS, categories=["unused", "ä", "a", "b"], ordered=True),
    })
    frame["str"] = frame["string"].astype("str")
    assert [decoded(column) for column in list_columns(frame)] == [TEXTS] * 4
    numbers = pandas.DataFrame({
        "Int64": pandas.array([3, None, 2**60 + 1], dtype="Int64"),
        "Float64": pandas.array([3.5, None, 0.0], dtype="Float64"),
        "boolean": pandas.array([True, None, False], dtype="boolean"),
        "sparse": pandas.arrays.SparseArray([0.5, np.nan, 0.0]),
    })
    integers, floats, truths, sparse = list_columns(numbers)
    assert decoded(integers) == ["3", None, str(2**60 + 1)]
    assert decoded(truths) == ["True", None, "False"]
    assert as_floats(truths, "x")[[0, 2]].tolist() == [1.0, 0.0]
    assert floats[[0, 2]].tolist() == [3.5, 0.0] and math.isnan(floats[1])
    assert sparse[[0, 2]].tolist() == [0.5, 0.0] and math.isnan(sparse[1])


def test_columns_of_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({
        "string": TEXTS,
        "categorical": polars.Series(TEXTS, dtype=polars.Categorical),
        "enum": polars.Series(TEXTS, dtype=polars.Enum(["unused", "ä", "a", "b"])),
        "object": polars.Series(TEXTS, dtype=polars.Object),
    })
    assert [decoded(column) for column in list_columns(frame)] == [TEXTS] * 4
    assert decoded(list_columns(frame[1:4])[1]) == TEXTS[1:4]
    large = polars.DataFrame({"x": polars.Series([2**100, None], dtype=polars.Int128)})
    assert as_floats(list_columns(large)[0], "x")[0] == 2.0**100


def arrow_columns() -> dict[str, Any]:
    pyarrow = pytest.importorskip("pyarrow")
    first = pyarrow.DictionaryArray.from_arrays([0, 1, None], ["b", "a"])
    second = pyarrow.DictionaryArray.from_arrays([1, 0], ["ä", "b"])
    null_within = pyarrow.DictionaryArray.from_arrays(
        [0, 1, 2, 0, 3], ["b", "a", None, "ä"]
    )
    unsigned = pyarrow.dictionary(pyarrow.uint32(), pyarrow.string())
    return {
        "string": pyarrow.chunked_array([TEXTS[:2], TEXTS[2:]]),
        "large": pyarrow.chunked_array([pyarrow.array(["x", *TEXTS], "large_string")[1:]]),
        "view": pyarrow.chunked_array([pyarrow.array(TEXTS, "string_view")]),
        "dictionaries": pyarrow.chunked_array([first, second]),
        "null": pyarrow.chunked_array([null_within]),
        "unsigned": pyarrow.chunked_array([first.cast(unsigned), second.cast(unsigned)]),
    }


@pytest.mark.parametrize("name", ["string", "large", "view", "dictionaries", "null", "unsigned"])
def test_columns_of_arrow(name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({name: arrow_columns()[name]})
    assert decoded(list_columns(table)[0]) == TEXTS
    assert decoded(list_columns(table.slice(1, 3))[0]) == TEXTS[1:4]
    assert decoded(list_columns(table.slice(0, 0))[0]) == []


def test_other_columns_of_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    price = [decimal.Decimal("1.50"), None]
    table = pyarrow.table({
        "decimal": pyarrow.array(price), "truth": [True, None], "none": pyarrow.nulls(2),
        "half": pyarrow.array([1.5, None], "float16"), "small": pyarrow.array([3, None], "int8"),
    })
    columns = list_columns(table)
    assert [decoded(column) for column in columns[:3]] == [
        ["1.50", None], ["True", None], [None, None],
    ]
    assert [as_floats(column, "x")[0] for column in columns[3:]] == [1.5, 3.0]
    assert isinstance(columns[0], Coded)


def test_dictionaries_with_too_many_values_for_one_are_read() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    codes = pyarrow.array(range(100), "int8")
    chunks = [
        pyarrow.DictionaryArray.from_arrays(codes, [f"{part}{i}" for i in range(100)])
        for part in "ab"
    ]
    column = list_columns(pyarrow.table({"x": pyarrow.chunked_array(chunks)}))[0]
    assert decoded(column) == [f"{part}{i}" for part in "ab" for i in range(100)]
