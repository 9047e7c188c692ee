# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that run the program in a folder of their own."""

import json
import pathlib
import subprocess
import tempfile
import unittest


class ProgramCase(unittest.TestCase):
    """A test with the program, whose path the script sets, and with a folder."""

    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_mlp(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True,
                              text=True, timeout=300, check=False)

    def call(self, *arguments):
        """Returns what the program prints, which must not fail."""
        result = self.run_mlp(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def train(self, data, *flags):
        """Returns the model that a training writes."""
        output = self.folder / "model.json"
        self.call("train", data, "-o", output, "-q", *flags)
        return json.loads(output.read_text(encoding="utf-8"))
