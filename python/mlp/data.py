# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data files and Arrow tables as arrays."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import as_known_table
from ._columns import warn_of_columns
from ._files import checked_path
from ._threads import num_threads
from ._values import describe_arrow, refuse_column
from .errors import DataError, ParamError

__all__ = ["Table", "read_arrow", "read_csv", "read_idx", "read_libsvm", "read_npy", "read_parquet"]

# float64 holds every integer up to this one.
MAX_INTEGER = 2**53

Path = Union[str, os.PathLike[str]]
Paths = Union[Path, Sequence[Path]]
Column = Union[str, int]


@dataclass(frozen=True)
class Table:
    """The contents of a data file, as arrays."""

    X: NDArray[np.float64]
    """The features [instances x features]."""
    y: NDArray[Any] | None
    """The labels [instances]: numbers or texts; None without labels."""
    weights: NDArray[np.float64] | None = None
    """The weight of each instance; None without a column for it."""
    feature_names: list[str] = field(default_factory=list)
    """The names of the features; empty if the file has none."""
    label_name: str = ""
    """The name of the label column; empty if the file has no names."""
    _core: Any = field(default=None, repr=False, compare=False)


def read_csv(
    path: Paths,
    *,
    label: Column | None = None,
    weight: Column | None = None,
    features: Sequence[Column] | None = None,
    ignore: Sequence[Column] = (),
    header: bool | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    na: Sequence[str | float] | None = None,
    missing: str = "refuse",
    one_hot: str | Sequence[Column] | None = None,
    has_label: bool = True,
    like: Table | None = None,
) -> Table:
    """Reads a CSV or TSV file, also compressed by gzip, or several files as one.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder or a pattern such as ``"part-*.csv"``, or several of these. The
        files are read in the order of their names. They have the same header, or none and
        the same number of columns. In a folder, empty files and those whose names begin
        with ``_`` or ``.`` are left out, so a folder that Spark wrote can be read.
    label : name or index, optional
        The label column; negative indices count from the end. By default a column named
        label, class, target or species, else the last.
    weight : name or index, optional
        The column with the weight of each instance.
    features : sequence of names or indices, optional
        The feature columns; by default all others.
    ignore : sequence of names or indices
        Columns that are not read.
    header : bool, optional
        True if the first row has names. By default the reader decides.
    delimiter : str, optional
        One of ``, ; |``, a tab, or a space, which stands for any number of spaces and
        tabs; by default the reader decides.
    decimal : {".", ","}
        What separates the decimals of numbers.
    na : sequence of str, optional
        The texts that mean a missing value, in place of ?, NA, N/A, NULL and NaN in any
        case; a number stands for all of its spellings. An empty field is always missing.
    missing : {"refuse", "drop", "mean"}
        What happens to missing values.
    one_hot : "auto" or sequence of names or indices, optional
        Columns of texts that become one feature for each text.
    has_label : bool
        False if the file may have no label column.
    like : Table, optional
        Replaces missing values and encodes texts as that table does: with its means and
        its categories, and without ``na`` its texts for missing values. Unless ``label`` names another, the label is the column that is the
        label of that table, and a file without it is refused.

    Raises
    ------
    DataError
        Naming the file, the line and the column.
    """
    options = _core.ReadOptions()
    options.set_threads(num_threads())
    options.require_label(has_label)
    if label is not None:
        options.set_label(str(label))
    if weight is not None:
        options.set_weight(str(weight))
    if features is not None:
        options.set_features([str(name) for name in features])
    options.set_ignored([str(name) for name in ignore])
    if header is not None:
        options.set_header(header)
    if delimiter is not None:
        options.set_delimiter(delimiter)
    options.set_decimal(decimal)
    if like is not None:
        set_like(options, like)
    else:
        options.set_missing(missing)
        set_one_hot(options, one_hot)
    if na is not None:
        options.set_missing_texts(missing_texts(na))
    return read(path, options)


def read_libsvm(path: Paths, *, num_features: int | None = None) -> Table:
    """Reads a LIBSVM file, whose indices count from 1, also compressed by gzip.

    Several files are read as one; `path` is as in ``read_csv``.
    """
    options = _core.ReadOptions()
    options.set_num_features(num_features or 0)
    return read(path, options)


def read_npy(path: Paths, *, labels: Path | None = None, scale: float = 1.0) -> Table:
    """Reads a NumPy file [instances x features], divided by `scale`.

    Several files are read as one; `path` is as in ``read_csv``.
    """
    options = _core.ReadOptions()
    options.set_scale(scale)
    if labels is not None:
        options.set_labels_file(checked_path(labels))
    return read(path, options)


def read_idx(path: Paths, *, labels: Path | None = None, scale: float = 1.0) -> Table:
    """Reads an idx file such as MNIST's, divided by `scale`; 255 maps pixels to 0..1."""
    return read_npy(path, labels=labels, scale=scale)


