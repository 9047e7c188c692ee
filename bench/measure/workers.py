# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The processes that the runner measures: one task each, behind a pipe.

A worker prints {"ready": true} once it is set up, then answers each line
"run REPEATS" by one line of JSON: wall and CPU seconds, and what both sides of
a comparison must agree on.
"""
import json
import os
import select
import subprocess
import tempfile

READY_SECONDS = 600
ANSWER_SECONDS = 600


class WorkerError(Exception):
    """A worker that did not start, did not answer or answered nonsense."""


class Worker:
    """One process and its task."""

    def __init__(self, command, environment=None):
        self.name = " ".join(os.path.basename(str(word)) for word in command[:3])
        self.repeats = None
        self.complaints = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.complaints,
            env={**os.environ, **(environment or {})})
        self.pending = b""
        try:
            self.answer(READY_SECONDS)
        except WorkerError:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, repeats=None):
        """Does the work `repeats` times; seconds in the answer are for all."""
        repeats = repeats or self.repeats or 1
        try:
            self.process.stdin.write(f"run {repeats}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerError(f"{self.name}: {self.reason(True)}") from None
        sample = self.answer(ANSWER_SECONDS)
        sample["repeats"] = repeats
        return sample

    def calibrate(self, seconds):
        """Chooses as many repeats as fill `seconds` once it is warm."""
        repeats = 1
        while True:
            took = self.run(repeats)["wall"]
            if took >= seconds / 4 or repeats > 10**8:
                break
            repeats = int(repeats * min(20.0, 1.5 * seconds / max(took, 1e-7))) + 1
        self.repeats = max(1, round(repeats * seconds / max(took, 1e-7)))

    def answer(self, seconds):
        """Reads one line of JSON."""
        while b"\n" not in self.pending:
            readable, _, _ = select.select([self.process.stdout], [], [], seconds)
            data = os.read(self.process.stdout.fileno(), 65536) if readable else b""
            if not data:
                raise WorkerError(f"{self.name}: {self.reason(bool(readable))}")
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError:
            raise WorkerError(f"{self.name}: answered {line[:80]!r}") from None

    def reason(self, has_ended):
        """Why there is no answer: the last line it complained with."""
        if not has_ended:
            return "did not answer in time"
        self.process.wait()
        self.complaints.seek(0)
        lines = self.complaints.read().strip().splitlines()
        return lines[-1] if lines else f"exited with {self.process.returncode}"

    def close(self):
        """Ends the process: the end of its input is its sign to leave."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.complaints.close()
