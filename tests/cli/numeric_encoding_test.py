#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains with numbers in quantile bins, and computes again in Python what the model
stores and predicts.

Usage: numeric_encoding_test.py MLP
"""

import csv
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from sigmoid_network import probabilities, scale

# Sums in another order differ in the last bits only.
TOLERANCE = 1e-9
BINS = 5
QUANTILES = ("--numeric-encoding", f"quantile:{BINS}")


def make_rows(seed=5, size=150):
    """Rows of a number with two thresholds, a switch, a text and a label."""
    source = random.Random(seed)
    rows = []
    for _ in range(size):
        x, switch = round(source.gauss(0, 40), 2), source.randint(0, 1)
        color = source.choice(("red", "blue"))
        label = "yes" if abs(x) < 20 or color == "red" and x > 60 else "no"
        rows.append([x, switch, color, label])
    return rows


def table(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("x", "switch", "color", "label"), *rows])
    return text.getvalue()


def quantiles(numbers):
    """The different quantiles: the smallest number of at least each share."""
    ordered = sorted(numbers)
    places = [max(math.ceil(t * len(ordered) / BINS) - 1, 0) for t in range(BINS + 1)]
    return sorted({ordered[place] for place in places})


def inputs(model, row):
    """What the network reads: scaled features, and then the bins of x."""
    x, switch, color, _ = row
    features = [x, switch, float(color == "blue"), float(color == "red")]
    given = model["input"]
    values = features
    if "mean" in given:
        values = scale(features, given["mean"], given["std"])
    values = list(values)
    for bins in given["bins"]:
        edges = bins["edges"]
        for lower, upper in zip(edges, edges[1:]):
            share = (features[bins["feature"]] - lower) / (upper - lower)
            values.append(min(max(share, 0.0), 1.0))
    return values


class NumericEncodingTest(unittest.TestCase):
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

    def train(self, *flags, name="m.json", encoding=QUANTILES, max_iter=30):
        self.run_mlp("train", "data.csv", "--layers", "4,4,2", "--one-hot", "auto",
                     "--max-iter", str(max_iter), "-o", name, *encoding, *flags)
        return self.read(name)

    def read(self, name):
        return json.loads((self.folder / name).read_text())

    def check_predictions(self, model):
        done = self.run_mlp("predict", "m.json", "data.csv", "--output", "probability")
        for row, printed in zip(self.rows, list(csv.reader(io.StringIO(done.stdout)))[1:],
                                strict=True):
            for got, right in zip(map(float, printed), probabilities(model, inputs(model, row)),
                                  strict=True):
                self.assertLess(abs(got - right), TOLERANCE)

    def test_a_model_has_the_quantiles_and_predicts_by_them(self):
        for flags in ((), ("--standardize",), ("--scale", "100")):
            with self.subTest(flags=flags):
                model = self.train(*flags)

                self.assertEqual(model["formatVersion"], 3)
                self.assertNotIn("sparkClass", model)
                edges = quantiles([row[0] for row in self.rows])
                self.assertEqual(model["input"]["bins"],
                                 [{"feature": 0, "edges": edges}])
                self.assertEqual(model["layers"], [4 + BINS, 4, 2])
                self.check_predictions(model)
                self.run_mlp("inspect", "m.json", "--verify")

    def test_inspect_tells_the_encoding(self):
        self.train("--standardize")

        self.assertIn("encoding     quantile:5; 1 of 4 features have bins, 5 in all\n",
                      self.run_mlp("inspect", "m.json").stdout)
        told = json.loads(self.run_mlp("inspect", "m.json", "--json").stdout)
        self.assertEqual(told["input"]["numericEncoding"], "quantile:5")
        self.assertEqual(told["counts"]["features"], 4)

    def test_evaluate_featurize_and_train_tell_the_same_accuracy(self):
        done = self.run_mlp("train", "data.csv", "--one-hot", "auto", "-o", "m.json",
                            "--json", *QUANTILES)

        told = json.loads(done.stdout)
        scored = json.loads(self.run_mlp("evaluate", "m.json", "data.csv", "--json").stdout)
        self.assertEqual(told["trainAccuracy"], scored["accuracy"])
        self.assertGreater(scored["accuracy"], 0.95)
        hidden = self.run_mlp("featurize", "m.json", "data.csv", "--layer", "1").stdout
        self.assertEqual(len(hidden.splitlines()), 151)

    def test_the_bins_are_those_of_the_rows_to_train_on(self):
        (self.folder / "held.csv").write_text(table(make_rows(seed=6, size=40)))
        alone = self.train()["input"]["bins"]

        watched = self.train("--validation", "held.csv")["input"]["bins"]
        split = self.train("--split", "0.5,0.5", "--write-split", "part")["input"]["bins"]

        self.assertEqual(watched, alone)
        with open(self.folder / "part-train.csv", newline="") as stream:
            numbers = [float(row["x"]) for row in csv.DictReader(stream)]
        self.assertEqual(split, [{"feature": 0, "edges": quantiles(numbers)}])

    def test_threads_and_folds_do_not_change_the_model(self):
        one = self.train("--threads", "1")

        self.assertEqual(self.train("--threads", "3"), one)
        self.assertEqual(self.train("--folds", "3"), one)

    def test_a_row_of_weight_0_does_not_count(self):
        (self.folder / "data.csv").write_text(
            "x,w,label\n" + "".join(f"{x},{w},{y}\n" for x, w, y in (
                (1, 1, 0), (2, 2, 1), (3, 1, 0), (4, 1, 1), (900, 0, 1))))
        self.run_mlp("train", "data.csv", "--weight-col", "w", "-o", "m.json",
                     "--numeric-encoding", "quantile:4")

        self.assertEqual(self.read("m.json")["input"]["bins"],
                         [{"feature": 0, "edges": [1, 2, 3, 4]}])

    def test_a_resumed_training_gives_the_model_of_an_uninterrupted_one(self):
        whole = self.train("--standardize", max_iter=20)
        files = ("--checkpoint", "state", "--checkpoint-every", "1")

        self.train("--standardize", *files, max_iter=7)
        resumed = self.train("--standardize", *files, "--resume", max_iter=20)

        self.assertEqual(resumed["weights"], whole["weights"])
        self.assertEqual(resumed["input"], whole["input"])
        done = subprocess.run(
            [self.program, "train", "data.csv", "--layers", "4,4,2", "--one-hot", "auto",
             "--standardize", "--numeric-encoding", "quantile:6", *files, "--resume"],
            cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_a_warm_start_keeps_the_encoding_and_frozen_layers(self):
        first = self.train("--standardize")
        (self.folder / "more.csv").write_text(table(make_rows(seed=9, size=60)))

        self.run_mlp("train", "more.csv", "--warm-start", "m.json", "--freeze", "1",
                     "--max-iter", "5", "-o", "n.json")

        second = self.read("n.json")
        self.assertEqual(second["input"], first["input"])
        frozen = first["layers"][0] * 4 + 4
        self.assertEqual(second["weights"]["data"][:frozen],
                         first["weights"]["data"][:frozen])
        self.assertNotEqual(second["weights"]["data"], first["weights"]["data"])

    def test_other_encodings_than_that_of_the_warm_start_are_refused(self):
        self.train()
        self.train(name="plain.json", encoding=())

        for model, given, right in (("m.json", "linear", "quantile:5"),
                                    ("m.json", "quantile:6", "quantile:5"),
                                    ("plain.json", "quantile:6", "linear")):
            done = self.run_mlp("train", "data.csv", "--warm-start", model, exit_code=2,
                                *("--numeric-encoding", given))
            self.assertIn(f"--numeric-encoding: numericEncoding must be {right}, as in "
                          f"the model that training starts from; got {given}\n", done.stderr)

    def test_several_ranks_are_refused(self):
        done = self.run_mlp("train", "data.csv", "--layers", "4,4,2", "--one-hot", "auto",
                            "--ranks", "2", *QUANTILES, exit_code=2)

        self.assertIn("--numeric-encoding: numericEncoding must be linear on several ranks, "
                      "because quantiles are not merged over ranks; got quantile:5 on 2 ranks; "
                      "train in one process\n", done.stderr)

    def test_formats_and_initial_weights_that_lack_bins_are_refused(self):
        self.train()

        done = self.run_mlp("train", "data.csv", "--for", "spark", *QUANTILES, exit_code=2)
        self.assertIn("--numeric-encoding quantile:5: --for spark needs numericEncoding "
                      "linear\n", done.stderr)
        done = self.run_mlp("train", "data.csv", "--initial-weights", "m.json",
                            exit_code=4)
        self.assertIn("encodes its numbers, so its weights alone belong to no features; "
                      "use --warm-start instead\n", done.stderr)

    def test_a_regression_with_mini_batches_encodes_numbers(self):
        (self.folder / "data.csv").write_text(
            "x,y\n" + "".join(f"{x},{float(abs(x) > 30)}\n" for x in range(-60, 60)))

        done = self.run_mlp("train", "data.csv", "--task", "regression", "--solver", "adam",
                            "--max-iter", "100", "-o", "m.json", "--json", *QUANTILES)

        scored = json.loads(self.run_mlp("evaluate", "m.json", "data.csv", "--json").stdout)
        self.assertAlmostEqual(json.loads(done.stdout)["trainR2"], scored["r2"], places=9)
        self.assertGreater(scored["r2"], 0.5)

    def test_uneven_features_are_warned_of_as_without_bins(self):
        (self.folder / "data.csv").write_text(
            "x,y,label\n" + "".join(f"{1000 * i},{i % 7 / 7},{i % 2}\n" for i in range(40)))
        flags = ("train", "data.csv", "--layers", "2,3,2", "--max-iter", "3")

        plain = self.run_mlp(*flags).stderr
        encoded = self.run_mlp(*flags, *QUANTILES).stderr

        note = next(line for line in plain.splitlines() if "reaches" in line)
        self.assertIn(note, encoded)


if __name__ == "__main__":
    NumericEncodingTest.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
