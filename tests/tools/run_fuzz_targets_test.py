#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that stand in for fuzz targets, and reads what
tests/fuzz/run_targets.py says."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
import run_targets  # noqa: E402

STATISTICS = "stat::number_of_executed_units: 1200\\nstat::average_exec_per_sec: 400"


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name).resolve()

    def add_target(self, name, script):
        program = self.build / f"{name}_fuzz"
        program.write_text(f"#!/bin/sh\nprintf '{STATISTICS}\\n' >&2\n{script}\n")
        program.chmod(0o755)

    def run_all(self, *words):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = run_targets.main(["run_targets.py", *words, str(self.build)])
        return code, output.getvalue()

    def test_prints_a_line_for_each_target(self):
        self.add_target("csv", "exit 0")
        self.add_target("npy", "exit 0")
        code, text = self.run_all("--seconds", "1")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"csv +1,200 runs +400 runs/s +0 finds\n"
                               r"npy +1,200 runs +400 runs/s +0 finds\n")

    def test_fails_and_says_how_to_repeat_a_find(self):
        self.add_target("csv", f"touch {self.build}/finds/csv/crash-1; exit 77")
        code, text = self.run_all("--short")
        self.assertEqual(code, 1)
        self.assertIn("1 finds\n  exit code 77; ", text)
        self.assertIn(f"\n  to repeat it: {self.build}/csv_fuzz "
                      f"{self.build}/finds/csv/crash-1\n", text)

    def test_fails_if_a_target_dies_without_an_input(self):
        self.add_target("csv", "exit 1")
        code, text = self.run_all("--short")
        self.assertEqual(code, 1)
        self.assertIn(f"exit code 1; the report is in {self.build}", text)

    def test_refuses_a_folder_without_targets(self):
        with contextlib.redirect_stderr(io.StringIO()) as message:
            code, _ = self.run_all("--short")
        self.assertEqual(code, 2)
        self.assertIn("has no fuzz targets", message.getvalue())


if __name__ == "__main__":
    unittest.main()
