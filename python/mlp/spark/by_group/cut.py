# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of rows in batches that Spark has sorted by group."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow

__all__ = ["cut_groups"]


def cut_groups(
    batches: Iterable[pyarrow.RecordBatch], num_keys: int
) -> Iterator[tuple[bool, pyarrow.RecordBatch]]:
    """Cuts batches at the ends of groups.

    Parameters
    ----------
    batches : iterable of RecordBatch
        The rows of a group follow each other.
    num_keys : int
        The number of group columns, which are the first ones.

    Returns
    -------
    iterator of (bool, RecordBatch)
        Rows of one group, without a copy, and whether they are its first ones. A group has
        several of them if its rows are in several batches.
    """
    last = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        begins = first_rows(batch, num_keys)
        starts = not (last is not None and is_same_group(last, batch, num_keys))
        for begin, end in zip(begins, [*begins[1:], batch.num_rows]):
            yield starts or begin > 0, batch.slice(begin, end - begin)
        last = batch.slice(batch.num_rows - 1)


def first_rows(batch: pyarrow.RecordBatch, num_keys: int) -> list[int]:
    """Returns the rows at which a group begins, 0 among them."""
    is_new = np.zeros(batch.num_rows, dtype=bool)
    is_new[0] = True
    for number in range(num_keys):
        column = batch.column(number)
        is_new[1:] |= differ(column.slice(0, batch.num_rows - 1), column.slice(1))
    begins: list[int] = np.flatnonzero(is_new).tolist()
    return begins


def is_same_group(
    last: pyarrow.RecordBatch, batch: pyarrow.RecordBatch, num_keys: int
) -> bool:
    """True if the first row of a batch belongs to the group of another row."""
    return not any(
        differ(last.column(number), batch.column(number).slice(0, 1))[0]
        for number in range(num_keys)
    )


def differ(before: Any, after: Any) -> NDArray[np.bool_]:
    """Compares keys as Spark's ``groupBy`` does: null equals null, and NaN equals NaN."""
    import pyarrow.compute

    is_equal = pyarrow.compute.equal(before, after).fill_null(False)
    nothing = [part.is_null(nan_is_null=True) for part in (before, after)]
    nulls = [part.is_null() for part in (before, after)]
    are_nothing = pyarrow.compute.and_(*nothing)
    are_alike = pyarrow.compute.and_(are_nothing, pyarrow.compute.equal(*nulls))
    is_same = pyarrow.compute.or_(is_equal, are_alike)
    mask: NDArray[np.bool_] = ~is_same.to_numpy(zero_copy_only=False)
    return mask
