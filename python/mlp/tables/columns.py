# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of tables of pandas, polars and pyarrow as arrays or coded values."""
from __future__ import annotations

from typing import Any

import numpy as np

from .coded_values import Coded, Values, code_objects, keep_used

__all__ = ["array_values", "list_columns"]


def list_columns(table: Any) -> list[Values]:
    """Returns the columns of a table of pandas, polars or pyarrow."""
    if hasattr(table, "iloc"):
        return [pandas_values(table.iloc[:, i]) for i in range(table.shape[1])]
    if hasattr(table, "get_columns"):
        return [polars_values(column) for column in table.get_columns()]
    return [arrow_values(column) for column in table.columns]


def array_values(array: Any) -> Values:
    """Returns an array of numbers or truth values as it is, and codes others."""
    return array if array.dtype.kind in "biuf" else code_objects(array.tolist())


def pandas_values(series: Any) -> Values:
    dtype = series.dtype
    if hasattr(series, "cat"):
        return keep_used(series.cat.categories.tolist(), series.cat.codes.to_numpy())
    if isinstance(dtype, np.dtype) or not hasattr(series, "factorize"):
        return array_values(series.to_numpy())
    if dtype.kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)  # type: ignore[no-any-return]
    try:
        codes, values = series.factorize()
    except (NotImplementedError, TypeError):  # such as structures of Arrow
        return code_objects(series.tolist())
    return keep_used(values.tolist(), codes)


def polars_values(series: Any) -> Values:
    has_array = series.dtype.is_numeric() and str(series.dtype) not in ("Int128", "UInt128")
    return array_values(series.to_numpy()) if has_array else code_objects(series.to_list())


def arrow_values(column: Any) -> Values:
    from pyarrow import ArrowException, types

    if types.is_integer(column.type) or types.is_floating(column.type):
        return np.asarray(column)
    try:
        return arrow_codes(column.dictionary_encode())
    except ArrowException:  # such as lists, and dictionaries that are too large together
        return code_objects(column.to_pylist())


def arrow_codes(column: Any) -> Coded:
    """Codes a column of dictionaries, whose parts may have different ones."""
    if hasattr(column, "chunks"):
        column = column.unify_dictionaries().combine_chunks()
    # Indices of polars have no sign.
    codes = column.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return keep_used(column.dictionary.to_pylist(), codes)
