# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data files and Arrow tables as arrays."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import as_known_table
from ._columns import warn_of_columns
from ._files import checked_path
from ._threads import num_threads
from .errors import DataError, ParamError

__all__ = ["Table", "read", "read_arrow", "read_csv", "read_idx", "read_libsvm", "read_npy", "read_parquet"]

# float64 holds every integer up to this one.
MAX_INTEGER = 2**53
MAX_DIGITS = 15

# Rows of a record batch that pyarrow decodes at once.
BATCH_ROWS = 16384

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


def read(
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
    num_features: int | None = None,
    labels: Path | None = None,
    scale: float = 1.0,
) -> Table:
    """Reads files of any format as one: CSV, TSV, LIBSVM, NumPy, idx, Parquet, Arrow and Feather.

    The first bytes, and for text the name of the file, tell the format, as in the program.
    Text, NumPy and idx files may be compressed by gzip. Parquet and Arrow files need pyarrow.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder or a pattern such as ``"part-*.csv"``, or several of these. The
        files are read in the order of their names. Tables have the same columns. In a
        folder, empty files and those whose names begin with ``_`` or ``.`` are left out, so a
        folder that Spark wrote can be read; folders such as ``day=1`` in it give a column.
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
        its categories, and without ``na`` its texts for missing values. Unless ``label`` names
        another, the label is the column that is the label of that table, and a file without it
        is refused.
    num_features : int, optional
        The expected number of features, such as that of LIBSVM files whose last features are 0.
    labels : path, optional
        A NumPy or idx file with the labels; all columns of the data are features then.
    scale : float
        The divisor of all features; 255 maps pixels to 0..1.

    Returns
    -------
    Table
        ``fit(table.X, table.y)`` takes its arrays.

    Raises
    ------
    DataError
        Naming the file, the line and the column.
    ImportError
        If a file needs pyarrow, and it is not installed.
    """
    options = column_options(label, weight, features, ignore)
    options.require_label(has_label)
    if header is not None:
        options.set_header(header)
    if delimiter is not None:
        options.set_delimiter(delimiter)
    options.set_decimal(decimal)
    set_rules(options, like, missing, one_hot, na)
    options.set_num_features(num_features or 0)
    if labels is not None:
        options.set_labels_file(checked_path(labels))
    options.set_scale(scale)
    return read_files(path, options)


def read_csv(path: Paths, **options: Any) -> Table:
    """Reads a CSV or TSV file, or several files as one.

    `path` and `options` are those of ``read``, without `num_features`, `labels` and `scale`.
    """
    return read(path, **options)


def column_options(
    label: Column | None,
    weight: Column | None,
    features: Sequence[Column] | None,
    ignore: Sequence[Column],
) -> _core.ReadOptions:
    options = _core.ReadOptions()
    options.set_threads(num_threads())
    if label is not None:
        options.set_label(str(label))
    if weight is not None:
        options.set_weight(str(weight))
    if features is not None:
        options.set_features([str(name) for name in features])
    options.set_ignored([str(name) for name in ignore])
    return options


def set_rules(
    options: _core.ReadOptions,
    like: Table | None,
    missing: str,
    one_hot: str | Sequence[Column] | None,
    na: Sequence[str | float] | None,
) -> None:
    """Sets what happens to missing values and texts."""
    if like is not None:
        set_like(options, like)
    else:
        options.set_missing(missing)
        set_one_hot(options, one_hot)
    if na is not None:
        options.set_missing_texts(missing_texts(na))


def read_libsvm(path: Paths, *, num_features: int | None = None) -> Table:
    """Reads a LIBSVM file, whose indices count from 1, or several files as one.

    Without `num_features`, the largest index of all files is the number of features.
    """
    return read(path, num_features=num_features)


def read_npy(path: Paths, *, labels: Path | None = None, scale: float = 1.0) -> Table:
    """Reads a NumPy file [instances x features], or several files as one."""
    return read(path, labels=labels, scale=scale)


def read_idx(path: Paths, *, labels: Path | None = None, scale: float = 1.0) -> Table:
    """Reads an idx file such as MNIST's, divided by `scale`; 255 maps pixels to 0..1."""
    return read(path, labels=labels, scale=scale)


def read_parquet(path: Paths, *, label: Column | None = None, **options: Any) -> Table:
    """Reads Parquet files, or folders of them. It needs pyarrow.

    Parameters
    ----------
    path : path or sequence of paths
        As in ``read``.
    label : name or index, optional
        The label column; without it the table has no labels.
    weight, features, ignore, na, missing, one_hot, like
        As in ``read``.
    """
    chosen = column_options(
        label, options.pop("weight", None), options.pop("features", None),
        options.pop("ignore", ()),
    )
    if label is None and options.get("like") is None:
        chosen.set_no_label()
    rules = {"like": None, "missing": "refuse", "one_hot": None, "na": None} | options
    set_rules(chosen, **rules)
    return read_files(path, chosen)


