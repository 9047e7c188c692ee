#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on a table with texts and missing values, and computes again in Python
what the model stores and predicts.

Usage: encoding_test.py MLP
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

import sigmoid_network

MARKERS = ("", "?", "NA", "n/a", "NULL", "nan")
HEADER = ("x", "color", "size", "y", "label")

# Sums in another order differ in the last bits only.
TOLERANCE = 1e-9


def make_rows():
    """150 rows of two numbers, two texts and a label; some values are missing."""
    source = random.Random(5)
    rows = []
    for _ in range(150):
        x, color = source.gauss(0, 1), source.choice(("red", "blue", "green"))
        size, y = source.choice("SML"), source.gauss(50, 10)
        label = "yes" if x + (color == "red") - (size == "L") > 0 else "no"
        row = [f"{x:.3f}", color, size, f"{y:.2f}", label]
        for column in (0, 1, 3):
            if source.random() < 0.05:
                row[column] = source.choice(MARKERS)
        rows.append(row)
    return rows


def table(rows, header=HEADER):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def mean(numbers):
    return sum(numbers) / len(numbers)


def expected_columns(rows):
    """What the model must store about the columns."""
    columns = []
    for i, name in enumerate(HEADER[:-1]):
        values = [row[i] for row in rows if row[i] not in MARKERS]
        if name in ("x", "y"):
            columns.append({"name": name, "kind": "number",
                            "missing": mean([float(v) for v in values])})
            continue
        categories = sorted(set(values))
        most = max(categories, key=values.count)
        columns.append({"name": name, "kind": "category",
                        "categories": categories,
                        "missing": categories.index(most)})
    return columns


def encode(row, columns):
    """The features of a row."""
    features = []
    for value, column in zip(row, columns):
        if column["kind"] == "number":
            features.append(column["missing"] if value in MARKERS
                            else float(value))
            continue
        if value in MARKERS:
            value = column["categories"][column["missing"]]
        features += [float(value == text) for text in column["categories"]]
    return features


def probabilities(model, features):
    """Of Spark's network, whose features the model scales."""
    given = model["input"]
    values = sigmoid_network.scale(features, given["mean"], given["std"])
    return sigmoid_network.probabilities(model, values)


