# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are replaced as a whole, or stay as they were."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import uuid
from collections.abc import Callable, Iterator

from ..errors import ModelError

__all__ = ["new_file", "new_folder"]


def beside(path: pathlib.Path) -> pathlib.Path:
    """Returns a path that does not exist, in the same folder."""
    return path.parent / f".{path.name}.{uuid.uuid4().hex[:12]}"


@contextlib.contextmanager
def new_file(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields a path to write to; it becomes `path` when the block succeeds."""
    target = pathlib.Path(os.path.realpath(path))
    part = beside(target)
    try:
        yield part
        with open(part, "rb") as stream:
            os.fsync(stream.fileno())
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def new_folder(
    path: pathlib.Path, overwrite: bool, is_replaceable: Callable[[pathlib.Path], bool]
) -> Iterator[pathlib.Path]:
    """Yields an empty folder; it becomes `path` when the block succeeds.

    An existing folder stays in its place until the new one is complete.

    Raises
    ------
    ModelError
        If `path` exists, unless it may be overwritten and `is_replaceable` says so.
    """
    target = pathlib.Path(os.path.realpath(path))
    if os.path.lexists(target):
        if not overwrite:
            raise ModelError(f"{path} exists; choose another folder, or allow to overwrite it")
        if not is_replaceable(target):
            raise ModelError(
                f"{path} exists and is not what would replace it; choose another folder, or "
                "remove it first"
            )
    part = beside(target)
    part.mkdir()
    try:
        yield part
        replace_folder(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def replace_folder(part: pathlib.Path, target: pathlib.Path) -> None:
    if not target.exists():
        os.rename(part, target)
        return
    old = beside(target)
    os.rename(target, old)
    try:
        os.rename(part, target)
    except OSError:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)
