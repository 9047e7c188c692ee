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
from .schemas import match_batches, shared_schema

__all__ = ["gather_stream"]

# Rows that a library decodes at once.
ROWS_AT_ONCE = 16384


class Parts:
    """The record batches of an iterator, with the columns and types of the first one."""

    def __init__(self, X: Iterator[Any]) -> None:
        self._numbered = (
            (number, batch)
            for number, part in enumerate(X)
            for batch in as_record_batches(part)
            if batch.num_rows
        )
        self.error: BaseException | None = None
        """What ended the iterator. Arrow would pass on only its text."""

    def as_reader(self, label: str) -> Any:
        import pyarrow

        first = next(self._numbered, None)
        if first is None:
            raise ShapeError("X has no batch; expected at least one with rows")
        schema = shared_schema(first[1].schema, label)
        batches = match_batches(schema, itertools.chain([first], self._numbered))
        return pyarrow.RecordBatchReader.from_batches(schema, self._noting_errors(batches))

    def _noting_errors(self, batches: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from batches
        except BaseException as error:
            self.error = error
            raise


def gather_stream(X: Any, label: str, weight: Any) -> Gathered:
    """Reads a stream of record batches, or what becomes one."""
    reader = as_reader(X)
    if not isinstance(reader, Parts):
        return read_stream(reader, label, weight)
    try:
        return read_stream(reader.as_reader(label), label, weight)
    except Exception:
        if reader.error is not None:
            raise reader.error from None
        raise


def as_reader(X: Any) -> Any:
    """Returns a stream of record batches, or the parts of an iterator."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"X is a {type(X).__name__}, which is read by pyarrow; install spark-mlp[arrow]"
        ) from error
    if hasattr(X, "scanner") and hasattr(X, "to_table"):  # pyarrow.dataset.Dataset
        return read_dataset(X)
    if hasattr(X, "to_reader") and not hasattr(X, "column_names"):  # pyarrow.dataset.Scanner
        return X.to_reader()
    if hasattr(X, "collect_schema") and hasattr(X, "collect_batches"):  # polars.LazyFrame
        X = iter(X.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True))
    # The batches of a reader that was made in Python may have other types than its schema,
    # which Arrow's stream does not tell.
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, pyarrow.RecordBatchReader):
        return pyarrow.RecordBatchReader.from_stream(X)
    if not hasattr(X, "__next__"):
        raise ParamError(
            "with the name of a column as y, X must be a table, a data set, a lazy frame or an "
            f"iterator of record batches; got {type(X).__name__}"
        )
    return Parts(X)


def read_dataset(dataset: Any) -> Any:
    """Returns the record batches of a data set of pyarrow, and reads little ahead."""
    import pyarrow

    try:
        fragments = dataset.get_fragments()
    except ValueError:  # rows are chosen by a filter, which fragments do not have
        scanner = dataset.scanner(batch_size=ROWS_AT_ONCE, batch_readahead=1)
        return scanner.to_reader()
    batches = read_fragments(fragments, dataset.schema)
    return pyarrow.RecordBatchReader.from_batches(dataset.schema, batches)


def read_fragments(fragments: Iterable[Any], schema: Any) -> Iterator[Any]:
    from pyarrow import dataset as library

    options: dict[str, Any] = {"batch_size": ROWS_AT_ONCE, "batch_readahead": 1}
    for fragment in fragments:
        parts = [fragment]
        if hasattr(fragment, "split_by_row_group"):  # of a Parquet file
            parts = fragment.split_by_row_group()
            options["fragment_scan_options"] = library.ParquetFragmentScanOptions(
                pre_buffer=False, use_buffered_stream=True
            )
        for part in parts:
            yield from part.to_batches(schema=schema, **options)


def as_record_batches(part: Any) -> Iterable[Any]:
    """Returns a part of a stream as record batches of pyarrow."""
    import pyarrow

    if hasattr(part, "to_struct_array") and not hasattr(part, "to_batches"):
        return [part]
    if not hasattr(part, "__arrow_c_stream__"):
        raise DataError(
            f"X must have record batches or data frames as its parts; got {type(part).__name__}"
        )
    if hasattr(part, "iloc"):  # pandas, whose row names are no feature
        part = pyarrow.Table.from_pandas(part, preserve_index=False)
    elif not hasattr(part, "to_batches"):
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
