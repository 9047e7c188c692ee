# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Converts a model between its JSON file, Spark ML and ONNX."""
from __future__ import annotations

import argparse
import os
import pathlib
import sys
import warnings
from collections.abc import Sequence

from . import _core
from ._files import checked_path
from .data import read_csv
from .errors import DataError, DeviceError, MLPError, ModelError, NotCompiled, ParamError
from .formats import read_onnx, read_spark, to_plain, write_onnx, write_spark
from .formats.plain import largest_deviation
from .model import Model

__all__ = ["convert", "main"]

FORMATS = ("json", "spark", "onnx")
SUFFIXES = {".json": "json", ".onnx": "onnx", ".spark": "spark", "": "spark"}
# The exit codes of the program; see docs/command-line.md.
USAGE, DATA, MODEL, RESOURCES, DEVICE, INTERRUPTED = 2, 3, 4, 6, 7, 130
WHITE_SPACE = b" \t\r\n"


def read_model(path: str | os.PathLike[str]) -> Model:
    """Reads a model of any format; its content tells the format."""
    if os.path.isdir(path):
        return read_spark(path)
    if not os.path.isfile(path):  # a pipe can be read once, a device may have no end
        return Model.load(path)
    with open(path, "rb") as stream:
        start = stream.read(4096).lstrip(WHITE_SPACE)
    return Model.load(path) if start.startswith(b"{") else read_onnx(path)


def find_format(path: str, to: str | None) -> str:
    """Returns the format to write: as asked for, or by the suffix of the path."""
    if to is not None:
        return to
    suffix = pathlib.Path(path).suffix
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    raise ParamError(
        f"--to: is needed, since {path} does not tell the format; use --to json, --to spark "
        "or --to onnx"
    )


def write_model(model: Model, path: str, to: str, overwrite: bool = False) -> None:
    """Writes a model. Files are replaced; a folder only if it may be overwritten."""
    if to == "json":
        model.save(path)
    elif to == "onnx":
        write_onnx(model, path)
    else:
        write_spark(model, path, overwrite=overwrite)


def convert(
    source: str, target: str, to: str | None = None, overwrite: bool = False,
    plain: bool = False,
) -> str:
    """Converts a model, and returns the name of the format that was written.

    Parameters
    ----------
    source : str
        A model file, a folder of Spark ML or an ONNX file.
    target : str
        The file or folder to write. A file is replaced as a whole; a device or a pipe is
        written to.
    to : "json", "spark" or "onnx", optional
        By default the suffix of `target` tells it: ``.json``, ``.onnx``, and ``.spark`` or
        no suffix.
    overwrite : bool
        Replace a folder of Spark ML that exists.
    plain : bool
        Write a model with quantile bins as an ordinary network, see
        :func:`mlp.formats.to_plain`.

    Examples
    --------
    >>> import mlp, tempfile
    >>> from mlp.convert import convert
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = mlp.MLPClassifier(layers=[2, 3, 2], seed=1).fit(X, y).model_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/xor.json")
    ...     convert(folder + "/xor.json", folder + "/xor.onnx")
    'onnx'
    """
    source, target = checked_path(source), checked_path(target)
    to = find_format(target, to)
    _core.check_outputs(("IN", source), ("-o", target), to == "spark")
    if to == "spark" and os.path.exists(target) and not overwrite:
        raise ParamError(f"-o: {target} exists; add --overwrite to replace it")
    try:
        model = read_model(source)
    except OSError as error:
        raise unreadable(source, error) from error
    model = to_plain(model) if plain else model
    try:
        write_model(model, target, to, overwrite)
    except ModelError as error:
        raise ModelError(f"{error}{training_advice(model, to)}") from error
    return to


def training_advice(model: Model, to: str) -> str:
    """Says how the program trains a model that a format can express; empty if it cannot."""
    is_avoidable = to != "json" and model._core.export_problem(to)[1]
    return f"; mlp train --for {to} trains such a model" if is_avoidable else ""


def unreadable(path: str, error: OSError) -> MLPError:
    return ModelError(f"{path}: cannot be opened: {error.strerror or error}")


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mlp",
        description="Commands of mlp that need libraries of Python; mlp has all others.",
    )
    parser.add_argument("--version", action="version", version=f"mlp {_core.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "convert",
        help="convert a model between its JSON file, Spark ML and ONNX",
        description="Converts a model. The content of IN tells its format.",
        epilog="examples: python -m mlp convert model.json -o model.onnx; "
        "python -m mlp convert spark_model/ -o model.json",
        allow_abbrev=False,
    )
    command.add_argument("source", metavar="IN", help="a model file, a folder of Spark, ONNX")
    command.add_argument(
        "-o", "--output", metavar="OUT", required=True,
        help="the file, which is replaced as a whole, or the folder of Spark to write",
    )
    command.add_argument(
        "--to", choices=FORMATS,
        help="the format of OUT; by default its suffix tells it: .json, .onnx, and .spark or "
        "no suffix",
    )
    command.add_argument(
        "--overwrite", action="store_true", help="replace a folder of Spark that exists"
    )
    command.add_argument(
        "--plain", action="store_true",
        help="write a model with quantile bins as an ordinary network, whose first layer "
        "computes the bins",
    )
    command.add_argument(
        "--rows", metavar="FILE",
        help="with --plain: state the largest deviation of its outputs for the rows of a file",
    )
    return parser


def describe_deviation(source: str, rows: str) -> str:
    """Says how far the plain network is from its model for the rows of a data file."""
    model = read_model(source)
    X = read_csv(rows, features=model.feature_names or None, has_label=False).X
    deviation = largest_deviation(model, to_plain(model), X)
    return f"largest deviation {deviation:.3g} of the outputs for {len(X)} rows"


def exit_code(error: BaseException) -> int:
    """Returns the exit code that the program has for an error."""
    codes: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], int], ...] = (
        (KeyboardInterrupt, INTERRUPTED),
        (ParamError, USAGE),
        (DataError, DATA),
        ((ImportError, NotCompiled, DeviceError), DEVICE),
        ((OSError, MemoryError), RESOURCES),
    )
    return next((code for types, code in codes if isinstance(error, types)), MODEL)


def main(arguments: Sequence[str]) -> int:
    """Runs a command, and returns its exit code."""
    options = make_parser().parse_args(arguments)
    try:
        if options.rows is not None and not options.plain:
            raise ParamError("--rows: needs --plain, whose deviation it states")
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", UserWarning)
            to = convert(
                options.source, options.output, options.to, options.overwrite, options.plain
            )
        for note in notes:
            print(f"mlp: note: {note.message}", file=sys.stderr)
        if options.rows is not None:
            print(describe_deviation(options.source, options.rows), file=sys.stderr)
    except (ImportError, KeyboardInterrupt, MLPError, MemoryError, OSError) as error:
        print(f"mlp: error: {str(error) or type(error).__name__}", file=sys.stderr)
        return exit_code(error)
    print(f"wrote {options.output}, format {to}", file=sys.stderr)
    return 0
