# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The paths that the functions of mlp take, and folders that are replaced as a whole."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from . import _core
from .errors import ParamError

__all__ = ["Write", "checked_path", "new_folder", "write_file"]

# Writes a file of a new folder: its path from the folder, and its content.
Write = Callable[[str, bytes], None]


def checked_path(path: str | os.PathLike[str]) -> str:
    """Returns a path as text; the system would end it at a NUL character."""
    text = os.fspath(path)
    if "\0" in text:
        raise ParamError(f"a path must not have a null character; got {text!r}")
    return text


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Replaces a file as a whole, or writes to a device or a pipe.

    Raises
    ------
    ResourceError
        If the file cannot be written; an old one is as it was.
    """
    _core.write_file(checked_path(path), content)


@contextlib.contextmanager
def new_folder(
    path: str | os.PathLike[str], overwrite: bool, marker: str
) -> Iterator[Write]:
    """Yields a function that writes the files of a folder; it becomes `path` when the
    block succeeds.

    An existing folder stays in its place until the new one is complete.

    Parameters
    ----------
    path : path
    overwrite : bool
        Whether an existing folder may be replaced.
    marker : str
        The folder that an existing folder must contain to be replaced.

    Raises
    ------
    ModelError
        If the folder exists and may not be replaced.
    ResourceError
        If the folder cannot be written; an old one is as it was.
    """
    folder = _core.NewFolder(checked_path(path), overwrite, marker)
    try:
        yield folder.write
        folder.take_place()
    finally:
        folder.close()
