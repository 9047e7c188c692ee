# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a program many times, each time with one call that fails.

The program is loaded once, with the library of fault_injection.cpp. It forks
before main() for each run, which takes a fraction of a millisecond.
"""

import array
import dataclasses
import errno
import mmap
import os
import select
import signal
import subprocess

# In the order of the enumerations in fault_injection.cpp.
KINDS = ("allocate", "open", "read", "write", "write message", "sync",
         "rename", "stat", "close", "unlink", "folder", "mode", "link",
         "lock", "map", "thread", "fork")
MODES = ("once", "onwards", "alternate", "short")

BYTES_PER_COUNT = 8


@dataclasses.dataclass(frozen=True)
class Fault:
    """Which call fails, and how."""
    kind: str
    at: int  # of the calls of its kind, from 1
    mode: str = "once"
    error: int = errno.EIO
    rank: int = -1  # the process that it is for; -1 is the first one

    def order(self):
        """The line that fault_injection.cpp reads."""
        return (f"{KINDS.index(self.kind)} {self.at} {MODES.index(self.mode)} "
                f"{self.error} {self.rank}\n")

    def __str__(self):
        rank = f" of rank {self.rank}" if self.rank >= 0 else ""
        return (f"{self.kind} {self.at}{rank} {self.mode} "
                f"{errno.errorcode.get(self.error, self.error)}")


NO_FAULT = Fault("allocate", 0, "once")


@dataclasses.dataclass
class Result:
    """How one run ended."""
    code: int  # negative: the signal; None: it did not end
    stdout: bytes
    stderr: bytes
    counts: dict  # calls of each kind


class FaultServer:
    """A program that waits before main() for the next run."""

    def __init__(self, program, library, words, folder, scratch, stdin,
                 deadline_seconds):
        """Starts the program in `folder`; `scratch` is for files of its own."""
        self.deadline_seconds = deadline_seconds
        self.stdout = open(scratch / "stdout", "ab+")
        self.stderr = open(scratch / "stderr", "ab+")
        counts = scratch / "counts"
        counts.write_bytes(bytes(BYTES_PER_COUNT * len(KINDS)))
        with open(counts, "r+b") as file:
            self.counts = mmap.mmap(file.fileno(), 0)
        environment = dict(os.environ, LD_PRELOAD=str(library),
                           MLP_FAULT_COUNTS=str(counts), TMPDIR=str(folder),
                           LC_ALL="C")
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        environment["MLP_FAULT_SERVER"] = f"{orders},{answers}"
        with open(stdin, "rb") as standard_input:
            self.process = subprocess.Popen(
                [program, *words], cwd=folder, env=environment,
                stdin=standard_input, stdout=self.stdout, stderr=self.stderr,
                pass_fds=(orders, answers), start_new_session=True)
        os.close(orders)
        os.close(answers)

    def run(self, fault=NO_FAULT):
        """Runs the program once."""
        for file in self.stdout, self.stderr:
            file.truncate(0)
        os.write(self.orders, fault.order().encode())
        process = int(self.read_line())
        status = self.read_line()
        if not status:
            os.kill(process, signal.SIGKILL)
            self.read_line()
            code = None
        else:
            code = os.waitstatus_to_exitcode(int(status))
        counts = array.array("Q", self.counts[:])
        return Result(code, self.content(self.stdout),
                      self.content(self.stderr), dict(zip(KINDS, counts)))

    @staticmethod
    def content(file):
        file.seek(0)
        return file.read()

    def read_line(self):
        """The next answer; empty if there is none in time."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.answers], [], [],
                                        self.deadline_seconds)
            if not ready:
                return ""
            byte = os.read(self.answers, 1)
            if not byte:
                raise RuntimeError("the program ended before main(); "
                                   f"exit {self.process.wait()}")
            line += byte
        return line.decode()

    def close(self):
        """Ends the program."""
        os.close(self.orders)
        os.close(self.answers)
        self.process.wait()
        self.stdout.close()
        self.stderr.close()
        self.counts.close()
