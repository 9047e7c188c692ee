#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that docs/model.schema.json accepts what the library writes and refuses
what is wrong, and that docs/model-format.md tells the truth about the hash.

Usage: schema_test.py WRITE_SAMPLE_MODELS
WRITE_SAMPLE_MODELS is the program made of write_sample_models.cpp. Exits 77
(skipped) where the Python package jsonschema is missing.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: the Python package jsonschema is missing")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs/model.schema.json").read_text("utf-8"))
GUIDE = (ROOT / "docs/model-format.md").read_text("utf-8")
REMOVED = object()

# What is wrong: the path to the member, and the value that it gets.
MUTATIONS = [
    (["format"], "other"),
    (["formatVersion"], 3),
    (["formatVersion"], "1"),
    (["producer"], ""),
    (["uid"], "mlpc_0123456789AB"),
    (["sparkClass"], "java.lang.Runtime"),
    (["sparkClass"], REMOVED),
    (["params", "maxIter"], -1),
    (["params", "maxIter"], 1.5),
    (["params", "tol"], "1e-6"),
    (["params", "blockSize"], 0),
    (["params", "solver"], "adam"),
    (["params", "stepSize"], 0),
    (["params", "seed"], 2**63),
    (["params", "seed"], REMOVED),
    (["params", "layers"], [2, 2, 3]),
    (["params", "momentum"], 0.5),
    (["layers"], [3]),
    (["layers"], [2] * 258),
    (["layers", 1], 0),
    (["layers", 1], 2**20 + 1),
    (["activation"], "relu"),
    (["network"], {"loss": "softmaxNll"}),
    (["input", "url"], "http://example.org"),
    (["input", "mean"], REMOVED),
    (["input", "std", 0], -1),
    (["input", "featureNames", 0], 1),
    (["input", "label"], ""),
    (["input", "label"], 1),
    (["input", "columns"], [{"kind": "number"}, {"kind": "number"}]),
    (["labels"], []),
    (["thresholds"], [0, 0.5, 0]),
    (["thresholds", 0], -0.5),
    (["weights", "layout"], "rows"),
    (["weights", "layout"], "mlp-flat"),
    (["weights", "count"], 2**31),
    (["weights", "encoding"], "hex"),
    (["weights", "encoding"], "base64"),
    (["weights", "data"], "AAAAAAAA8D8="),
    (["weights", "data", 0], None),
    (["training", "objectiveHistory", 0], "nan"),
    (["training", "convergenceReason"], "tired"),
    (["training", "rows"], -1),
    (["selfTest", 0, "prediction"], 0.5),
    (["selfTest", 0, "probability"], REMOVED),
    (["selfTest", 0, "probability"], []),
    (["sha256"], "0"),
    (["sha256"], REMOVED),
    (["unknown"], 1),
]

# The same of a file of version 2.
NETWORK_MUTATIONS = [
    (["formatVersion"], 1),
    (["network"], REMOVED),
    (["network", "loss"], REMOVED),
    (["network", "loss"], "hinge"),
    (["network", "residual"], [0]),
    (["network", "batchNorm"], [1, 1]),
    (["network", "dropout", 0], 1),
    (["network", "statistics", 0], "NaN"),
    (["network", "layers"], [1]),
    (["activation"], "gelu"),
    (["activation"], "relu,"),
    (["params", "solver"], "rmsprop"),
    (["params", "init"], "zeros"),
    (["params", "regParam"], -1),
    (["params", "classWeights"], [0, 0, 0]),
    (["params", "classWeights"], "1,1,2.5"),
    (["params", "labelSmoothing"], 1.5),
    (["params", "clipNorm"], -1),
    (["params", "clipValue"], "1"),
    (["params", "patience"], 0),
    (["params", "historySize"], 1001),
    (["params", "batchSize"], 0),
    (["params", "momentum"], 1),
    (["params", "nesterov"], "true"),
    (["params", "schedule"], "step:0:1"),
    (["params", "freeze", 0], 0),
    (["params", "dropout"], 0.5),
]


# The same of a file with columns.
COLUMN_MUTATIONS = [
    (["formatVersion"], 1),
    (["input", "columns"], []),
    (["input", "columns", 0, "name"], 1),
    (["input", "columns", 0, "kind"], "text"),
    (["input", "columns", 0, "kind"], REMOVED),
    (["input", "columns", 0, "categories"], ["a"]),
    (["input", "columns", 0, "missing"], "1"),
    (["input", "columns", 1, "categories"], REMOVED),
    (["input", "columns", 1, "categories"], ["blue", "blue"]),
    (["input", "columns", 1, "categories"], []),
    (["input", "columns", 1, "missing"], 0.5),
    (["input", "columns", 1, "missing"], -1),
    (["input", "columns", 1, "url"], "http://example.org"),
]

# The same of a file with bins.
ENCODING_MUTATIONS = [
    (["formatVersion"], 1),
    (["formatVersion"], 2),
    (["sparkClass"], "org.apache.spark.ml.classification."
                     "MultilayerPerceptronClassificationModel"),
    (["input", "numericEncoding"], REMOVED),
    (["input", "numericEncoding"], "quantile"),
    (["input", "numericEncoding"], "quantile:1"),
    (["input", "numericEncoding"], "quantile:257"),
    (["input", "bins"], REMOVED),
    (["input", "bins", 0, "feature"], -1),
    (["input", "bins", 0, "feature"], REMOVED),
    (["input", "bins", 0, "edges"], [1]),
    (["input", "bins", 0, "edges", 0], "0"),
    (["input", "bins", 0, "url"], "http://example.org"),
]

