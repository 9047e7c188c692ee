# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Values of features, and the types that hold them."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..case import BASE, INF, LABELS, NAN, PREDICTS_NAN, ROWS, Case, Table, scaled, with_value
from ..encoding import categories_of

AS_SPARK = {name: ("predicts", "NaN gives NaN, as in Spark") for name in ("c", "jvm", "spark")}
NAN_AS_SPARK = {name: (PREDICTS_NAN, "NaN gives NaN, as in Spark") for name in ("c", "jvm", "spark")}
NO_NULLS = {name: ("data", "vectors of Spark have no missing values") for name in ("jvm", "spark")}
NO_ADVICE = {"sklearn": ("trains", "scikit-learn leaves the scale of features to its users")}


def column(values: Any) -> Table:
    """Returns the rows with another second column."""
    rows = tuple((row[0], values(i, row[1]), row[2]) for i, row in enumerate(ROWS))
    return replace(BASE, rows=rows)


def fit(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("values", given, outcome, table=table, **more)


def predict(given: str, outcome: str, table: Table, **more: Any) -> Case:
    return Case("values", given, outcome, "predict", replace(table, labels=None), **more)


def encoded(given: str, outcome: str, rules: str, *row: Any) -> Case:
    """Predicts rows of color and x with a model that encodes them."""
    first = (categories_of(rules)[0], 2.0)
    table = Table((first, row), names=("color", "x"), kind="pandas")
    return Case("values", given, outcome, "predict", table, model=rules)


def of_kind(given: str, outcome: str, kind: str, rows: Any = ROWS) -> Case:
    return fit(given, outcome, Table(rows, LABELS, kind=kind))


WHOLE = tuple(tuple(round(10 * x) for x in row) for row in ROWS)
TRUTHS = tuple(tuple(x > 0.5 for x in row) for row in ROWS)
DATES = tuple((f"2020-01-{1 + i % 28:02d}", *row[1:]) for i, row in enumerate(ROWS))
# Each row has at most one value that is not zero. The last row has it in the last feature.
NUM_SPARSE = 1394
SPARSE = Table(
    tuple(tuple(float(j == 7 * i) for j in range(NUM_SPARSE)) for i in range(200)),
    tuple(i % 2 for i in range(200)),
)
UNEVEN = column(lambda i, x: 1e6 * x)

# One training of a network that the table chooses.
CHOSEN: dict[str, Any] = {"params": {"layers": None}, "effort": "quick"}


def text_table(text: Any) -> Table:
    """Returns rows whose second column is a text."""
    rows = tuple((row[0], text(i), row[2]) for i, row in enumerate(ROWS))
    return Table(rows, LABELS, names=("a", "b", "c"), kind="pandas")


CASES = [
    fit("a feature of NaN", "data", with_value(NAN)),
    fit("an infinite feature", "data", with_value(INF)),
    fit("a feature of minus infinity", "data", with_value(-INF)),
    fit("a feature of NaN with standardize", "data", with_value(NAN), standardize=True),
    fit("a missing feature", "data", with_value(None), needs=("missing values",)),
    predict("a feature of NaN to predict", "data", with_value(NAN), differs=AS_SPARK),
    predict("an infinite feature to predict", "data", with_value(INF), differs=AS_SPARK),
    predict("a missing feature to predict", "data", with_value(None),
            needs=("missing values",)),
    predict("a feature of NaN to predict by a model with means", "predicts", with_value(NAN),
            network="merged", differs=NAN_AS_SPARK),
    predict("a missing feature to predict by a model with means", "predicts", with_value(None),
            network="merged", differs=NO_NULLS, needs=("missing values",)),
    predict("an infinite feature to predict by a model with means", "data", with_value(INF),
            network="merged", differs=AS_SPARK),
    encoded("a known category", "predicts", "refuses unknown", "red", 1.0),
    encoded("an unknown category", "data", "refuses unknown", "green", 1.0),
    encoded("an unknown category that the model ignores", "predicts", "ignores unknown",
            "green", 1.0),
    encoded("a category with blanks around it", "predicts", "refuses unknown", " red\t", 1.0),
    encoded("a truth value in small letters", "predicts", "has truth values", "true", 1.0),
    encoded("a truth value in capitals", "predicts", "has truth values", "FALSE", 1.0),
    encoded("another text than a truth value", "data", "has truth values", "yes", 1.0),
    encoded("a category with another exponent", "predicts", "has small numbers", "1e-7", 1.0),
    encoded("a category without its decimal", "predicts", "has small numbers", "2", 1.0),
    encoded("a rare spelling of a category beside a feature for rare ones", "predicts",
            "shares small numbers", "2", 1.0),
    encoded("another number than a category, which shares a feature", "predicts",
            "shares small numbers", "3", 1.0),
    encoded("another number than a category", "data", "has small numbers", "3", 1.0),
    encoded("a missing category", "predicts", "refuses unknown", "NA", 1.0),
    encoded("an unknown category that shares a feature", "predicts", "has extra features",
            "green", 1.0),
    encoded("a missing number that has a feature", "predicts", "has extra features", "red",
            None),
    encoded("a number that the model takes as missing", "predicts", "-999 is missing",
            "red", -999.0),
    encoded("a text that the model takes as missing", "predicts", "-999 is missing", "none", 1.0),
    encoded("a default text for missing that the model replaces", "data", "-999 is missing",
            "NA", 1.0),
    predict("features of 1e300 to predict", "predicts", scaled(1e300)),
    fit("denormal features", "trains", scaled(5e-324)),
    fit("a denormal column with standardize", "trains", column(lambda i, x: x * 1e-310),
        standardize=True),
    fit("a column that is constant", "trains", column(lambda i, x: 5.0),
        silent=("unevenScale",)),
    fit("a constant column with standardize", "trains", column(lambda i, x: 5.0),
        standardize=True, silent=("unevenScale",)),
    fit("all features constant", "trains", replace(BASE, rows=((1.0, 2.0, 3.0),) * 24)),
    fit("a column of 1e6", "warns unevenScale", UNEVEN, differs=NO_ADVICE),
    fit("a column of 1e6 with standardize", "trains", UNEVEN, standardize=True,
        silent=("unevenScale",)),
    fit("all columns of 1e6", "warns unevenScale", scaled(1e6), differs=NO_ADVICE),
    fit("features above 2^53", "trains", scaled(float(2**54))),
    fit("features of minus 0", "trains", column(lambda i, x: -0.0)),
    fit("a text among the features", "data", with_value("red"), needs=("texts",)),
    predict("a text among the features to predict", "data", with_value("red"),
            needs=("texts",)),
    predict("texts that are numbers to predict", "predicts", text_table(lambda i: f"{i}.5"),
            needs=("texts",)),
    predict("texts of truth values to predict", "predicts", needs=("texts",),
            table=text_table(lambda i: "True" if i % 3 else "False")),
    fit("truth values as texts without layers", "trains", needs=("texts",), **CHOSEN,
        table=text_table(lambda i: "True" if i % 3 else "False")),
    fit("a column of texts in a data frame", "data", needs=("texts",),
        table=Table(tuple((row[0], "red", row[2]) for row in ROWS), LABELS, kind="pandas")),
    fit("a column of texts without layers", "trains", needs=("texts",), **CHOSEN,
        table=text_table(lambda i: "red" if i % 3 else "blue")),
    fit("texts that hardly repeat without layers", "trains", needs=("texts",), **CHOSEN,
        table=text_table(lambda i: f"name {i}")),
    fit("numbers with units without layers", "data", needs=("texts",), **CHOSEN,
        table=text_table(lambda i: f"{i}.5%")),
    fit("a text among numbers without layers", "data", with_value("red"), needs=("texts",),
        **CHOSEN),
    fit("a missing feature without layers", "trains", with_value(None),
        needs=("missing values",), **CHOSEN),
    of_kind("a column of texts in polars", "data", "polars",
            tuple((row[0], "red", row[2]) for row in ROWS)),
    of_kind("a column of categories", "data", "categories",
            tuple((row[0], "red", row[2]) for row in ROWS)),
    of_kind("datetimes in a data frame", "data", "datetimes", DATES),
    of_kind("an array of datetimes", "data", "datetime64",
            tuple(tuple(10 * i + j for j in range(3)) for i in range(24))),
    of_kind("a masked array", "data", "masked"),
    of_kind("complex numbers", "data", "complex"),
    of_kind("float32", "trains", "float32"),
    of_kind("column-major float64", "trains", "fortran"),
    of_kind("integers", "trains", "int64", WHOLE),
    of_kind("truth values", "trains", "bool", TRUTHS),
    of_kind("lists", "trains", "lists"),
    of_kind("a sparse matrix", "trains", "sparse"),
    of_kind("big-endian numbers", "trains", "big-endian"),
    fit("sparse features whose zeros do not fit into memory", "trains", SPARSE,
        params={"layers": (NUM_SPARSE, 2, 2), "maxIter": 2}, memory_bytes=1_000_000),
]
