#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains and scores on folders name=value, on texts of vectors and on LIBSVM parts.

Usage: folders_test.py MLP [SITE_PACKAGES]
    SITE_PACKAGES   the folder that has pyarrow, if the program has the plugin
"""

import csv
import gzip
import random
import sys
import unittest

from program_case import ProgramCase

FLAGS = ("--max-iter", "20", "--seed", "1", "--label", "kind")


def make_rows(count=90):
    """Rows of day, city, x and kind, in the order of their folders."""
    source = random.Random(3)
    rows = [(1 + i // 30, "Rome" if i % 30 < 15 else "a/b", round(source.gauss(0, 1), 3))
            for i in range(count)]
    rows.sort(key=lambda row: (row[0], row[1] != "Rome"))
    return [(*row, int(row[2] + row[0] > 2)) for row in rows]


def write_rows(path, rows, names):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


class FoldersTest(ProgramCase):
    pyarrow = None

    def setUp(self):
        super().setUp()
        self.rows = make_rows()
        self.whole = self.folder / "whole.csv"
        write_rows(self.whole, [(x, kind, day, city) for day, city, x, kind in self.rows],
                   ("x", "kind", "day", "city"))

    def write_folders(self, write, ending):
        """Writes the rows of each day and city into folders of their own."""
        top = self.folder / ending
        for day in (1, 2, 3):
            for city in ("Rome", "a/b"):
                below = top / f"day=0{day}" / f"city={city.replace('/', '%2F')}"
                below.mkdir(parents=True)
                (below / "_SUCCESS").write_text("")
                write(below / f"part-0.{ending}",
                      [row[2:] for row in self.rows if row[:2] == (day, city)])
        return top

    def write_table(self, path, rows):
        names = ("x", "kind")
        if path.suffix == ".csv":
            write_rows(path, rows, names)
            return
        from pyarrow import feather, parquet
        table = self.pyarrow.table(dict(zip(names, map(list, zip(*rows)))))
        (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, path)

    def test_folders_give_columns_in_every_command(self):
        expected = self.train(self.whole, *FLAGS, "--features", "x,day", "--layers", "2,3,2")
        model = self.folder / "model.json"
        predictions = self.call("predict", model, self.whole, "--keep", "city")
        endings = ("csv",) if self.pyarrow is None else ("csv", "parquet", "feather")
        for ending in endings:
            with self.subTest(ending):
                top = self.write_folders(self.write_table, ending)
                trained = self.train(top, *FLAGS, "--features", "x,day", "--layers", "2,3,2")
                self.assertEqual(trained["weights"], expected["weights"])
                self.assertEqual(self.call("predict", model, top, "--keep", "city"), predictions)
                self.assertIn("accuracy", self.call("evaluate", model, top))
                self.assertIn("city", self.call("inspect", top))
                self.assertEqual(
                    self.call("featurize", model, top, "--layer", "1").splitlines()[1:],
                    self.call("featurize", model, self.whole, "--layer", "1").splitlines()[1:])

    def test_texts_of_folders_are_categories(self):
        expected = self.train(self.whole, "--label", "kind", "--effort", "quick")
        endings = ("csv",) if self.pyarrow is None else ("csv", "parquet")
        for ending in endings:
            with self.subTest(ending):
                top = self.write_folders(self.write_table, ending)
                model = self.train(top, "--label", "kind", "--effort", "quick")
                self.assertEqual(model["input"], expected["input"])
                self.assertEqual(model["weights"], expected["weights"])

    def test_a_pattern_leaves_out_the_columns_that_it_crosses(self):
        top = self.write_folders(self.write_table, "csv")
        result = self.run_mlp("train", f"{top}/*/*/*.csv", "--label", "kind", "--layers", "1,2",
                              "--max-iter", "2", "-o", self.folder / "m.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the folders in the given paths name the columns 'day', 'city', "
                      "which the rows do not get", result.stderr)
        result = self.run_mlp("train", top, "--write-split", self.folder / "s", "--split", "0.5,0.5")
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_texts_of_vectors_are_features(self):
        plain, dense, sparse = (self.folder / f"{name}.csv" for name in ("p", "dense", "sparse"))
        points = [(i % 2, [float(i % 7), 0.0, -0.5 * i]) for i in range(40)]
        write_rows(plain, [(kind, *vector) for kind, vector in points],
                   ("kind", "v_0", "v_1", "v_2"))
        write_rows(dense, [(kind, str(vector).replace(" ", "")) for kind, vector in points],
                   ("kind", "v"))
        write_rows(sparse, [(kind, f"(3,[0,2],[{vector[0]},{vector[2]}])")
                            for kind, vector in points], ("kind", "v"))
        expected = self.train(plain, *FLAGS, "--layers", "3,2")
        model = self.folder / "model.json"
        predictions = self.call("predict", model, plain)
        for path in (dense, sparse):
            with self.subTest(path.name):
                trained = self.train(path, *FLAGS, "--layers", "3,2", "--features", "v")
                self.assertEqual(trained["weights"], expected["weights"])
                self.assertEqual(trained["input"], expected["input"])
                self.assertEqual(self.call("predict", model, path), predictions)

    def test_parts_of_libsvm_have_the_most_features_of_all(self):
        parts = self.folder / "parts"
        parts.mkdir()
        first, second = "0 1:1\n1 2:1.5\n" * 8, "0 1:2\n1 3:2.5\n" * 8
        (parts / "part-00000").write_text(first)
        (parts / "part-00001.gz").write_bytes(gzip.compress(second.encode()))
        for name in ("_SUCCESS", ".part-00000.crc"):
            (parts / name).write_text("x")
        one = self.folder / "one.libsvm"
        one.write_text(first + second)
        flags = ("--layers", "3,2", "--max-iter", "5", "--seed", "1", "--preset", "spark")
        self.assertEqual(self.train(parts, *flags)["weights"],
                         self.train(one, *flags)["weights"])
        by_files = self.train(parts, *flags, "--partitions", "files")
        self.assertEqual(by_files["weights"],
                         self.train(one, *flags, "--partition-sizes", "16,16")["weights"])

    def test_files_of_csv_can_be_partitions(self):
        top = self.write_folders(self.write_table, "csv")
        flags = (*FLAGS, "--features", "x,day", "--layers", "2,3,2", "--preset", "spark")
        self.assertEqual(
            self.train(top, *flags, "--partitions", "files")["weights"],
            self.train(self.whole, *flags, "--partition-sizes", ",".join(["15"] * 6))["weights"])


if __name__ == "__main__":
    FoldersTest.program = sys.argv[1]
    if len(sys.argv) > 2:
        sys.path.insert(0, sys.argv[2])
        import pyarrow
        FoldersTest.pyarrow = pyarrow
    unittest.main(argv=sys.argv[:1])
