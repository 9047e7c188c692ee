# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The checkpoints of one training on several tasks."""
from __future__ import annotations

import contextlib
import pathlib
import platform
import shutil
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..._files import checked_path
from ...errors import ParamError, ResourceError

__all__ = ["Checkpoints", "checkpoints_of"]

SECONDS_BETWEEN = 30.0


class Checkpoints:
    """The folder of the checkpoints of one training; without one, none are written.

    Each attempt writes a file of its own, so that a task of an earlier attempt that still
    runs cannot replace it, and reads a copy, so that all ranks read the same.
    """

    def __init__(self, folder: pathlib.Path | None) -> None:
        self.folder = folder

    def begin(self, attempt: int) -> dict[str, Any]:
        """Returns the members of ``CheckpointSettings`` for an attempt, counted from 1."""
        if self.folder is None:
            return {}
        newest, resume = self.newest(), ""
        if newest is not None:
            resume = str(self.folder / f"resume-{attempt}")
            shutil.copyfile(newest, resume)
        return {
            "file": str(self.folder / f"attempt-{attempt}"),
            "seconds": SECONDS_BETWEEN,
            "resume_file": resume,
            "data": self.folder.name,
        }

    def newest(self) -> pathlib.Path | None:
        """Returns the checkpoint of the last attempt that wrote one."""
        if self.folder is None:
            return None
        files = [path for path in self.folder.glob("attempt-*") if path.suffix == ""]
        return max(files, key=lambda path: int(path.name.partition("-")[2]), default=None)

    @staticmethod
    def require(settings: dict[str, Any]) -> None:
        """Refuses a folder that a task cannot reach.

        Raises
        ------
        ResourceError
            Naming the host.
        """
        if not settings:
            return
        folder = pathlib.Path(settings["file"]).parent
        if not folder.is_dir():
            raise ResourceError(
                f"checkpointDir must be a folder that the driver and all executors share; "
                f"host {platform.node()} has no {folder}"
            )


@contextlib.contextmanager
def checkpoints_of(checkpoint_dir: str | None) -> Iterator[Checkpoints]:
    """Makes a folder for the checkpoints of one training, and removes it afterwards."""
    if not checkpoint_dir:
        yield Checkpoints(None)
        return
    folder = local_path(checkpoint_dir) / f"mlp-{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ResourceError(f"checkpointDir {checkpoint_dir} cannot be written: {error}") from None
    try:
        yield Checkpoints(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def local_path(folder: str) -> pathlib.Path:
    """Returns the path of a folder that may be a URL.

    Examples
    --------
    >>> str(local_path("file:///mnt/shared"))
    '/mnt/shared'
    """
    url = urlsplit(checked_path(folder))
    if url.scheme not in ("", "file"):
        raise ParamError(
            f"checkpointDir must be a folder of a shared file system, such as /mnt/shared; got "
            f"{folder}"
        )
    return pathlib.Path(url2pathname(url.path) if url.scheme else folder).absolute()
