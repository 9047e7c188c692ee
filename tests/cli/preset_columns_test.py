#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains without flags on a table with texts and missing values, and compares what
the model stores and predicts with rows that are encoded here.

Usage: preset_columns_test.py MLP
"""

import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

HEADER = ["age", "color", "size", "label"]
QUICK = ("--effort", "quick", "--max-iter", "20")


def make_rows():
    """120 rows. Some ages and colors are missing; pink and teal are rare."""
    source = random.Random(3)
    rows = []
    for i in range(120):
        age, color = source.gauss(40, 9), source.choice(("red", "blue", "red, dark"))
        size = source.choice("SML")
        rows.append(["?" if i % 20 == 7 else f"{age:.1f}", "" if i % 30 == 9 else color,
                     size, "yes" if (age > 40) == (size != "L") else "no"])
    for i, color in enumerate(("pink", "teal", "teal")):
        rows[i][1] = color
    return rows


def text_of(rows, header=HEADER):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def plain_rows(rows, inputs):
    """The rows as numbers, encoded and scaled as the model says."""
    age, color, size = inputs["columns"]
    encoded = []
    for row in rows:
        text = row[1] if row[1] in color["categories"] else None
        number = age["missing"] if row[0] == "?" else float(row[0])
        features = [(number - inputs["mean"][0]) / inputs["std"][0], int(row[0] == "?")]
        features += [int(text == known) for known in color["categories"]]
        features += [int(text is None), *(int(row[2] == known) for known in size["categories"])]
        encoded.append(features)
    return encoded


class PresetColumnsTest(unittest.TestCase):
    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rows = make_rows()
        self.write("data.csv", text_of(self.rows))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_mlp(self, *words, exit_code=0):
        done = subprocess.run([self.program, *words], cwd=self.folder, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def train(self, *flags, data="data.csv"):
        done = self.run_mlp("train", data, "-o", "m.json", "--label", "label", *flags)
        return json.loads((self.folder / "m.json").read_text()), done.stderr

    def predict(self, rows, *flags, header=HEADER, model="m.json"):
        self.write("new.csv", text_of(rows, header))
        done = self.run_mlp("predict", model, "new.csv", "--output", "probability", *flags)
        return list(csv.reader(io.StringIO(done.stdout)))[1:]

    def test_a_table_trains_without_flags(self):
        model, notes = self.train("--effort", "quick")

        age, color, size = model["input"]["columns"]
        self.assertEqual(model["formatVersion"], 3)
        self.assertEqual(age["extra"], "missing")
        self.assertEqual(color["categories"], ["", "blue", "red", "red, dark"])
        self.assertEqual((color["missing"], color["extra"]), (0, "other"))
        self.assertEqual(size["categories"], ["L", "M", "S"])
        self.assertNotIn("extra", size)
        self.assertEqual(model["input"]["unknown"], "other")
        self.assertEqual(model["input"]["featureNames"],
                         ["age", "age=", "color=", "color=blue", "color=red",
                          "color=red, dark", "color!=", "size=L", "size=M", "size=S"])
        self.assertIn("of the columns 'color' (4 and others), 'size' (3); 3 columns become "
                      "10 features", notes)
        self.assertIn("a feature says where a value is missing, of the columns 'age'", notes)
        self.run_mlp("inspect", "m.json", "--verify")
        told = self.run_mlp("inspect", "m.json").stdout
        self.assertIn("color (4 categories and others; a missing value is one of them)", told)
        self.assertIn("unknown      categories share a feature with rare ones", told)

    def test_the_model_is_that_of_encoded_rows(self):
        for effort in (QUICK, ("--effort", "standard")):
            with self.subTest(effort=effort):
                model, _ = self.train(*effort)
                self.assertEqual(model["input"]["mean"][1:], [0] * 9)
                self.assertEqual(model["input"]["std"][1:], [1] * 9)
                encoded = plain_rows(self.rows, model["input"])
                names = [f"f{i}" for i in range(10)] + ["label"]
                self.write("plain.csv", text_of(
                    [[*row, given[-1]] for row, given in zip(encoded, self.rows)], names))

                plain, notes = self.train(*effort, "--no-standardize", data="plain.csv")

                self.assertEqual(plain["layers"], model["layers"])
                if effort == QUICK:
                    for a, b in zip(plain["weights"]["data"], model["weights"]["data"]):
                        self.assertAlmostEqual(a, b, 6)
                else:  # Long trainings make more of the last bits.
                    losses = [one["training"]["selection"]["unseenLoss"]
                              for one in (plain, model)]
                    self.assertAlmostEqual(*losses, 3)
                self.assertNotIn("columns", plain["input"])
                self.assertNotIn("missing", notes)

    def test_unknown_and_rare_categories_share_a_feature(self):
        self.train(*QUICK)
        row = ["40", "pink", "S", "yes"]
        others = [["40", "green", "S", "yes"], ["40", "teal", "S", "yes"]]

        rare, unknown, other = self.predict([row, *others])
        (ignored,) = self.predict(others[:1], "--unknown", "ignore")
        self.write("new.csv", text_of(others[:1]))
        refused = self.run_mlp("predict", "m.json", "new.csv", "--unknown", "refuse",
                               exit_code=3)

        self.assertEqual(rare, unknown)
        self.assertEqual(rare, other)
        self.assertNotEqual(rare, ignored)
        self.assertIn("unknown category 'green' in column 'color'", refused.stderr)

    def test_missing_values_are_told_from_those_that_replace_them(self):
        model, _ = self.train(*QUICK)
        age = repr(model["input"]["columns"][0]["missing"])

        filled, missing, no_color = self.predict(
            [[age, "red", "S", ""], ["NA", "red", "S", ""], [age, "", "S", ""]])

        self.assertNotEqual(filled, missing)
        self.assertNotEqual(filled, no_color)

    def test_a_flag_wins(self):
        model, _ = self.train(*QUICK, "--unknown", "refuse")
        dropped, _ = self.train(*QUICK, "--missing", "drop")
        refused = self.run_mlp("train", "data.csv", "--missing", "refuse", exit_code=3)
        texts = self.run_mlp("train", "data.csv", "--layers", "8,2", exit_code=3)

        self.assertEqual(model["input"]["columns"][1]["categories"],
                         ["", "blue", "pink", "red", "red, dark", "teal"])
        self.assertNotIn("unknown", model["input"])
        self.assertEqual(dropped["training"]["rows"], 110)
        self.assertNotIn("missing", dropped["input"]["columns"][0])
        self.assertIn("add --missing drop or --missing mean", refused.stderr)
        self.assertIn("--one-hot auto", texts.stderr)

    def test_the_training_rows_decide(self):
        whole, _ = self.train(*QUICK)
        folds, _ = self.train(*QUICK, "--folds", "3")
        self.train(*QUICK, "--split", "0.6,0.4", "--write-split", "part")
        part = json.loads((self.folder / "m.json").read_text())
        rest, _ = self.train(*QUICK, data="part-train.csv")

        self.assertEqual(folds["input"], whole["input"])
        self.assertEqual(part["input"], rest["input"])
        self.assertEqual(self.train(*QUICK, "--ranks", "2")[0]["input"], whole["input"])

    def test_numbers_without_missing_values_stay_plain_features(self):
        self.write("numbers.csv", text_of(
            [[str(i % 7), str(i % 5), str(i * i % 11), str(i % 2)] for i in range(40)]))

        model, notes = self.train(*QUICK, data="numbers.csv")
        self.write("new.csv", "age,color,size\n1,?,2\n")
        missing = self.run_mlp("predict", "m.json", "new.csv")

        self.assertNotIn("columns", model["input"])
        self.assertNotIn("one-hot", notes)
        self.assertNotIn("missing", notes)
        self.assertIn("1 missing value in 1 of 1 row replaced by the values of the model",
                      missing.stderr)

    def test_a_format_without_columns_refuses_them_and_says_why(self):
        refused = self.run_mlp("train", "data.csv", "--for", "spark", exit_code=2)

        self.assertIn("--for spark: cannot express the model, because it encodes columns of "
                      "its data file; --ignore leaves columns of texts out, and --missing "
                      "drop the rows that lack a value", refused.stderr)
        self.run_mlp("train", "data.csv", "--for", "spark", "--ignore", "color,size",
                     "--missing", "drop", *QUICK)

    def test_columns_that_cannot_be_features_are_left_out(self):
        rows = [[i, f"row {i}", "", *row] for i, row in enumerate(self.rows)]
        header = ["rownames", "name", "empty", *HEADER]
        self.write("wide.csv", text_of(rows, header))

        model, notes = self.train("--effort", "quick", data="wide.csv")

        plain, _ = self.train("--effort", "quick")
        self.assertEqual(model["weights"]["data"], plain["weights"]["data"])
        self.assertIn("column 'name' has 120 different texts in 120 rows, and is left out; "
                      "--one-hot name takes it as categories", notes)
        self.assertIn("column 'rownames' has a different integer in each row, which says "
                      "nothing about new rows, and is left out; --features takes it", notes)
        self.assertIn("column 'empty' has no value in any of the 120 rows, and is left out",
                      notes)
        asked = self.run_mlp("train", "wide.csv", "--one-hot", "auto", exit_code=3).stderr
        self.assertIn("leave the column out: --ignore name,empty", asked)
        piped = subprocess.run(
            [self.program, "train", "-", "--effort", "quick", "--max-iter", "2"], text=True,
            capture_output=True, input=text_of(rows, header))
        self.assertEqual(piped.returncode, 0, piped.stderr)
        self.assertIn("column 'name' has 120 different texts", piped.stderr)

    def test_only_the_column_that_cannot_be_a_feature_is_left_out(self):
        rows = [[f"id {i}", f"city {i // 4}", i % 2] for i in range(4400)]
        self.write("cities.csv", text_of(rows, ["id", "city", "label"]))

        model, notes = self.train("--effort", "quick", "--max-iter", "1", data="cities.csv")

        self.assertEqual([column["name"] for column in model["input"]["columns"]], ["city"])
        self.assertIn("column 'id' has ", notes)
        self.assertNotIn("'city' has ", notes)

    def test_numbers_that_are_written_otherwise_are_refused(self):
        for cell, sentence in (("unknown", "both numbers, such as '"), ("7.5%", "")):
            rows = [[f"{i / 7:.3f}" + ("%" if "%" in cell else ""), i % 2] for i in range(60)]
            rows[5][0] = cell
            self.write("stray.csv", text_of(rows, ["share", "label"]))

            refused = self.run_mlp("train", "stray.csv", exit_code=3)

            self.assertIn("column 'share' has " + sentence, refused.stderr)

    def test_a_validation_file_has_the_columns_of_the_training(self):
        rows = [[f"row {i}", *row] for i, row in enumerate(self.rows)]
        self.write("named.csv", text_of(rows, ["name", *HEADER]))
        self.run_mlp("train", "named.csv", "--validation", "named.csv", *QUICK)

        self.write("numbers.csv", text_of([[i % 7, i % 3, i % 2] for i in range(60)],
                                          ["a", "b", "label"]))
        self.write("holes.csv", text_of([["", 1, 0], [2, 1, 1]], ["a", "b", "label"]))
        trained = self.run_mlp("train", "numbers.csv", "--validation", "holes.csv")
        self.assertIn("holes.csv: 1 missing value in 1 of 2 rows replaced by the values of the "
                      "model; most in column 'a' (1)", trained.stderr)

    def test_hostile_columns(self):
        rows = [["", "one", "5" if i % 9 else "?", str(i % 2)] for i in range(60)]
        self.write("hostile.csv", text_of(rows))
        model, notes = self.train(*QUICK, data="hostile.csv")

        self.assertIn("'age' has no value in any of the 60 rows, and is left out", notes)
        color, size = model["input"]["columns"]
        self.assertEqual(color["categories"], ["one"])
        self.assertEqual((size["kind"], size["missing"], size["extra"]),
                         ("number", 5, "missing"))

    def test_a_column_has_more_categories_than_features(self):
        rows = [[str(i * 7 % 5400), f"c{i // 4 if i < 5200 else 5200 + i}", "S", str(i % 2)]
                for i in range(5400)]
        self.write("wide.csv", text_of(rows))

        model, notes = self.train("--effort", "quick", "--max-iter", "2", data="wide.csv")

        color = model["input"]["columns"][1]
        self.assertEqual(len(color["categories"]), 1000)
        self.assertEqual(color["extra"], "other")
        self.assertIn("'color' (1000 and others)", notes)


if __name__ == "__main__":
    PresetColumnsTest.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
