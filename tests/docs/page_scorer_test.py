#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores models by the text of docs/model-format.md and compares with mlp.

Usage: page_scorer_test.py PROGRAM
    PROGRAM  mlp

The scorer below follows the section "Scoring" step by step and uses nothing
else of the project. The models are drawn at random: every activation, with
residual connections, batch normalisation, thresholds, a scaler, bins and every loss.
"""

import csv
import hashlib
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

# Another order of summation over a few dozen terms, relative to the largest.
TOLERANCE = 1e-12
NUM_ROWS = 20
LAYERS = [5, 4, 4, 6, 3]
NUM_HIDDEN = len(LAYERS) - 2
SPARK_CLASS = ("org.apache.spark.ml.classification."
               "MultilayerPerceptronClassificationModel")
ACTIVATIONS = {
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "softplus": lambda z: max(z, 0) + math.log1p(math.exp(-abs(z))),
    "relu": lambda z: max(z, 0),
    "leaky-relu": lambda z: z if z > 0 else 0.01 * z,
    "elu": lambda z: z if z > 0 else math.expm1(z),
    "swish": lambda z: z / (1 + math.exp(-z)),
}


class PageScorer:
    """A scorer made from the page alone."""

    def __init__(self, document):
        self.document = document
        self.layers = document["layers"]
        self.network = document.get("network", {})
        self.weights = iter(document["weights"]["data"])
        self.statistics = iter(self.network.get("statistics", []))
        names = document["activation"].split(",")
        if len(names) == 1:
            names *= len(self.layers) - 2
        self.steps = [self.read_layer(k, names)
                      for k in range(1, len(self.layers))]

    def numbers(self, count):
        return [next(self.weights) for _ in range(count)]

    def matrix(self, rows, columns):
        """Rows of a matrix that is stored column by column."""
        data = self.numbers(rows * columns)
        return [data[i::rows] for i in range(rows)]

    def read_layer(self, k, names):
        inputs, outputs = self.layers[k - 1], self.layers[k]
        is_hidden = k < len(self.layers) - 1
        layer = {"W": self.matrix(outputs, inputs), "b": self.numbers(outputs),
                 "f": ACTIVATIONS[names[k - 1]] if is_hidden else None,
                 "residual": k in self.network.get("residual", [])}
        if layer["residual"] and inputs != outputs:
            layer["P"] = self.matrix(outputs, inputs)
        if k in self.network.get("batchNorm", []):
            layer["scale"] = self.numbers(outputs)
            layer["shift"] = self.numbers(outputs)
            layer["mean"] = [next(self.statistics) for _ in range(outputs)]
            layer["variance"] = [next(self.statistics) for _ in range(outputs)]
        return layer

    @staticmethod
    def product(matrix, vector):
        return [sum(w * x for w, x in zip(row, vector)) for row in matrix]

    def run_layer(self, layer, a):
        z = [x + b for x, b in zip(self.product(layer["W"], a), layer["b"])]
        if "scale" in layer:
            z = [(x - mean) / math.sqrt(variance + 0.00001) * scale + shift
                 for x, mean, variance, scale, shift in zip(
                     z, layer["mean"], layer["variance"], layer["scale"],
                     layer["shift"])]
        if layer["f"]:
            z = [layer["f"](x) for x in z]
        if layer["residual"]:
            skip = self.product(layer["P"], a) if "P" in layer else a
            z = [x + y for x, y in zip(z, skip)]
        return z

    def raw(self, row):
        a = row
        given = self.document["input"]
        if "mean" in given:
            a = [0 if std == 0 else (x - mean) / std
                 for x, mean, std in zip(row, given["mean"], given["std"])]
        a = list(a)
        for bins in given.get("bins", []):
            x, edges = row[bins["feature"]], bins["edges"]
            for lower, upper in zip(edges, edges[1:]):
                a.append(min(max((x - lower) / (upper - lower), 0), 1))
        for layer in self.steps:
            a = self.run_layer(layer, a)
        return a

    @staticmethod
    def probability(raw):
        powers = [math.exp(z - max(raw)) for z in raw]
        return [x / sum(powers) for x in powers]

    def prediction(self, raw):
        scores = raw
        thresholds = self.document.get("thresholds")
        if thresholds:
            scores = [math.inf if t == 0 and p > 0 else
                      -math.inf if t == 0 else p / t
                      for p, t in zip(self.probability(raw), thresholds)]
        return self.document["labels"][scores.index(max(scores))]


def draw_document(source, **settings):
    """A model file as text, with random weights.

    Settings: activation, residual, batch_norm, loss, thresholds, has_scaler, edges.
    """
    layers = list(LAYERS)
    bins = [{"feature": feature, "edges": edges}
            for feature, edges in settings.get("edges", {}).items()]
    layers[0] += sum(len(entry["edges"]) - 1 for entry in bins)
    loss = settings.get("loss", "softmaxNll")
    if loss == "squaredError":
        layers[-1] = 1
    residual = settings.get("residual", [])
    batch_norm = settings.get("batch_norm", [])
    count = sum(o * (i + 1) for i, o in zip(layers, layers[1:]))
    count += sum(layers[k - 1] * layers[k] for k in residual
                 if layers[k - 1] != layers[k])
    count += sum(2 * layers[k] for k in batch_norm)
    network = {"loss": loss}
    if residual:
        network["residual"] = residual
    if batch_norm:
        network["batchNorm"] = batch_norm
        network["statistics"] = [
            x for k in batch_norm for x in
            [source.uniform(-1, 1) for _ in range(layers[k])] +
            [source.uniform(0.1, 2) for _ in range(layers[k])]]
    given = {}
    if settings.get("has_scaler"):
        given = {"mean": [source.uniform(-1, 1) for _ in range(LAYERS[0])],
                 "std": [0.0] + [source.uniform(0.1, 2) for _ in layers[1:]]
                 [:LAYERS[0] - 1]}
    if bins:
        given |= {"numericEncoding": "quantile:4", "bins": bins}
    document = {
        "format": "mlp-model", "formatVersion": 2, "producer": "a test",
        "uid": "mlpc_000000000000",
        "params": {"maxIter": 1, "tol": 1e-06, "blockSize": 128,
                   "solver": "l-bfgs", "stepSize": 0.03, "seed": 1},
        "layers": layers, "activation": settings.get("activation", "tanh"),
        "network": network, "input": given}
    if document["activation"] == "sigmoid" and network == {"loss": "softmaxNll"}:
        del document["network"]
        document["formatVersion"] = 1
        document["sparkClass"] = SPARK_CLASS
    if bins:
        document["formatVersion"] = 3
        document.pop("sparkClass", None)
    if loss != "squaredError":
        document["labels"] = ["a", "b", "c"]
    if "thresholds" in settings:
        document["thresholds"] = settings["thresholds"]
    is_flat = not batch_norm and all(layers[k - 1] == layers[k] for k in residual)
    document["weights"] = {
        "layout": "spark-flat" if is_flat else "mlp-flat", "count": count, "encoding": "decimal",
        "data": [source.uniform(-1, 1) for _ in range(count)]}
    document["training"] = {
        "objectiveHistory": [], "totalIterations": 0, "evaluations": 0,
        "convergenceReason": "none", "rows": 0}
    document["selfTest"] = []
    return document


def write_document(document):
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}"
                       for name, value in document.items())
    body = "{\n" + lines + ",\n"
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f'{body}  "sha256": "{digest}"\n}}\n'


class PageScorerTest(unittest.TestCase):
    program = ""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.source = random.Random(7)
        self.rows = [[self.source.uniform(-3, 3) for _ in range(LAYERS[0])]
                     for _ in range(NUM_ROWS)]

    def predict(self, document):
        """What mlp prints for the rows, as dictionaries."""
        (self.folder / "m.json").write_text(write_document(document),
                                            encoding="utf-8")
        (self.folder / "x.csv").write_text("".join(
            ",".join(map(repr, row)) + "\n" for row in self.rows),
            encoding="utf-8")
        outputs = ["--output", "prediction,probability,rawPrediction"] \
            if "labels" in document else []
        done = subprocess.run(
            [self.program, "predict", "m.json", "x.csv", *outputs],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def assert_near(self, printed, expected):
        largest = max(1, *map(abs, expected))
        for got, wanted in zip(printed, expected, strict=True):
            self.assertLessEqual(abs(got - wanted), TOLERANCE * largest)

    def check(self, **settings):
        document = draw_document(self.source, **settings)
        scorer = PageScorer(document)
        for row, printed in zip(self.rows, self.predict(document), strict=True):
            raw = scorer.raw(row)
            if "labels" not in document:
                self.assert_near([float(printed["prediction"])], raw)
                continue
            for name, expected in (("rawPrediction", raw),
                                   ("probability", scorer.probability(raw))):
                self.assert_near([float(printed[f"{name}_{label}"])
                                  for label in document["labels"]], expected)
            self.assertEqual(printed["prediction"], scorer.prediction(raw))

    def test_every_activation(self):
        for name in ACTIVATIONS:
            with self.subTest(activation=name):
                self.check(activation=name)

    def test_an_activation_for_each_hidden_layer(self):
        self.check(activation="elu,swish,softplus")

    def test_residual_connections_with_and_without_projection(self):
        self.check(activation="relu", residual=[1, 2, 3])

    def test_batch_normalisation(self):
        self.check(batch_norm=[1, 3])

    def test_residual_connections_and_batch_normalisation(self):
        self.check(activation="swish", residual=[2, 3], batch_norm=[1, 2, 3])

    def test_a_scaler_with_a_constant_feature(self):
        self.check(activation="leaky-relu", has_scaler=True)

    def test_bins_of_some_features(self):
        edges = {0: [-1.0, 0.25, 2.0], 3: [-2.5, -1.0, 0.0, 0.5, 2.5]}
        self.check(edges=edges)
        self.check(edges=edges, has_scaler=True, activation="relu",
                   residual=[1, 2], batch_norm=[1])
        self.check(edges=edges, activation="sigmoid")
        self.check(edges={4: [0.0, 1.0]}, loss="squaredError")

    def test_thresholds(self):
        self.check(thresholds=[0.7, 0.1, 0.2])
        self.check(thresholds=[0.5, 0, 0.5])

    def test_every_loss(self):
        self.check(loss="sigmoidSquaredError")
        self.check(loss="sigmoidSquaredError", thresholds=[0.7, 0.1, 0.2])
        self.check(loss="squaredError", activation="softplus", has_scaler=True)

    def test_the_page_names_every_activation(self):
        page = pathlib.Path(__file__).parents[2] / "docs" / "model-format.md"
        rows = {line.split("`")[1] for line in
                page.read_text(encoding="utf-8").split("## Scoring")[1]
                .splitlines() if line.startswith("| `")}
        self.assertLessEqual(set(ACTIVATIONS), rows)


if __name__ == "__main__":
    PageScorerTest.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
