# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays of some instances, joined as they come."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import as_rows
from .._columns import as_feature_table, select_columns, text_names
from .._values import refuse_vector
from ..errors import DataError, ParamError, ShapeError
from .gathered import Gathered
from .schemas import match_names

__all__ = ["join_chunks"]

# How much a full array grows; its old numbers are not copied.
GROWTH = 1.125


def join_chunks(chunks: Iterator[Any]) -> Gathered:
    """Joins arrays (X, y) or (X, y, sample_weight)."""
    rows = GrowingRows()
    labels: list[NDArray[Any]] = []
    weights: list[NDArray[Any]] = []
    for chunk in chunks:
        if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
            raise ParamError(
                "batches must be (X, y) or (X, y, sample_weight), or record batches with the "
                f"name of the label column as y; got {type(chunk).__name__}"
            )
        number = len(labels)
        size = rows.append(chunk[0], number)
        for values, all_values, name in zip(chunk[1:], (labels, weights), ("y", "sample_weight")):
            refuse_vector(values, name, accepts_texts=name == "y")
            array = np.array(values)  # not a view of a larger one
            if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
                array = np.array(values, dtype=object)  # NumPy made texts of numbers too
            if array.shape[:1] != (size,):
                raise ShapeError(
                    f"batch {number} must have {size} labels and weights, one for each row; "
                    f"got {array.shape}"
                )
            all_values.append(array)
    if not labels:
        raise ShapeError("X has no batch; expected at least one with rows")
    if len(weights) not in (0, len(labels)):
        raise ShapeError(
            f"all batches must have weights, or none; {len(weights)} of {len(labels)} have some"
        )
    if len({array.dtype.kind in "OUS" for array in labels}) > 1:
        # Joined as objects, so that numbers among texts are refused.
        labels = [array.astype(object) for array in labels]
    joined = np.concatenate(weights) if weights else None
    return Gathered(rows.take(), np.concatenate(labels), joined, rows.names or [])


class GrowingRows:
    """Rows of one array that grows where it lies, so that it is never in memory twice."""

    def __init__(self) -> None:
        self._array: NDArray[Any] = np.empty((0, 0))
        self._size = 0
        self.names: list[str] | None = None
        """Of the columns of the first batch; None if it has none."""

    def append(self, X: Any, number: int) -> int:
        """Copies the rows of a batch, and returns their number.

        Columns of data frames are found by the names that the first batch has.
        """
        chunk = as_rows(self._in_order(as_feature_table(X), number))
        if self._size == 0:
            self._array = np.empty((0, chunk.shape[1]), dtype=chunk.dtype)
        if chunk.shape[1] != self._array.shape[1]:
            raise ShapeError(
                f"all batches must have {self._array.shape[1]} features as the first one; got "
                f"{chunk.shape[1]}"
            )
        if chunk.dtype != self._array.dtype:
            raise DataError(
                f"all batches must have {self._array.dtype} features as the first one; got "
                f"{chunk.dtype}"
            )
        size = self._size + len(chunk)
        if size > len(self._array):
            self._resize(max(size, int(len(self._array) * GROWTH)))
        self._array[self._size : size] = chunk
        self._size = size
        return len(chunk)

    def _in_order(self, X: Any, number: int) -> Any:
        names = text_names(X)
        if number == 0:
            self.names = names
        if names is None or self.names is None:
            return X
        places = match_names(self.names, names, number)
        return X if places is None else select_columns(X, places)

    def take(self) -> NDArray[Any]:
        self._resize(self._size)
        return self._array

    def _resize(self, size: int) -> None:
        # realloc moves the pages of a large array and copies none.
        self._array.resize((size, self._array.shape[1]), refcheck=False)
