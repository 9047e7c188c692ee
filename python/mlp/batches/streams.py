# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Record batches of Arrow as instances."""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .. import _core
from .._columns import warn_of_columns
from .._threads import num_threads
from ..errors import DataError, ParamError, ShapeError
from .gathered import Gathered

__all__ = ["as_reader", "read_stream"]

# Rows that a library decodes at once.
ROWS_AT_ONCE = 16384


def as_reader(X: Any) -> Any:
    """Returns a stream of record batches."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"X is a {type(X).__name__}, which is read by pyarrow; install spark-mlp[arrow]"
        ) from error
    if hasattr(X, "scanner") and hasattr(X, "to_table"):  # pyarrow.dataset.Dataset
        return pyarrow.RecordBatchReader.from_batches(X.schema, read_fragments(X))
    if hasattr(X, "to_reader") and not hasattr(X, "column_names"):  # pyarrow.dataset.Scanner
        return X.to_reader()
    if hasattr(X, "collect_schema") and hasattr(X, "collect_batches"):  # polars.LazyFrame
        X = iter(X.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True))
    if hasattr(X, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(X)
    if not hasattr(X, "__next__"):
        raise ParamError(
            "with the name of a column as y, X must be a table, a data set, a lazy frame or an "
            f"iterator of record batches; got {type(X).__name__}"
        )
    batches = (batch for part in X for batch in as_record_batches(part))
    first = next(batches, None)
    if first is None:
        raise ShapeError("X has no batch; expected at least one with rows")
    return pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))


def read_fragments(dataset: Any) -> Iterator[Any]:
    """Yields the record batches of a data set of pyarrow, and reads little ahead."""
    from pyarrow import dataset as library

    options: dict[str, Any] = {"batch_size": ROWS_AT_ONCE, "batch_readahead": 1}
    for fragment in dataset.get_fragments():
        parts = [fragment]
        if hasattr(fragment, "split_by_row_group"):  # of a Parquet file
            parts = fragment.split_by_row_group()
            options["fragment_scan_options"] = library.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True
            )
        for part in parts:
            yield from part.to_batches(schema=dataset.schema, **options)


def as_record_batches(part: Any) -> Iterable[Any]:
    """Returns a part of a stream as record batches of pyarrow."""
    import pyarrow

    if hasattr(part, "to_struct_array") and not hasattr(part, "to_batches"):
        return [part]
    if not hasattr(part, "__arrow_c_stream__"):
        raise DataError(
            f"X must have record batches or data frames as its parts; got {type(part).__name__}"
        )
    if not hasattr(part, "to_batches"):
        part = pyarrow.table(part)
    return list(part.to_batches())


def read_stream(reader: Any, label: str, weight: Any) -> Gathered:
    """Reads record batches as the rows of a file are read."""
    options = _core.ReadOptions()
    options.set_threads(num_threads())
    options.set_label(label)
    if isinstance(weight, str):
        options.set_weight(weight)
    table = _core.read_stream(reader.__arrow_c_stream__(), "X", options)
    warn_of_columns(table.warnings)
    labels: Any = table.labels
    if table.label_texts:
        labels = np.array(table.label_texts)
    elif table.are_classes:
        labels = labels.astype(np.int64)
    weights = table.weights if isinstance(weight, str) else weight
    return Gathered(table.features, labels, weights, table.feature_names)
