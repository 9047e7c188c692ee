#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the README's table of speeds on results made up by hand."""
import json
import pathlib
import sys
import tempfile
import unittest
from dataclasses import asdict

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import speed_table  # noqa: E402
from measure.report import MET, NOISY, NOT_MET, Row  # noqa: E402

ROWS = (
    Row("B1", "iris per iteration against Spark local[2]", 4000.0, unit="x",
        values=[4500.0, 5000.0, 5500.0], num_pairs=3, verdict=MET),
    Row("B2", "mnist per iteration against Spark local[2]", 7.0, unit="x",
        values=[9.0], verdict=NOISY),
    Row("A1", "f64 evaluation, 1 thread, cpu time, share of peak", 0.7,
        values=[0.87], num_pairs=1, verdict=MET),
    Row("A1", "f64 against jax 0.10.2, 2 threads, wall time", 1.5, unit="x",
        values=[9.0], verdict=MET),
    Row("A1", "f64 against jax 0.10.2, 1 thread, cpu time", 1.5, unit="x",
        values=[1.4], verdict=NOT_MET),
)


class SpeedTable(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "kind.json").write_text(json.dumps({
                "machine": {"cpu": "A processor", "kernels": "AVX2"},
                "rows": [asdict(row) for row in ROWS]}), encoding="utf-8")
            self.lines = speed_table.table(speed_table.read_results(folder))

    def test_has_a_column_for_each_machine_and_a_line_for_each_figure(self):
        self.assertEqual(self.lines[:2], [
            "| what | goal | A processor (kind, AVX2) |", "|---|---|---|"])
        self.assertEqual(len(self.lines), 2 + len(speed_table.LINES))

    def test_shows_median_spread_goal_and_verdict(self):
        self.assertIn("| >= 4,000x | 5,000x (4,600..5,400): met |",
                      self.lines[2])

    def test_shows_no_figure_that_was_too_noisy(self):
        self.assertIn("| >= 10x; AVX2: >= 8x | too noisy |", self.lines[3])

    def test_judges_old_results_by_the_bound_of_today(self):
        self.assertIn("| >= 0.86; AVX2: >= 0.88 | 0.87 (0.87..0.87): not met |",
                      self.lines[4])

    def test_takes_the_row_of_one_thread_and_says_what_is_missing(self):
        self.assertIn("| none | jax 1.4x (1.4..1.4); torch not measured |",
                      self.lines[5])

    def test_cuts_the_page_at_its_markers(self):
        page = f"a\n{speed_table.BEGIN}\n| b |\n{speed_table.END}\nc\n"

        before, lines, after = speed_table.cut(page)

        self.assertEqual(lines, ["| b |"])
        self.assertEqual(before + "| b |\n" + after, page)

    def test_refuses_a_page_without_markers(self):
        with self.assertRaisesRegex(SystemExit, "lacks a marker"):
            speed_table.cut("a\n")

    def test_finds_the_first_line_that_differs(self):
        self.assertIsNone(speed_table.first_difference(["a"], ["a"]))
        self.assertEqual(speed_table.first_difference(["a", "b"], ["a"]),
                         (1, "b", "nothing"))


if __name__ == "__main__":
    unittest.main()
