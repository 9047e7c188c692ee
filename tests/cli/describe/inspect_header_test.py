#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares how inspect and train decide about the first row of awkward files.

Usage: inspect_header_test.py MLP
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

# name: (text, whether the first row is a header; None if both must refuse to decide)
FILES = {
    "numbers below names": ("x,y,kind\n1,2,a\n3,4,b\n5,6,a\n", True),
    "numbers": ("1,2,a\n3,4,b\n5,6,a\n", False),
    "texts that occur again": ("c,x,kind\nr,1,a\ns,2,b\nr,3,a\n", True),
    "texts without a header": ("r,1,a\ns,2,b\nr,3,a\n", False),
    "distinct texts": ("name,mail,kind\nAnn,a@x,yes\nBob,b@x,no\nCat,c@x,yes\n", None),
    "distinct texts and numbers to predict": ("name,mail,pay\nAnn,a@x,1\nBob,b@x,2\n", True),
    "a column of distinct texts beside numbers": ("name,x,kind\nAnn,1,a\nBob,2,b\n", True),
    "texts alone that occur again": ("c,d,kind\nr,t,a\ns,u,b\nr,t,a\n", True),
    "one row of texts again": ("r,t,a\ns,u,b\nr,v,a\n", False),
    "years above distinct names": (
        "land,2019,2020,income\nA,1.5,2,high\nB,2.5,3,low\nC,1,2,high\n", True),
    "years above distinct names, and a year to predict": (
        "land,2019,2020,2021\nA,1,2,7\nB,3,4,8\nC,5,6,9\n", True),
    "years above names that occur again": (
        "area,2020,wage\nN,1.2,up\nS,0.2,low\nN,1.1,up\nS,3,low\n", True),
    "a text beside a number like those below": ("W,2,c\nN,1,a\nS,3,b\nN,5,d\n", False),
    "decimal commas": ("a;b;kind\n1,5;2,5;x\n2,5;3,5;y\n3,5;1,5;x\n", True),
    "thousands": ('pay,x,kind\n"1,500",1,a\n"2,500",2,b\n"3,700",3,a\n', True),
    "a marker of a missing value": ("r,?,a\ns,M,b\nt,L,a\n", False),
    "truth values": ("r,True,a\ns,False,b\nr,True,a\n", False),
    "texts like numbers": ("deck,sex,kind\n1st,f,a\n2nd,m,b\n3rd,f,a\n", True),
    "0, 1, 2": ("0,1,2\n5,6,0\n7,8,1\n", True),
    "0, 1, 2 with a label that occurs": ("0,1,2,3\n5,6,7,3\n8,9,7,3\n", False),
    "a name of the label": ("r,s,class\na,b,x\nc,d,y\ne,f,x\n", True),
    "row names": (",x,kind\n0,1,a\n1,2,b\n2,4,a\n", True),
}
UNDECIDED = "expected to be told which one it is"


class InspectDecidesAsTrain(unittest.TestCase):
    def run_mlp(self, *arguments):
        return subprocess.run([MLP, *arguments], cwd=self.folder, capture_output=True,
                              text=True, timeout=60)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def num_rows_of_train(self, done):
        """Returns the rows that train reads; None if it reads none."""
        found = re.search(r"read (\d+) instances", done.stderr)
        return int(found[1]) if found else None

    def num_rows_of_inspect(self, done):
        found = re.search(r"^rows +(\d+)$|^(\d+) instances of", done.stdout, re.MULTILINE)
        return int(found[1] or found[2]) if found else None

    def errors(self, done):
        """What is wrong, without the advice, which depends on the command."""
        lines = [line for line in done.stderr.splitlines() if line.startswith("mlp: error")]
        return [line.split(";")[0] for line in lines]

    def check(self, text, is_header, flags):
        (self.folder / "t.csv").write_text(text)
        num_lines = text.count("\n")
        train = self.run_mlp("train", "t.csv", "--effort", "quick", "-v", "--max-iter", "1", *flags)
        inspect = self.run_mlp("inspect", "t.csv", *flags)
        told = train.stderr + inspect.stderr + inspect.stdout

        self.assertEqual(self.errors(inspect), self.errors(train), told)
        if is_header is None:
            self.assertIn(UNDECIDED, train.stderr)
            self.assertIsNone(self.num_rows_of_inspect(inspect), told)
            return
        expected = num_lines - int(is_header)
        self.assertEqual(self.num_rows_of_inspect(inspect), expected, told)
        if train.returncode == 0:
            self.assertEqual(self.num_rows_of_train(train), expected, told)

    def test_each_file(self):
        for title, (text, is_header) in FILES.items():
            with self.subTest(title):
                self.check(text, is_header, [])

    def test_a_flag_decides_for_both(self):
        text, _ = FILES["distinct texts"]

        self.check(text, True, ["--header", "yes", "--one-hot", "name"])
        self.check(text, False, ["--header", "no", "--one-hot", "0"])

    def test_with_layers_both_expect_numbers(self):
        (self.folder / "t.csv").write_text("W,2,c\nN,1,a\nS,3,b\nN,5,d\n")
        flags = ["t.csv", "--layers", "2,4"]

        train, inspect = self.run_mlp("train", *flags), self.run_mlp("inspect", *flags)

        self.assertEqual(train.returncode, 3)
        self.assertIn("t.csv:2:1: expected a number in column 'W', got 'N'", train.stderr)
        self.assertEqual(self.num_rows_of_inspect(inspect), 3)


if __name__ == "__main__":
    MLP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