def read_files(path: Paths, options: _core.ReadOptions) -> Table:
    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    options.set_arrow_opener(open_table)
    return make_table(_core.read([checked_path(one) for one in paths], options))


def open_table(path: str, is_parquet: bool, columns: list[int]) -> tuple[Any, int]:
    """Opens columns of a Parquet or an Arrow file; all columns if there are no indices.

    Returns
    -------
    capsule of an Arrow stream, number of rows
    """
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError as error:
        raise ImportError(f"{path}: needs pyarrow; install spark-mlp[arrow]") from error
    try:
        if is_parquet:
            file = parquet.ParquetFile(path)
            schema, num_rows = file.schema_arrow, file.metadata.num_rows
            are_distinct = len(set(schema.names)) == len(schema.names)
            wanted = [schema.names[at] for at in columns]
            batches = file.iter_batches(
                batch_size=BATCH_ROWS, columns=wanted if columns and are_distinct else None
            )
            has_all = not (columns and are_distinct)
        else:
            mapped = pyarrow.memory_map(path)
            wanted_fields = ipc.IpcReadOptions(included_fields=columns or None)
            reader = ipc.open_file(mapped, options=wanted_fields)
            schema, num_rows = ipc.open_file(mapped).schema, reader_rows(path)
            batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
            has_all = False
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    if columns:
        schema = pyarrow.schema([schema.field(at) for at in columns])
        if has_all:
            batches = (batch.select(columns) for batch in batches)
    rows = pyarrow.RecordBatchReader.from_batches(schema, batches)
    return rows.__arrow_c_stream__(), num_rows


def reader_rows(path: str) -> int:
    """Returns the number of rows of an Arrow file."""
    from pyarrow import dataset

    return int(dataset.dataset(path, format="ipc", partitioning=None).count_rows())


def make_table(table: Any) -> Table:
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


def read_arrow(source: Any, **options: Any) -> Table:
    """Reads a table, a record batch or a stream of them. It needs pyarrow.

    Numbers, truth values and decimals are numbers; texts are read as ``read_csv`` reads them.
    Each element of a vector that Spark ML stored is a feature.

    Parameters
    ----------
    source
        A table, record batch, reader or data set of pyarrow, a lazy frame of polars, or
        anything that exports an Arrow stream (``__arrow_c_stream__``), such as a data frame of
        pandas or polars or a relation of DuckDB.
    label : name or index, optional
        The label column; without it the table has no labels.
    weight, features, ignore, na, missing, one_hot, like
        As in ``read_csv``.

    Raises
    ------
    DataError
        Naming the column and the row, counted from 1.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("read_arrow needs pyarrow; install spark-mlp[arrow]") from error
    table = as_known_table(source)
    if not isinstance(table, pyarrow.Table):
        table = pyarrow.RecordBatchReader.from_stream(table).read_all()
    return read_table(table, "table", **options)


def read_table(
    table: Any,
    source: str,
    *,
    label: Column | None = None,
    weight: Column | None = None,
    features: Sequence[Column] | None = None,
    ignore: Sequence[Column] = (),
    na: Sequence[str | float] | None = None,
    missing: str = "refuse",
    one_hot: str | Sequence[Column] | None = None,
    like: Table | None = None,
) -> Table:
    """Reads a table of pyarrow."""
    options = column_options(label, weight, features, ignore)
    set_rules(options, like, missing, one_hot, na)
    known = like.label_name if label is None and like is not None else label
    has_long = known is not None and has_long_integers(table, known)
    if label is None and like is None:
        options.set_no_label()
    if has_long:
        options.set_label_as_text()
    result = make_table(_core.read_stream(table.__arrow_c_stream__(), source, options))
    if has_long and result.y is not None:
        return replace(result, y=exact_integers(list(result.y), result.y))
    return result


def has_long_integers(table: Any, label: Column) -> bool:
    """True if a label is an integer that float64 rounds."""
    from pyarrow import compute, types

    names = table.column_names
    try:
        column = table.column(names.index(label) if label in names else int(label))
    except (IndexError, ValueError):
        return False  # the reader says what is wrong
    if types.is_dictionary(column.type):
        column = compute.dictionary_decode(column)
    if types.is_decimal(column.type):
        return bool(column.type.scale <= 0 and column.type.precision > MAX_DIGITS)
    if not types.is_integer(column.type):
        return False
    limits = compute.min_max(column).as_py()
    return any(abs(limit or 0) > MAX_INTEGER for limit in limits.values())
