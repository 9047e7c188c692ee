# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Instances that come batch by batch: each is consumed once, and not kept."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import column_names
from .._columns import select_columns
from ..errors import DataError, ParamError
from .arrays import join_chunks
from .gathered import Gathered
from .streams import gather_stream

__all__ = ["Gathered", "gather", "note_names"]


def gather(X: Any, y: Any, sample_weight: Any) -> Gathered:
    """Returns instances as arrays: those of batches, or those that are whole as they are.

    Parameters
    ----------
    X
        What ``fit`` takes; batches are an iterator of arrays (X, y) or (X, y, sample_weight), an
        iterator of Arrow record batches or data frames, and with the name of a column as `y` a
        data set or scanner of pyarrow, a lazy frame of polars, or a stream of Arrow.
    y
        The labels, or the name of their column.
    """
    if isinstance(y, str):
        if is_in_memory(X):
            return split_table(X, y, sample_weight)
        return gather_stream(X, y, sample_weight)
    if not hasattr(X, "__next__") or (y is not None and hasattr(X, "__arrow_c_stream__")):
        return Gathered(X, y, sample_weight, [])
    if y is not None:
        raise ParamError(
            "y must be the name of the label column for an iterator of record batches, and be "
            f"left out for one of (X, y); got {type(y).__name__}"
        )
    return join_chunks(X)


def note_names(estimator: Any, names: list[str]) -> None:
    """Notes the names of the features of batches."""
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def is_in_memory(X: Any) -> bool:
    """True for a table of pandas, polars or pyarrow that is no stream."""
    return any(hasattr(X, name) for name in ("iloc", "get_columns", "column_names"))


def split_table(X: Any, label: str, weight: Any) -> Gathered:
    """Takes the columns of the label and of the weights from a table in memory."""
    names = column_names(X) or []
    taken = [label] + ([weight] if isinstance(weight, str) else [])
    for name in taken:
        if names.count(name) != 1:
            raise DataError(f"X must have one column {name!r}; its columns are {names}")
    others = [at for at, name in enumerate(names) if name not in taken]
    values = [column_at(X, names.index(name)) for name in taken]
    weights = values[1] if len(values) == 2 else weight
    return Gathered(select_columns(X, others), values[0], weights, [])


def column_at(X: Any, at: int) -> Any:
    """Returns a column of a table in memory, as a caller would give it without the table."""
    if hasattr(X, "iloc"):
        return X.iloc[:, at]
    return X.to_series(at) if hasattr(X, "to_series") else X.column(at)
