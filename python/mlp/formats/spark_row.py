# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The row of data of a stage of Spark ML, as Parquet. Sizes are checked before memory is used."""
from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import ModelError
from .library import import_library
from .spark_stage import ARROW_EXTRA, DENSE, SPARSE, Array, Stage, visible_files

__all__ = ["Row", "to_python", "to_vector"]


class Row:
    """The only row of a stage's data. Columns are read when their sizes are known.

    A Parquet file states its sizes and can compress equal values to nearly nothing, so
    they are compared before a column is read.
    """

    def __init__(self, stage: Stage) -> None:
        self._parquet = import_library("pyarrow.parquet", ARROW_EXTRA)
        self._arrow = import_library("pyarrow", ARROW_EXTRA)
        self.stage = stage
        num_rows = 0
        for file in visible_files(stage.folder / "data"):
            with self._reading(file):
                source = self._open(file)
                num_rows += count_rows(source.metadata)
                if source.metadata.num_rows:
                    self._file, self._source = file, source
                    self.columns: list[str] = list(source.schema_arrow.names)
        if num_rows != 1:
            raise ModelError(f"{stage.folder}/data: must have one row; got {num_rows}")

    def _open(self, file: pathlib.Path) -> Any:
        source = self._parquet.ParquetFile(file)
        texts = [
            chunk.path_in_schema for chunk in column_chunks(source.metadata)
            if chunk.physical_type == "BYTE_ARRAY"
        ]
        # Equal texts are then read once, so that their sizes are known first.
        return self._parquet.ParquetFile(file, read_dictionary=texts) if texts else source

    @contextlib.contextmanager
    def _reading(self, file: pathlib.Path) -> Iterator[None]:
        """Turns the errors of pyarrow into a ModelError."""
        try:
            yield
        except ModelError:
            raise
        except (self._arrow.ArrowException, OSError, LookupError, ValueError) as error:
            raise ModelError(f"{file}: is no Parquet file that can be read; {error}") from error

    def value(self, name: str, max_values: int) -> Any:
        """Reads a column, which has at most this many numbers or texts."""
        if self.columns.count(name) == 1:
            with self._reading(self._file):
                self._check_size(name, max_values)
                scalar = self._source.read(columns=[name]).column(0)[0]
            if scalar.is_valid:
                return scalar
        raise ModelError(
            f"{self.stage.folder}/data: must have the column {name}; got "
            f"{', '.join(self.columns) or 'none'}"
        )

    def _check_size(self, name: str, max_values: int) -> None:
        for chunk in column_chunks(self._source.metadata):
            if chunk.path_in_schema.partition(".")[0] != name:
                continue
            if not 0 <= chunk.num_values <= max_values:
                raise ModelError(
                    f"{self.stage.folder}/data: the column {name} must have at most {max_values} "
                    f"values, as the layers of the network say; got {chunk.num_values}"
                )
            self.check_bytes(name, max(8 * chunk.num_values, chunk.total_uncompressed_size))

    def check_bytes(self, name: str, num_bytes: int) -> None:
        """Refuses a column that needs much more memory than its file has bytes."""
        max_bytes = _core.max_inflated_bytes(self._file.stat().st_size)
        if num_bytes > max_bytes:
            raise ModelError(
                f"{self.stage.folder}/data: the column {name} must have at most {max_bytes} "
                f"bytes in a file of this size; got {num_bytes}"
            )


def count_rows(metadata: Any) -> int:
    groups = (abs(int(metadata.row_group(i).num_rows)) for i in range(metadata.num_row_groups))
    num_rows: int = metadata.num_rows
    return max(num_rows, sum(groups))


def column_chunks(metadata: Any) -> Iterator[Any]:
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for j in range(group.num_columns):
            yield group.column(j)


def to_python(row: Row, name: str, max_values: int) -> Any:
    """Reads numbers or texts of a row."""
    scalar = row.value(name, max_values)
    row.check_bytes(name, count_text_bytes(scalar))
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        raise ModelError(f"{row.stage.folder}/data: {name} must be UTF-8; {error}") from error


def count_text_bytes(scalar: Any) -> int:
    """Returns the bytes of all texts in a list, or in a list of lists."""
    compute = import_library("pyarrow.compute", ARROW_EXTRA)
    types = import_library("pyarrow.types", ARROW_EXTRA)
    array = getattr(scalar, "values", None)
    while array is not None and types.is_list(array.type):
        array = array.flatten()
    if array is None or not types.is_dictionary(array.type):
        return 0
    lengths = compute.binary_length(array.dictionary)
    return int(compute.sum(compute.take(lengths, array.indices)).as_py() or 0)


def to_vector(row: Row, name: str, size: int, what: str) -> Array:
    """Reads a dense or sparse vector of Spark.

    Parameters
    ----------
    size : int
        The number of elements that it must have.
    what : str
        The reason of the size in messages, such as ``for layers [4, 3]``.
    """
    scalar = row.value(name, size)
    place = f"{row.stage.folder}/data: {name}"
    try:
        kind, stated = scalar["type"].as_py(), scalar["size"].as_py()
        values = scalar["values"].values
        indices = scalar["indices"].values if kind == SPARSE else None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{row.stage.folder}/data: the column {name} must be a vector of Spark ML; got "
            f"{scalar.type} ({error})"
        ) from error
    if kind not in (SPARSE, DENSE):
        raise ModelError(f"{place} must have the type 0, sparse, or 1, dense; got {kind}")
    numbers = to_numpy(values, "floating", np.float64, place)
    received = len(numbers) if kind == DENSE else stated
    if received != size:
        raise ModelError(f"{place} must be {size} numbers {what}; got {received}")
    if kind == DENSE:
        return numbers
    places = to_numpy(indices, "integer", np.int64, place)
    check_indices(places, len(numbers), size, place)
    row.check_bytes(name, numbers.itemsize * size)
    dense = np.zeros(size)
    dense[places] = numbers
    return dense


def check_indices(indices: NDArray[np.int64], num_values: int, size: int, place: str) -> None:
    """Checks the indices of a sparse vector, which Spark stores in ascending order."""
    if len(indices) != num_values:
        raise ModelError(
            f"{place} must have as many indices as values, {num_values}; got {len(indices)}"
        )
    wrong = indices[(indices < 0) | (indices >= size)]
    if len(wrong):
        raise ModelError(f"{place} must have indices from 0 to {size - 1}; got {wrong[0]}")
    steps = np.flatnonzero(np.diff(indices) <= 0)
    if len(steps):
        first, second = indices[steps[0] : steps[0] + 2]
        raise ModelError(f"{place} must have ascending indices; got {second} after {first}")


def to_numpy(array: Any, kind: str, dtype: Any, place: str) -> NDArray[Any]:
    types = import_library("pyarrow.types", ARROW_EXTRA)
    if array is None or array.null_count or not getattr(types, f"is_{kind}")(array.type):
        got = "nothing"
        if array is not None:
            got = f"{array.null_count} missing ones" if array.null_count else str(array.type)
        raise ModelError(f"{place} must be a vector of Spark ML, of {kind} numbers; got {got}")
    return np.array(array.to_numpy(zero_copy_only=False), dtype=dtype)
