#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on tables with and without row names, and compares the predictions for new
rows.

The rows are sorted by class, as in many published tables, so that a model that takes
row names for a feature is right for its own rows and wrong for others.

Usage: row_names_test.py MLP DATA
"""

import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest


def read_iris():
    with open(DATA / "iris.csv", newline="") as file:
        return list(csv.reader(file))


def quoted(names):
    return [f'"{name}"' for name in names]


def with_r_names(header, rows):
    """As write.csv() of R."""
    lines = [['""', *quoted(header)]]
    lines += [[f'"{i + 1}"', *row[:-1], f'"{row[-1]}"'] for i, row in enumerate(rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def with_short_header(header, rows):
    """As write.table() of R."""
    lines = [quoted(header)]
    lines += [[f'"{i + 1}"', *row[:-1], f'"{row[-1]}"'] for i, row in enumerate(rows)]
    return "".join(" ".join(line) + "\n" for line in lines)


def with_pandas_index(header, rows, name=""):
    """As to_csv() of a part of a pandas data frame."""
    places = random.Random(4).sample(range(1000), len(rows))
    lines = [[name, *header]]
    lines += [[str(place), *row] for place, row in zip(sorted(places), rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def without_names(header, rows):
    return "".join(",".join(line) + "\n" for line in [header, *rows])


FORMS = {
    "write.csv": with_r_names,
    "write.table": with_short_header,
    "to_csv": with_pandas_index,
    "to_csv of a read index": lambda header, rows: with_pandas_index(
        header, rows, "Unnamed: 0"),
}


class RowNames(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        header, *rows = read_iris()
        new = set(random.Random(1).sample(range(len(rows)), 50))
        self.header = header
        self.train = [row for i, row in enumerate(rows) if i not in new]
        self.new = [row for i, row in enumerate(rows) if i in new]

    def run_mlp(self, *words):
        run = subprocess.run([MLP, *words], cwd=self.folder, capture_output=True,
                             text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def predictions(self, form, of_new):
        """Trains on a table of one form, and predicts new rows of another."""
        (self.folder / "train.txt").write_text(form(self.header, self.train))
        (self.folder / "new.txt").write_text(of_new(self.header, self.new))
        trained = self.run_mlp("train", "train.txt", "--label", self.header[-1],
                               "-o", "m.json")
        scored = self.run_mlp("predict", "m.json", "new.txt",
                              "--output", "prediction,probability")
        return scored.stdout, trained.stderr

    def test_row_names_change_no_prediction(self):
        expected, _ = self.predictions(without_names, without_names)
        classes = [line.split(",")[0] for line in expected.splitlines()[1:]]
        right = sum(a == row[-1] for a, row in zip(classes, self.new))
        self.assertGreater(right, 45)
        for title, form in FORMS.items():
            for of_new in (form, without_names):
                with self.subTest(title, new=of_new.__name__):
                    got, notes = self.predictions(form, of_new)
                    self.assertEqual(got, expected)
                    self.assertIn("has the names of the rows", notes)

    def test_features_restores_row_names(self):
        (self.folder / "t.csv").write_text(with_r_names(self.header, self.train))
        inspect = self.run_mlp("inspect", "t.csv", "--features", "0,1,2")
        self.assertIn("100 instances of 3 features", inspect.stdout)


if __name__ == "__main__":
    DATA = pathlib.Path(sys.argv.pop(2)).resolve()
    MLP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
