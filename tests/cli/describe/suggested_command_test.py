#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the command that inspect suggests for tables as people have them.

Usage: suggested_command_test.py MLP
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

NUM_ROWS = 60


def rows(seed=3):
    """Rows of two numbers and a class that they tell."""
    source = random.Random(seed)
    for _ in range(NUM_ROWS):
        x, y = source.gauss(0, 1), source.gauss(5, 2)
        yield x, y, "yes" if x + y > 5 else "no"


def table(header, make, line_end="\n"):
    """A table of make(i, x, y, kind) for each row."""
    lines = [header] if header else []
    lines += [make(i, *row) for i, row in enumerate(rows())]
    return "".join(line + line_end for line in lines)


def plain(i, x, y, kind):
    return f"{x:.3f},{y:.2f},{kind}"


NAMES = [f"{a}{b}" for a in "ABCDEFGH" for b in "aeiouxyz"][:NUM_ROWS]
CITIES = ("Rome", "Oslo", "Lima")


def shuffled(i):
    return (i * 37 + 11) % NUM_ROWS


# name: (file, text, words that the command must have, words that it must not have)
TABLES = {
    "plain": ("t.csv", table("x,y,kind", plain), ["--label kind"], ["--ignore"]),
    "without a header": ("t.csv", table("", plain), ["--label 2"], ["--header"]),
    "row names of R": (
        "t.csv",
        table('"","x","y","kind"', lambda i, x, y, k: f'"{i + 1}",{x:.3f},{y:.2f},"{k}"'),
        ["--label kind"], ["--ignore"]),
    "R's write.table": (
        "t.txt",
        table('"x" "y" "kind"', lambda i, x, y, k: f'"{i + 1}" {x:.3f} {y:.2f} "{k}"'),
        ["--label kind"], []),
    "shuffled index of pandas": (
        "t.csv", table(",x,y,kind", lambda i, *r: f"{shuffled(i)},{plain(i, *r)}"),
        ["--label kind"], ["--ignore"]),
    "identifier": (
        "t.csv", table("Id,x,y,kind", lambda i, *r: f"{i + 100},{plain(i, *r)}"),
        ["--ignore Id"], []),
    "unordered identifier": (
        "t.csv", table("Id,x,y,kind", lambda i, *r: f"{shuffled(i)},{plain(i, *r)}"),
        ["--ignore Id"], []),
    "names of people": (
        "t.csv", table("name,x,y,kind", lambda i, *r: f"{NAMES[i]},{plain(i, *r)}"),
        ["--ignore name"], ["--one-hot"]),
    "categories": (
        "t.csv", table("city,x,y,kind", lambda i, *r: f"{CITIES[i % 3]},{plain(i, *r)}"),
        ["--one-hot auto"], ["--ignore"]),
    "two dates": (
        "t.csv", table("day,x,y,kind", lambda i, *r: f"2026-01-0{1 + i % 2},{plain(i, *r)}"),
        ["--one-hot auto"], ["--ignore"]),
    "dates": (
        "t.csv",
        table("day,x,y,kind", lambda i, *r: f"2026-{1 + i % 12:02}-{1 + i % 2},{plain(i, *r)}"),
        ["--ignore day"], ["--one-hot"]),
    "missing numbers": (
        "t.csv",
        table("x,y,kind", lambda i, x, y, k: f"{'' if i % 7 == 0 else x},{y},{k}"),
        ["--missing mean"], []),
    "missing categories": (
        "t.csv",
        table("c,x,kind", lambda i, x, y, k: f"{'NA' if i % 9 == 0 else CITIES[i % 3]},{x},{k}"),
        ["--missing mean", "--one-hot auto"], []),
    "missing labels": (
        "t.csv",
        table("x,y,kind", lambda i, x, y, k: f"{x},{y},{'' if i % 10 == 0 else k}"),
        ["--missing drop"], []),
    "missing labels and a sparse column": (
        "t.csv",
        table("x,deck,y,kind", lambda i, x, y, k:
              f"{x},{'A' if i % 5 == 0 else ''},{y},{'' if i % 10 == 0 else k}"),
        ["--missing drop", "--ignore deck"], []),
    "empty column": (
        "t.csv", table("x,none,y,kind", lambda i, x, y, k: f"{x},,{y},{k}"),
        ["--ignore none"], []),
    "dates": (
        "t.csv",
        table("day,x,y,kind", lambda i, *r: f"2024-{i % 9 + 1:02}-{i % 5 + 1:02},{plain(i, *r)}"),
        ["--ignore day"], []),
    "prices": (
        "t.csv",
        table("price,x,y,kind", lambda i, *r: f"${i % 20}.50,{plain(i, *r)}"),
        ["--ignore price"], []),
    "numbers to predict": (
        "t.csv", table("x,y,price", lambda i, x, y, k: f"{x},{y},{2 * x - y:.3f}"),
        ["--task regression"], []),
    "many integers to predict": (
        "t.csv", table("x,y,count", lambda i, x, y, k: f"{x},{y},{shuffled(i)}"),
        ["--task regression"], []),
    "decimal commas": (
        "t.csv",
        table("x;y;kind", lambda i, x, y, k: f"{x:.3f};{y:.2f};{k}".replace(".", ",")),
        ["--decimal ,"], []),
    "tabs": (
        "t.tsv", table("x\ty\tkind", lambda i, x, y, k: f"{x}\t{y}\t{k}"),
        ["--label kind"], []),
    "spaces": (
        "t.txt", table("x y kind", lambda i, x, y, k: f"{x:8.3f} {y:8.2f} {k}"),
        ["--label kind"], []),
    "trailing delimiter": (
        "t.csv", table("x,y,kind,", lambda i, *r: plain(i, *r) + ","),
        ["--label kind"], []),
    "True and False": (
        "t.csv", table("flag,x,kind", lambda i, x, y, k: f"{x > 0},{x},{k}"),
        ["--label kind"], ["--one-hot"]),
    "text among numbers": (
        "t.csv",
        table("x,y,kind", lambda i, x, y, k: f"{'unknown' if i % 8 == 0 else x},{y},{k}"),
        ["--na", "unknown", "--missing mean"], []),
    "mixed categories": (
        "t.csv",
        table("code,x,kind", lambda i, x, y, k: f"{'ABCDE'[i % 5] if i % 2 else i % 4},{x},{k}"),
        ["--one-hot code"], []),
    "names that need quotes": (
        "my data.csv",
        table("my x,city (home),kind", lambda i, x, y, k: f"{x},{CITIES[i % 3]},{k}"),
        ["'my data.csv'", "--one-hot auto"], []),
    "label first": (
        "t.csv", table("class,x,y", lambda i, x, y, k: f"{k},{x},{y}"),
        ["--label class"], []),
    "text of each row last": (
        "t.csv",
        table("kind,x,y,note", lambda i, x, y, k: f"{k},{x},{y},{NAMES[i]}{NAMES[-i]}"),
        ["--label kind"], []),
    "UTF-16": ("t.csv", table("x,y,kind", plain).encode("utf-16"), ["--label kind"], []),
    "empty lines": ("t.csv", table("x,y,kind", plain, line_end="\n\n"), ["--label kind"], []),
    "line ends of old Macs": (
        "t.csv", table("x,y,kind", plain, line_end="\r"), ["--label kind"], []),
    "thousands": (
        "t.csv",
        table("pay,x,y,kind", lambda i, *r: f'"{i % 7 + 1},{i + 100}",{plain(i, *r)}'),
        ["--ignore pay"], ["--decimal"]),
    "names with spaces and years": (
        "t.csv",
        table("Country Name,2000,2001,2002", lambda i, x, y, k: f"{NAMES[i]},{x},{y},{x + y:.3f}"),
        ["--header yes", "--label 3", "--ignore 0"], []),
    "a dash for missing": (
        "t.csv", table("x,y,kind", lambda i, x, y, k: f"{'-' if i % 8 == 0 else x},{y},{k}"),
        ["--na='-,"], []),
    "commas and points": (
        "t.csv",
        table("a;b;kind", lambda i, x, y, k: f"{i % 9 + 10},{i + 100};{y:.2f};{k}"),
        ["--ignore a"], ["--decimal"]),
    "repeated row names": (
        "t.csv", table(",x,y,kind", lambda i, *r: f"{i % 30},{plain(i, *r)}"),
        ["--ignore 0"], []),
    "empty last column": (
        "t.csv", table("kind,x,y,Unnamed: 3", lambda i, x, y, k: f"{k},{x},{y},"),
        ["--label kind"], []),
    "LIBSVM": (
        "t.libsvm", table("", lambda i, x, y, k: f"{int(k == 'yes')} 1:{x} 2:{y}"),
        [], ["--label"]),
}

