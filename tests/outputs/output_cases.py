# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The paths that an output may have, and what must become of each.

cases.json has one case for each kind of path. All writers of files, those of the
program and those of Python, run the same cases; writers of folders have an outcome of
their own. A case has

- path: in a new folder, or absolute
- setup: what is in the folder before: file, folder, pipe, link or hard link
- file, folder: the exit code, and the sentence or the file that is written; null for a
  case that does not apply
- reads: who must receive the bytes, the reader of a pipe or of standard output
- limit: the most bytes that a file can have, in place of a full disk
- needs: "user" for a case that a superuser cannot fail
"""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import resource
import stat
import threading
from collections.abc import Callable, Iterator
from typing import Any

OLD = b"old content\n"


@dataclasses.dataclass
class Case:
    """One path, and its outcome for a kind of writer."""

    name: str
    path: str
    setup: list[list[str]]
    outcome: dict[str, Any]
    reads: str = ""
    limit: int | None = None
    needs: str = ""

    @property
    def has_input(self) -> bool:
        """True if the path is the input of the writer."""
        return "{input}" in self.outcome.get("sentence", "")


def load_cases(kind: str) -> list[Case]:
    """Returns the cases of writers of a kind, "file" or "folder"."""
    entries = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text())
    return [
        Case(**{name: entry[name] for name in entry if name not in ("file", "folder")},
             outcome=entry[kind])
        for entry in entries if entry[kind] is not None
    ]


@dataclasses.dataclass
class Outcome:
    """How a writer ended: its exit code, and its error without the name of the program."""

    exit: int
    sentence: str = ""
    stdout: bytes = b""


class Place:
    """A folder with what a case needs, and the check of what a writer left in it."""

    def __init__(self, case: Case, folder: pathlib.Path, input_bytes: bytes) -> None:
        self.case, self.folder = case, folder
        self.path = os.path.join(folder, case.path)  # keeps "./"
        self.input = folder / "input"
        self.input.write_bytes(input_bytes)
        for kind, name, *more in case.setup:
            self.make(kind, folder / name, *more)
        self.before = self.names()
        self.received = b""

    def make(self, kind: str, path: pathlib.Path, *more: str) -> None:
        if kind == "file":
            path.write_bytes(OLD)
            path.chmod(int(more[0], 8))
        elif kind == "folder":
            path.mkdir(mode=int(more[0], 8) if more else 0o755)
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to(more[0])
        else:
            os.link(self.folder / more[0], path)

    def names(self) -> set[str]:
        return {
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if not self.is_written(path)
        }

    def is_written(self, path: pathlib.Path) -> bool:
        """True for the new folder, and all in it."""
        target = self.case.outcome.get("written")
        return bool(target) and path.is_relative_to(self.folder / target)

    @contextlib.contextmanager
    def reader(self) -> Iterator[None]:
        """Reads the pipe of the case while the writer runs."""
        if self.case.reads != "pipe" or self.case.outcome["exit"] != 0:
            yield
            return
        thread = threading.Thread(target=self.read, daemon=True)
        thread.start()
        yield
        thread.join(timeout=30)
        assert not thread.is_alive(), "nobody wrote to the pipe"

    def read(self) -> None:
        self.received = (self.folder / "pipe").read_bytes()

    def check(self, outcome: Outcome, flags: tuple[str, str],
              is_whole: Callable[[bytes], bool]) -> None:
        """Compares what a writer did with what the case says.

        Parameters
        ----------
        outcome : Outcome
        flags : (str, str)
            How messages name the output and the input.
        is_whole : function
            Whether bytes are all that the writer writes.
        """
        expected = self.case.outcome
        sentence = expected.get("sentence", "").format(
            path=self.path, input=self.input, flag=flags[0], input_flag=flags[1])
        assert (outcome.exit, outcome.sentence) == (expected["exit"], sentence)
        assert self.names() == self.before - ({expected["written"]} & self.before
                                              if "written" in expected else set())
        self.check_kinds()
        if outcome.exit == 0 and self.case.reads:
            received = outcome.stdout if self.case.reads == "stdout" else self.received
            assert is_whole(received)
        if outcome.exit == 0 and "written" in expected:
            self.check_written(is_whole)

    def check_written(self, is_whole: Callable[[bytes], bool]) -> None:
        target = self.folder / self.case.outcome["written"]
        assert not target.is_symlink()
        if target.is_file():
            assert is_whole(target.read_bytes())
        if "mode" in self.case.outcome:
            assert f"0{stat.S_IMODE(target.stat().st_mode):o}" == self.case.outcome["mode"]

    def check_kinds(self) -> None:
        """Devices, pipes and links stay what they are; a file that is not written keeps
        its bytes."""
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
        for kind, name, *_ in self.case.setup:
            path = self.folder / name
            if kind == "link":
                assert path.is_symlink()
            elif kind == "pipe":
                assert path.is_fifo()
            elif kind == "file" and not self.is_written(path):
                assert path.read_bytes() == OLD


@contextlib.contextmanager
def file_size_limit(most_bytes: int | None) -> Iterator[None]:
    """Lets no file get more bytes. Python ignores the signal that the system sends."""
    if most_bytes is None:
        yield
        return
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