def read(path: Paths, options: _core.ReadOptions) -> Table:
    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    table = _core.read([checked_path(one) for one in paths], options)
    warn_of_columns(table.warnings)
    labels: NDArray[Any] | None = table.labels
    if table.label_texts:
        labels = np.array(table.label_texts)
    elif table.long_labels:
        labels = exact_integers(table.long_labels, labels)
    elif labels is not None and table.are_classes:
        labels = labels.astype(np.int64)
    return Table(
        table.features, labels, table.weights, table.feature_names, table.label_name, table
    )


def exact_integers(texts: list[str], numbers: Any) -> NDArray[Any]:
    """Returns integers that float64 rounds as int64, or as texts if one is too large for it.

    Numbers that are written in another form, such as 1e300, stay as they are.
    """
    try:
        integers = [int(text) for text in texts]
    except ValueError:
        return np.asarray(numbers)
    limits = np.iinfo(np.int64)
    has_all = limits.min <= min(integers) and max(integers) <= limits.max
    return np.array(integers, dtype=np.int64) if has_all else np.array(texts)


def set_like(options: _core.ReadOptions, like: Table) -> None:
    if like._core is None or not like._core.has_columns:
        raise ParamError(
            "like must be a table with encoded columns, that read_csv read with missing='mean' "
            "or one_hot"
        )
    options.set_like(like._core)


def missing_texts(na: Sequence[str | float]) -> list[str]:
    texts = [] if isinstance(na, str) else [str(text) for text in na]
    if isinstance(na, str) or "" in texts:
        raise ParamError(f"na must be a sequence of texts that are not empty; got {na!r}")
    return texts


def set_one_hot(options: _core.ReadOptions, one_hot: str | Sequence[Column] | None) -> None:
    if one_hot is None:
        return
    if isinstance(one_hot, str) and one_hot != "auto":
        raise ParamError(f"one_hot must be 'auto' or a sequence of columns; got {one_hot!r}")
    is_auto = one_hot == "auto"
    options.set_one_hot(is_auto, [] if is_auto else [str(name) for name in one_hot])


def read_parquet(path: Path, *, label: str | None = None, weight: str | None = None) -> Table:
    """Reads a Parquet file, or a folder of them, partitioned or not. It needs pyarrow.

    Parameters
    ----------
    path : path
        A file, or a folder such as Spark and pandas write.
    label : str, optional
        The label column; without it the table has no labels.
    weight : str, optional
        The column with the weight of each instance.
    """
    try:
        import pyarrow.dataset as dataset
    except ImportError as error:
        raise ImportError("read_parquet needs pyarrow; install spark-mlp[arrow]") from error
    name = checked_path(path)
    try:
        # The names of the folders above a file are not columns.
        partitioning = None if os.path.isfile(name) else "hive"
        source = dataset.dataset(name, format="parquet", partitioning=partitioning)
        table = source.to_table()
    except (OSError, ValueError) as error:
        raise DataError(f"{name}: {error}") from error
    return read_arrow(table, label=label, weight=weight)


def read_arrow(source: Any, *, label: str | None = None, weight: str | None = None) -> Table:
    """Reads a table, a record batch or a stream of them. It needs pyarrow.

    Parameters
    ----------
    source
        A table, record batch, reader or data set of pyarrow, a lazy frame of polars, or
        anything that exports an Arrow stream (``__arrow_c_stream__``), such as a data frame of
        pandas or polars or a relation of DuckDB.
    label, weight : str, optional
        As in ``read_parquet``.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("read_arrow needs pyarrow; install spark-mlp[arrow]") from error
    table = as_known_table(source)
    if not isinstance(table, pyarrow.Table):
        table = pyarrow.RecordBatchReader.from_stream(table).read_all()
    names = list(table.column_names)
    for name in (label, weight):
        if name is not None and name not in names:
            raise DataError(f"there is no column {name!r}; the columns are {', '.join(names)}")
    feature_names = [name for name in names if name not in (label, weight)]
    return Table(
        stack_features(table, feature_names),
        None if label is None else read_labels(table.column(label), label),
        None if weight is None else read_numbers(table.column(weight), weight),
        feature_names,
        label or "",
    )


def stack_features(table: Any, names: list[str]) -> NDArray[np.float64]:
    features = np.empty((table.num_rows, len(names)))
    for i, name in enumerate(names):
        features[:, i] = read_numbers(table.column(name), name)
    return features


def read_numbers(column: Any, name: str) -> NDArray[np.float64]:
    from pyarrow import types

    refuse_column(describe_arrow(column, name))
    values = column.to_numpy()
    if types.is_integer(column.type) and not is_exact(values):
        raise DataError(
            f"column {name!r} must be at most 2^53 in absolute value, which float64 holds exactly"
        )
    numbers: NDArray[np.float64] = values.astype(np.float64)
    return numbers


def is_exact(integers: NDArray[Any]) -> bool:
    """True if float64 holds all these integers."""
    if len(integers) == 0:
        return True
    return max(-int(integers.min()), int(integers.max())) <= MAX_INTEGER


def read_labels(column: Any, name: str) -> NDArray[Any]:
    refuse_column(describe_arrow(column, name), accepts_texts=True)
    labels: NDArray[Any] = np.array(column.to_pylist())
    return labels