class EncodingTest(unittest.TestCase):
    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rows = make_rows()
        (self.folder / "data.csv").write_text(table(self.rows))

    def run_mlp(self, *words, exit_code=0):
        done = subprocess.run([self.program, *words], cwd=self.folder,
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def train(self, *flags):
        self.run_mlp("train", "data.csv", "--layers", "8,4,2", "--max-iter",
                     "20", "-o", "m.json", *flags)
        return json.loads((self.folder / "m.json").read_text())

    def predict(self, text, *flags):
        (self.folder / "new.csv").write_text(text)
        done = self.run_mlp("predict", "m.json", "new.csv", "--output",
                            "probability", *flags)
        rows = list(csv.reader(io.StringIO(done.stdout)))[1:]
        return [[float(field) for field in row] for row in rows]

    def assert_close(self, received, expected):
        self.assertEqual(len(received), len(expected))
        for a, b in zip(received, expected):
            self.assertLess(abs(a - b), TOLERANCE * max(1, abs(b)))

    def test_model_stores_what_python_computes(self):
        model = self.train("--missing", "mean", "--one-hot", "auto",
                           "--standardize")

        self.assertEqual(model["formatVersion"], 2)
        stored = model["input"]["columns"]
        expected = expected_columns(self.rows)
        for a, b in zip(stored, expected):
            self.assert_close([a.pop("missing")], [b.pop("missing")])
        self.assertEqual(stored, expected)
        self.assertEqual(model["input"]["featureNames"],
                         ["x", "color=blue", "color=green", "color=red",
                          "size=L", "size=M", "size=S", "y"])
        features = [encode(row, expected_columns(self.rows))
                    for row in self.rows]
        self.assert_close(model["input"]["mean"],
                          [mean(column) for column in zip(*features)])
        self.run_mlp("inspect", "m.json", "--verify")

    def test_predict_encodes_raw_columns_as_the_training_did(self):
        model = self.train("--missing", "mean", "--one-hot", "auto",
                           "--standardize")
        columns = model["input"]["columns"]

        # Columns in another order, and the label among them.
        order = (4, 2, 0, 3, 1)
        moved = table([[row[i] for i in order] for row in self.rows],
                      [HEADER[i] for i in order])
        received = self.predict(moved)

        for row, got in zip(self.rows, received, strict=True):
            self.assert_close(got, probabilities(model, encode(row, columns)))

    def test_drop_trains_on_the_other_rows(self):
        complete = [row for row in self.rows
                    if not any(value in MARKERS for value in row)]
        dropped = self.train("--missing", "drop", "--one-hot", "auto",
                             "--standardize")
        (self.folder / "data.csv").write_text(table(complete))
        model = self.train("--one-hot", "auto", "--standardize")

        self.assertEqual(dropped, model)
        self.assertEqual(model["training"]["rows"], len(complete))
        self.assertNotIn("missing", model["input"]["columns"][0])

    def test_unknown_category_is_refused_or_has_no_feature(self):
        model = self.train("--missing", "drop", "--one-hot", "auto",
                           "--standardize")
        new = table([["1", "pink", "S", "50"]], HEADER[:-1])
        columns = model["input"]["columns"]

        (self.folder / "new.csv").write_text(new)
        refused = self.run_mlp("predict", "m.json", "new.csv", exit_code=3)
        (received,) = self.predict(new, "--unknown", "ignore")

        self.assertIn("new.csv:2:3: unknown category 'pink' in column 'color'",
                      refused.stderr)
        self.assert_close(received, probabilities(
            model, encode(["1", "pink", "S", "50"], columns)))

    def test_train_stores_what_happens_to_an_unknown_category(self):
        model = self.train("--missing", "drop", "--one-hot", "auto",
                           "--standardize", "--unknown", "ignore")
        new = table([["1", "pink", "S", "50"]], HEADER[:-1])

        (received,) = self.predict(new)
        refused = self.run_mlp("predict", "m.json", "new.csv", "--unknown",
                               "refuse", exit_code=3)

        self.assertEqual(model["input"]["unknown"], "ignore")
        self.assert_close(received, probabilities(
            model, encode(["1", "pink", "S", "50"], model["input"]["columns"])))
        self.assertIn("new.csv:2:3: unknown category 'pink'", refused.stderr)

    def test_warm_start_keeps_the_rule_for_unknown_categories(self):
        self.train("--missing", "drop", "--one-hot", "auto", "--unknown",
                   "ignore")
        (self.folder / "first.json").write_text(
            (self.folder / "m.json").read_text())
        flags = ("--missing", "drop", "--warm-start", "first.json")

        kept = self.train(*flags)
        changed = self.train(*flags, "--unknown", "refuse")

        self.assertEqual(kept["input"]["unknown"], "ignore")
        self.assertNotIn("unknown", changed["input"])

    def test_a_file_without_header_is_read_by_position(self):
        lines = table(self.rows).split("\n", 1)[1]
        (self.folder / "data.csv").write_text(lines)
        model = self.train("--missing", "mean", "--one-hot", "auto",
                           "--standardize")
        columns = model["input"]["columns"]
        self.assertNotIn("featureNames", model["input"])

        received = self.predict("1.5,red,S,40\n?,blue,NA,60\n")

        for row, got in zip((["1.5", "red", "S", "40"], ["?", "blue", "NA", "60"]),
                            received, strict=True):
            self.assert_close(got, probabilities(model, encode(row, columns)))

    def wide_table(self):
        """The rows below an index without a name, an identifier and a weight."""
        rows = [[str(i), f"id {i}", *row[:4], "2", row[4]]
                for i, row in enumerate(self.rows)]
        return table(rows, ["", "id", *HEADER[:4], "w", "label"])

    def test_columns_without_a_role_stay_out_of_the_encoding(self):
        plain = self.train("--missing", "mean", "--one-hot", "auto")
        (self.folder / "data.csv").write_text(self.wide_table())
        model = self.train("--missing", "mean", "--one-hot", "color,size",
                           "--ignore", "id", "--weight-col", "w")
        chosen = self.train("--missing", "mean", "--one-hot", "auto",
                            "--features", "x,color,size,y")

        self.assertEqual(model["input"], plain["input"])
        self.assertEqual(chosen, plain)
        self.assertEqual(model["input"]["label"], "label")

    def test_predict_keeps_identifiers_beside_encoded_rows(self):
        model = self.train("--missing", "mean", "--one-hot", "auto",
                           "--standardize")
        columns = model["input"]["columns"]
        (self.folder / "wide.csv").write_text(self.wide_table())

        done = self.run_mlp("predict", "m.json", "wide.csv", "--keep", "id",
                            "--output", "probability")
        scored = self.run_mlp("evaluate", "m.json", "wide.csv", "--json")

        rows = list(csv.reader(io.StringIO(done.stdout)))[1:]
        for i, (row, got) in enumerate(zip(self.rows, rows, strict=True)):
            self.assertEqual(got[0], f"id {i}")
            self.assert_close([float(field) for field in got[1:]],
                              probabilities(model, encode(row, columns)))
        self.assertNotIn("the label is", scored.stderr)
        self.assertEqual(json.loads(scored.stdout)["rows"], len(rows))

    def test_positions_choose_columns_without_a_header(self):
        lines = self.wide_table().split("\n", 1)[1]
        (self.folder / "data.csv").write_text(lines)
        flags = ("--header", "no", "--ignore", "0,1,6")
        model = self.train("--missing", "mean", "--one-hot", "3,4", *flags)
        columns = model["input"]["columns"]

        done = self.run_mlp("predict", "m.json", "data.csv", *flags, "--label",
                            "7", "--keep", "1", "--output", "prediction")
        wrong = self.run_mlp("predict", "m.json", "data.csv", "--label", "7",
                             exit_code=3)

        self.assertEqual([column["kind"] for column in columns],
                         ["number", "category", "category", "number"])
        self.assertNotIn("name", columns[0])
        self.assertEqual(done.stdout.split("\n")[1].split(",")[0], "id 0")
        self.assertIn("wrong number of features", wrong.stderr)

    def test_rows_without_a_label_are_dropped(self):
        complete = [row for row in self.rows
                    if not any(value in MARKERS for value in row)]
        (self.folder / "data.csv").write_text(table(complete))
        model = self.train("--one-hot", "auto")
        for marker in ("", "?"):
            (self.folder / "data.csv").write_text(
                table([*complete, ["1", "red", "S", "2", marker]]))

            dropped = self.train("--one-hot", "auto", "--missing", "drop")

            self.assertEqual(dropped, model)

    def test_folds_and_the_rows_of_a_split_are_encoded_each(self):
        flags = ("--missing", "mean", "--one-hot", "auto")
        whole = self.train(*flags)

        folds = self.train(*flags, "--folds", "3")
        self.train(*flags, "--split", "0.7,0.3", "--write-split", "part")

        self.assertEqual(folds["input"], whole["input"])
        parts = [(self.folder / f"part-{name}.csv").read_text()
                 for name in ("train", "test")]
        lines = [line for part in parts for line in part.split("\n")[1:-1]]
        self.assertEqual(sorted(lines),
                         sorted(table(self.rows).split("\n")[1:-1]))

    def test_threads_and_ranks_change_nothing(self):
        flags = ("--missing", "mean", "--one-hot", "auto", "--split", "0.7,0.3")
        model = self.train(*flags, "--threads", "1")

        self.assertEqual(self.train(*flags, "--threads", "3"), model)
        ranks = self.train(*flags, "--ranks", "2")
        self.assertEqual(ranks["input"], model["input"])

    def test_split_leaves_the_test_rows_out_of_the_means(self):
        # Numbers that only test rows have would move the mean by much.
        whole = self.train("--missing", "mean", "--one-hot", "auto")
        part = self.train("--missing", "mean", "--one-hot", "auto", "--split",
                          "0.5,0.5")

        self.assertLess(part["training"]["rows"], 100)
        self.assertNotEqual(part["input"]["columns"][0]["missing"],
                            whole["input"]["columns"][0]["missing"])

    def test_resume_refuses_another_encoding(self):
        flags = ("--one-hot", "auto", "--checkpoint", "c.ckpt",
                 "--checkpoint-every", "5")
        self.train(*flags, "--missing", "mean")
        words = ("train", "data.csv", "--layers", "8,4,2", "--max-iter", "30",
                 *flags, "--resume")

        self.run_mlp(*words, "--missing", "mean")
        refused = self.run_mlp(*words, "--missing", "drop", exit_code=4)
        self.assertIn("c.ckpt", refused.stderr)

    def test_warm_start_keeps_the_encoding_of_its_model(self):
        first = self.train("--missing", "mean", "--one-hot", "auto")
        (self.folder / "first.json").write_text(
            (self.folder / "m.json").read_text())
        (self.folder / "data.csv").write_text(table(self.rows[:60]))

        second = self.train("--warm-start", "first.json")

        self.assertEqual(second["input"], first["input"])
        (self.folder / "data.csv").write_text(
            table([["1", "pink", "S", "2", "yes"], *self.rows]))
        refused = self.run_mlp("train", "data.csv", "--warm-start",
                               "first.json", "--one-hot", "auto", "--missing",
                               "mean", exit_code=3)
        self.assertIn("the categories differ", refused.stderr)


if __name__ == "__main__":
    EncodingTest.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
