# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The features of the rows of a task: in memory, or in a file if they do not fit."""
from __future__ import annotations

import math
import os
import tempfile
from typing import Union

import numpy as np
from numpy.typing import NDArray

from .... import _core
from ....errors import ResourceError
from .task_memory import MemoryLeft, TaskMemory, allowed_bytes, memory_left, size_text

__all__ = ["Features", "RowFeatures", "as_array", "read_rows"]

Vector = NDArray[np.float64]
Features = Union[Vector, _core.StoredFeatures]
"""[instances x features]; in a file, read again in each pass of a training."""

# Fewer rows are not compared with the memory: a task may train on thousands of groups.
SMALL_BYTES = 1 << 20
# Rows in memory are copied once: to sort them, and then in the order of the kernels.
COPIES = 2


class RowFeatures:
    """Features that come batch by batch.

    Parameters
    ----------
    memory : TaskMemory, optional
        Of the task. Rows that exceed it go to a file without a name in a folder of
        ``SPARK_LOCAL_DIRS``; without it they stay in memory.

    Attributes
    ----------
    note : str
        Why the rows are in a file, or stay in memory although they are large.
    """

    def __init__(self, num_features: int, memory: TaskMemory | None = None) -> None:
        self.num_features = num_features
        self.note = ""
        self._size = 0
        self._array = np.empty((0, num_features))
        self._file: _core.FeatureFile | None = None
        self._memory = memory
        self._left: MemoryLeft | None = None
        self._allowed = math.inf

    def append(self, rows: Vector) -> None:
        """Copies rows [instances x features].

        Raises
        ------
        ResourceError
            If the disk is full.
        """
        size = self._size + len(rows)
        if self._left is None and self._memory is not None and (
            self._needed_bytes(size) > SMALL_BYTES
        ):
            # Not before: pyarrow has reserved its memory when the first rows are there.
            self._left = memory_left(self._memory)
            self._allowed = allowed_bytes(self._left)
        if self._file is None and self._exceeds(size):
            self._move_to_file()
        if self._file is not None:
            self._write(rows)
        else:
            # A large array grows in place, without a second copy.
            self._array.resize((size, self.num_features), refcheck=False)
            self._array[self._size:] = rows
        self._size = size

    def take(self, *places: NDArray[np.int64] | None) -> list[Features]:
        """Returns rows at places in an order, or all for None; nothing stays here."""
        array, self._array = self._array, np.empty((0, self.num_features))
        file, self._file = self._file, None
        self._note_size(file)
        self._size = 0
        if file is not None:
            return [file.all() if each is None else file.select(each) for each in places]
        return [array if each is None else array[each] for each in places]

    def _exceeds(self, size: int) -> bool:
        return self._needed_bytes(size) > self._allowed

    def _needed_bytes(self, size: int) -> int:
        return COPIES * size * self.num_features * self._array.itemsize

    def _move_to_file(self) -> None:
        """Moves the rows to a file; without a folder for it they stay in memory."""
        reasons = []
        for folder in local_folders():
            try:
                self._file = _core.FeatureFile(folder, self.num_features)
                break
            except ResourceError as error:
                reasons.append(str(error))
        else:
            self._allowed = math.inf
            self.note = (
                "the rows stay in memory, although they are large: no folder of spark.local.dir "
                f"takes a file ({'; '.join(reasons)})"
            )
            return
        array, self._array = self._array, np.empty((0, self.num_features))
        self._write(array)

    def _write(self, rows: Vector) -> None:
        assert self._file is not None
        try:
            self._file.append(np.ascontiguousarray(rows))
        except ResourceError as error:
            raise ResourceError(
                f"{error}; rows that do not fit into the memory of a task are kept there: set "
                "spark.local.dir to folders on larger disks"
            ) from None

    def _note_size(self, file: _core.FeatureFile | None) -> None:
        if file is None or self._left is None:
            return
        self.note = (
            f"the {self._size} rows of a task need {size_text(self._needed_bytes(self._size))} "
            f"of memory and {size_text(self._allowed)} may be used "
            f"({self._left.limit}), so they are kept in a file in {file.folder} while the task "
            f"runs; about {size_text(_core.memory_beside_file(self._size))} of memory are used; "
            f"to keep them in memory, {self._left.hint}"
        )


def local_folders() -> list[str]:
    """Returns the folders in which a task may keep files: those that Spark gives it."""
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return [folder for folder in folders if folder] or [tempfile.gettempdir()]


def read_rows(features: Features, first: int, count: int) -> Vector:
    """Returns some rows in memory   [count x features]"""
    if isinstance(features, _core.StoredFeatures):
        return features.read(first, count)
    return features[first : first + count]


def as_array(features: Features) -> Vector:
    """Returns all rows in memory."""
    return read_rows(features, 0, features.shape[0])