class SuggestedCommand(unittest.TestCase):
    def suggest(self, name, text, *flags):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)
        inspect = subprocess.run([MLP, "inspect", name, *flags], cwd=self.folder,
                                 capture_output=True, text=True, timeout=60)
        self.assertIn(inspect.returncode, (0, 3), inspect.stderr)
        lines = inspect.stdout.splitlines()
        start = "train with:  "
        found = [line[len(start):] for line in lines if line.startswith(start)]
        self.assertEqual(len(found), 1, inspect.stdout + inspect.stderr)
        self.assertEqual(found[0], lines[-1][len(start):])
        return found[0]

    def run_command(self, command):
        self.assertTrue(command.startswith("mlp train "), command)
        shell = f"{MLP}{command[3:]} --max-iter 3"
        return subprocess.run(shell, shell=True, cwd=self.folder,
                              capture_output=True, text=True, timeout=60)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_each_table_trains_as_suggested(self):
        for title, (name, text, wanted, unwanted) in TABLES.items():
            with self.subTest(title):
                command = self.suggest(name, text)
                for words in wanted:
                    self.assertIn(words, command)
                for words in unwanted:
                    self.assertNotIn(words, command)
                train = self.run_command(command)
                self.assertEqual(train.returncode, 0, command + "\n" + train.stderr)
                model = pathlib.Path(name).stem + ".json"
                self.assertTrue((self.folder / model).exists(), command)

    def test_flags_of_inspect_stay(self):
        text = table("x,y,w,kind", lambda i, x, y, k: f"{x},{y},{i % 3 + 1},{k}")

        command = self.suggest("t.csv", text, "--weight-col", "w", "--ignore", "y")

        self.assertIn("--weight-col w", command)
        self.assertIn("--ignore y", command)
        self.assertEqual(self.run_command(command).returncode, 0, command)

    def test_layers_begin_with_the_features_that_are_made(self):
        text = table("city,x,kind", lambda i, x, y, k: f"{CITIES[i % 3]},{x + y},{k}")

        command = self.suggest("t.csv", text, "--layers", "9,2")

        self.assertIn("--layers 4,2", command)
        self.assertEqual(self.run_command(command).returncode, 0, command)

    def check_refused_label(self, header, make, wanted):
        """inspect refuses the labels of a table with texts as train does, and suggests others."""
        lines = [header, *(f"{CITIES[i % 3]},{i % 17}.5,{make(i)}" for i in range(260))]
        text = "".join(line + "\n" for line in lines)

        command = self.suggest("t.csv", text)

        for flags in ([], ["--json"]):
            inspect, train = (
                subprocess.run([MLP, *words, "t.csv", *flags], cwd=self.folder,
                               capture_output=True, text=True, timeout=60)
                for words in (["inspect"], ["train", "--effort", "quick"]))
            errors = [done.stderr.splitlines()[-1] for done in (inspect, train)]
            self.assertEqual((inspect.returncode, train.returncode), (3, 3))
            self.assertEqual(errors[0], errors[1])
            self.assertIn("label", errors[0])
        for words in wanted:
            self.assertIn(words, command)
        self.assertEqual(self.run_command(command).returncode, 0, command)

    def test_texts_of_rows_are_no_labels(self):
        self.check_refused_label("city,x,kind,note", lambda i: f"{i % 2},note {i}",
                                 ["--label city", "--ignore note"])

    def test_fractions_are_labels_of_a_regression(self):
        self.check_refused_label("city,x,y", lambda i: f"{i / 7:.3f}",
                                 ["--label y", "--task regression", "--one-hot auto"])

    def test_flags_for_printing_are_not_suggested(self):
        (self.folder / "t.csv").write_text(table("x,y,kind", plain))

        inspect = subprocess.run([MLP, "inspect", "t.csv", "--threads", "1", "-v"],
                                 cwd=self.folder, capture_output=True, text=True, timeout=60)

        self.assertIn("train with:  mlp train t.csv --label kind -o t.json", inspect.stdout)

    def inspect_input(self, text):
        return subprocess.run([MLP, "inspect", "-"], cwd=self.folder, input=text,
                              capture_output=True, text=True, timeout=60)

    def test_standard_input_is_read_once(self):
        inspect = self.inspect_input(table("x,y,kind", plain))

        self.assertEqual(inspect.returncode, 0, inspect.stderr)
        self.assertIn("train with:  mlp train - --label kind -o model.json", inspect.stdout)

    def test_flags_that_cannot_be_tried_are_not_suggested(self):
        inspect = self.inspect_input(
            table("city,x,kind", lambda i, x, y, k: f"{CITIES[i % 3]},{x},{k}"))

        self.assertEqual(inspect.returncode, 3)
        self.assertIn("expected a number in column 'city'", inspect.stderr)
        self.assertNotIn("train with", inspect.stdout)

    def test_json_has_the_command(self):
        (self.folder / "t.csv").write_text(table("x,y,kind", plain))

        inspect = subprocess.run([MLP, "inspect", "t.csv", "--json"], cwd=self.folder,
                                 capture_output=True, text=True, timeout=60)

        self.assertIn('"command": "mlp train t.csv --label kind -o t.json"', inspect.stdout)


if __name__ == "__main__":
    MLP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