# The same of a file with extra features of columns.
EXTRA_MUTATIONS = [
    (["formatVersion"], 1),
    (["formatVersion"], 2),
    (["input", "bins"], []),
    (["input", "columns", 0, "missing"], REMOVED),
    (["input", "columns", 0, "extra"], "other"),
    (["input", "columns", 1, "extra"], "missing"),
    (["input", "columns", 1, "extra"], "rare"),
]

# The same of a file with rules for the fields of a data file.
RULE_MUTATIONS = [
    (["formatVersion"], 1),
    (["input", "unknown"], "drop"),
    (["input", "unknown"], True),
    (["input", "missingTexts"], []),
    (["input", "missingTexts"], "-999"),
    (["input", "missingTexts", 0], ""),
    (["input", "missingTexts", 0], -999),
    (["input", "missingTexts", 0], "n/a"),
]


# The same of files with prediction sets and intervals.
SET_MUTATIONS = [
    (["predictionSet"], 0.9),
    (["predictionSet", "coverage"], 1),
    (["predictionSet", "leastProbability"], 1.5),
    (["predictionSet", "leastProbability"], REMOVED),
    (["training", "selection", "unseenCoverage"], "0.9"),
]
INTERVAL_MUTATIONS = [
    (["predictionInterval", "coverage"], 0),
    (["predictionInterval", "lower"], []),
    (["predictionInterval", "upper"], 1),
    (["predictionInterval", "upper", 0], None),
    (["predictionInterval", "width"], [1, 1]),
]


def mutated(document, path, value):
    """A copy in which one member has another value, or is gone."""
    changed = copy.deepcopy(document)
    place = changed
    for step in path[:-1]:
        place = place[step]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


def fenced(language):
    """The blocks of the guide in that language."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.S)


PRINT_HASH, COMPARE_HASH, PRINT_UID = fenced("sh")
(EXAMPLE,) = fenced("json")


def shell(line, file):
    """Runs a line of the guide on a file instead of on model.json."""
    return subprocess.run(["sh", "-c", line.replace("model.json", file.name)],
                          cwd=file.parent, text=True, capture_output=True)


class SchemaTest(unittest.TestCase):
    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        subprocess.run([self.program, folder.name], check=True)
        self.files = sorted(self.folder.glob("*.json"))
        self.validator = jsonschema.Draft202012Validator(SCHEMA)

    def read(self, name):
        return json.loads((self.folder / name).read_text("utf-8"))

    def test_schema_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_accepts_what_the_library_writes(self):
        self.assertEqual(len(self.files), 13)
        for file in self.files:
            with self.subTest(file.name):
                self.validator.validate(self.read(file.name))

    def test_accepts_integers_at_their_limits(self):
        for seed in (-2**63, 2**63 - 1):
            self.validator.validate(
                mutated(self.read("full.json"), ["params", "seed"], seed))

    def test_refuses_what_is_wrong(self):
        for name, mutations in (("full.json", MUTATIONS),
                                ("network.json", NETWORK_MUTATIONS),
                                ("columns.json", COLUMN_MUTATIONS),
                                ("encoding.json", ENCODING_MUTATIONS),
                                ("extra.json", EXTRA_MUTATIONS),
                                ("rules.json", RULE_MUTATIONS),
                                ("set.json", SET_MUTATIONS),
                                ("interval.json", INTERVAL_MUTATIONS)):
            document = self.read(name)
            for path, value in mutations:
                with self.subTest(name, path=path, value=value):
                    changed = mutated(document, path, value)
                    self.assertFalse(self.validator.is_valid(changed))

    def test_names_every_member_that_the_library_writes(self):
        full, network = self.read("full.json"), self.read("network.json")
        regions = {*self.read("set.json"), *self.read("interval.json")}
        self.assertEqual({*full, *network} | regions, set(SCHEMA["properties"]))
        for name in ("params", "network"):
            self.assertEqual(set(network[name]),
                             set(SCHEMA["properties"][name]["properties"]))

    def test_guide_checks_the_hash_that_the_library_writes(self):
        for file in self.files:
            with self.subTest(file.name):
                self.assertEqual(shell(PRINT_HASH, file).stdout,
                                 self.read(file.name)["sha256"] + "\n")
                self.assertEqual(shell(COMPARE_HASH, file).returncode, 0)

    def test_guide_refuses_files_that_were_changed(self):
        text = (self.folder / "full.json").read_bytes()
        changed = self.folder / "changed"
        for other in (text.replace(b"1234", b"1235"), text.replace(b"\n", b"\r\n"),
                      text[:100] + text[101:], text[:-1] + b" \n",
                      json.dumps(json.loads(text), indent=2).encode() + b"\n",
                      json.dumps(json.loads(text)).encode(), b""):
            changed.write_bytes(other)
            with self.subTest(other[-90:]):
                self.assertEqual(shell(COMPARE_HASH, changed).returncode, 1)

    def test_guide_prints_the_uid_whatever_wrote_the_file(self):
        for file in self.files:
            uid = self.read(file.name)["uid"]
            with self.subTest(file.name):
                self.assertEqual(shell(PRINT_UID, file).stdout, uid[5:] + "\n")
                text = file.read_text("utf-8")
                file.write_text(text.replace('"producer": "mlp', '"producer": "x'),
                                "utf-8")
                self.assertEqual(shell(PRINT_UID, file).stdout, uid[5:] + "\n")

    def test_example_of_the_guide_is_valid(self):
        example = self.folder / "example.json"
        example.write_text(EXAMPLE, "utf-8")
        document = json.loads(EXAMPLE)
        self.validator.validate(document)
        self.assertEqual(shell(COMPARE_HASH, example).returncode, 0)
        self.assertEqual(shell(PRINT_UID, example).stdout,
                         document["uid"][5:] + "\n")


if __name__ == "__main__":
    SchemaTest.program = sys.argv.pop()
    unittest.main()
