# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of cases as what Python users pass."""
from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, Table

TYPES: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "int64": np.int64,
    "bool": np.bool_,
    "complex": np.complex128,
    "datetime64": "datetime64[s]",
    "big-endian": ">f8",
}


def has_values_of(rows: Any, kind: type | tuple[type, ...]) -> bool:
    return any(isinstance(x, kind) for row in rows for x in (row if is_row(row) else [row]))


def is_row(value: Any) -> bool:
    return isinstance(value, tuple)


def features(table: Table) -> Any:
    """Returns the rows in the container of the table."""
    rows = table.rows
    if table.kind in ("pandas", "categories", "datetimes"):
        return pandas_frame(table)
    if table.kind == "polars":
        import polars

        return polars.DataFrame(columns_of(table))
    if table.kind == "arrow":
        import pyarrow

        return pyarrow.table(columns_of(table))
    if table.kind == "lists":
        return [list(row) for row in rows]
    if table.kind == "sparse":
        return sparse_matrix(table)
    if table.kind == "masked":
        array = np.ma.masked_array(np.array(rows))
        array[2, 1] = np.ma.masked
        return array
    if table.kind == "fortran":
        return np.asfortranarray(np.array(rows))
    return plain_array(table)


def features_to_fit(case: Case) -> Any:
    """Returns the features of a training; a sparse matrix if memory is little."""
    return sparse_matrix(case.table) if case.memory_bytes else features(case.table)


def sparse_matrix(table: Table) -> Any:
    """Returns the rows without their zeros."""
    import scipy.sparse

    return scipy.sparse.csr_matrix(np.array(table.rows))


def plain_array(table: Table) -> Any:
    rows = table.rows
    lengths = {len(row) for row in rows if is_row(row)}
    if len(lengths) > 1:
        return [list(row) for row in rows]
    if has_values_of(rows, (str, type(None))):
        return np.array(rows, dtype=object)
    if len(rows) == 0:
        return np.empty((0, 3))
    return np.array(rows, dtype=TYPES[table.kind])


def names_of(table: Table) -> list[str]:
    return list(table.names or [f"x{i}" for i in range(len(table.rows[0]))])


def columns_of(table: Table) -> dict[str, list[Any]]:
    """Returns the columns by name; a name that occurs twice has the last of them."""
    return dict(zip(names_of(table), map(list, zip(*table.rows))))


def pandas_frame(table: Table) -> Any:
    import pandas

    frame = pandas.DataFrame([list(row) for row in table.rows], columns=names_of(table))
    if table.kind == "categories":
        frame.isetitem(1, frame.iloc[:, 1].astype("category"))
    if table.kind == "datetimes":
        frame.isetitem(0, pandas.to_datetime(frame.iloc[:, 0]))
    return frame


def labels(table: Table) -> Any:
    """Returns the labels as an array; mixed ones and those with None are objects."""
    if table.labels is None:
        return None
    values = list(table.labels)
    kinds = {type(value) for value in values}
    is_mixed = len(kinds) > 1 and (str in kinds or type(None) in kinds)
    return np.array(values, dtype=object if is_mixed else None)


def weights(table: Table) -> Any:
    return None if table.weights is None else list(table.weights)
