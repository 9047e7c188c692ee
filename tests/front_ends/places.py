# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Places where a model is written, and what must be true of them afterwards."""
from __future__ import annotations

import os
import pathlib
import stat
from dataclasses import replace

from .damage import is_model
from .result import Result

OLD = b"what was there before\n"
# The mode of a file that only its owner may read.
PRIVATE = 0o600
PIPE_BYTES = 1 << 16
# The numbers of the devices, of which a place has nodes of its own: a front end that
# replaces a device must not harm the machine.
DEVICES = {"/dev/null": os.makedev(1, 3), "/dev/full": os.makedev(1, 7)}
NO_FILES = "/proc/mlp-model.json"


class Place:
    """A place in a folder of its own. It is checked after a front end wrote there, or not."""

    def __init__(self, target: str, folder: pathlib.Path, own_input: str) -> None:
        self.target = target
        self.folder = folder / "out"
        self.folder.mkdir()
        self.file = self.folder / "model.json"
        self.path = str(self.file)
        self.reader: int | None = None
        self.prepare(own_input)
        self.before = self.names()

    def prepare(self, own_input: str) -> None:
        if self.target in DEVICES:
            self.path = self.device_node()
        elif self.target in ("existing", "private", "below-file"):
            self.file.write_bytes(OLD)
        elif self.target == "link":
            (self.folder / "linked.json").write_bytes(OLD)
            self.file.symlink_to("linked.json")
        elif self.target == "folder":
            self.file.mkdir()
        elif self.target == "fifo":
            os.mkfifo(self.file)
            self.reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
        if self.target == "private":
            self.file.chmod(PRIVATE)
        other = {
            NO_FILES: NO_FILES,
            "letters": str(self.folder / "größe 'x' \".json"),
            "missing": str(self.folder / "no" / "model.json"),
            "below-file": str(self.file / "model.json"),
            "long": str(self.folder / ("n" * 300 + ".json")),
            "empty": "",
            "nul": str(self.folder / "a\0b.json"),
            "input": own_input,
        }
        self.path = other.get(self.target, self.path)

    def device_node(self) -> str:
        """Returns the path of a device that no front end can replace, or of its own node."""
        if not os.access("/dev", os.W_OK):
            return self.target
        os.mknod(self.file, 0o666 | stat.S_IFCHR, DEVICES[self.target])
        return str(self.file)

    def names(self) -> list[str]:
        return sorted(os.listdir(self.folder))

    def checked(self, result: Result) -> Result:
        """Adds to a result what is wrong with the place, and closes it."""
        is_done = not result.codes and not result.trouble
        trouble = self.trouble_after_success() if is_done else self.trouble_after_refusal()
        if self.reader is not None:
            os.close(self.reader)
        return replace(result, trouble=result.trouble or trouble)

    def trouble_after_refusal(self) -> str:
        """Returns what is wrong after a front end refused the place."""
        if self.names() != self.before:
            return f"a refusal that changed the files {self.before} to {self.names()}"
        if self.target == "below-file" and self.file.read_bytes() != OLD:
            return "a refusal that changed the file"
        if self.target == "folder" and os.listdir(self.file):
            return "a refusal that left files in the folder"
        return self.trouble_of_device()

    def trouble_of_device(self) -> str:
        if self.target not in DEVICES or stat.S_ISCHR(os.stat(self.path).st_mode):
            return ""
        return "that the device was replaced"

    def trouble_after_success(self) -> str:
        """Returns what is wrong after a front end wrote there."""
        if self.target in DEVICES:
            return self.trouble_of_device()
        if self.target in (NO_FILES, "input"):
            return ""
        if self.target == "fifo":
            return self.trouble_of_pipe()
        path = pathlib.Path(self.path)
        if self.target == "link" and not path.is_symlink():
            return "that the link was replaced"
        if self.target == "private" and stat.S_IMODE(path.stat().st_mode) != PRIVATE:
            return f"the mode {stat.S_IMODE(path.stat().st_mode):o} instead of {PRIVATE:o}"
        if not is_model(path.read_bytes()):
            return "a file that is no model"
        expected = sorted({*self.before, path.name})
        return "" if self.names() == expected else f"the files {self.names()}, not {expected}"

    def trouble_of_pipe(self) -> str:
        if not stat.S_ISFIFO(os.lstat(self.path).st_mode):
            return "that the pipe was replaced"
        assert self.reader is not None
        data = os.read(self.reader, PIPE_BYTES)
        return "" if is_model(data) else f"{len(data)} bytes in the pipe that are no model"
