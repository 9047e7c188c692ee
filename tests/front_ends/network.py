# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The model of the cases, and what a network of sigmoid units gives, in plain Python."""
from __future__ import annotations

import hashlib
import json
import math
import pathlib
from collections.abc import Sequence

from .case import Table

# Trained on the rows of the cases, whose columns are a, b and c.
MODEL_FILE = pathlib.Path(__file__).parent / "model.json"
COLUMNS = ("a", "b", "c")
# Five networks that were trained on the rows of the cases by
#   mlp train rows.csv --effort standard --for spark --seed 1 -o merged.json
MERGED_FILE = pathlib.Path(__file__).parent / "merged.json"
NUM_NETWORKS = 5
# A member that gives the model prediction sets.
SET = '"predictionSet": {"coverage":0.9,"leastProbability":0.25}'


def model_text() -> str:
    return MODEL_FILE.read_text(encoding="utf-8")


def merged_model_text() -> str:
    return MERGED_FILE.read_text(encoding="utf-8")


def signed(text: str) -> str:
    """Sets the digest of a text: that of all bytes before its line."""
    before = text[: text.index('  "sha256"')]
    return before + f'  "sha256": "{hashlib.sha256(before.encode()).hexdigest()}"\n}}\n'


def with_member(text: str, member: str) -> str:
    """Adds a member to a text."""
    return signed(text.replace('  "weights"', f'  {member},\n  "weights"', 1))


def sigmoid(x: float) -> float:
    return 0.0 if x < -700 else 1 / (1 + math.exp(-x))


def softmax(outputs: Sequence[float]) -> list[float]:
    if any(map(math.isnan, outputs)):
        return [math.nan] * len(outputs)
    largest = max(outputs)
    powers = [math.exp(output - largest) for output in outputs]
    return [power / sum(powers) for power in powers]


def affine(weights: Sequence[float], inputs: Sequence[float], num_outputs: int) -> list[float]:
    """Returns what a layer of these weights gives before its activation.

    Weights are in Spark's order: the matrix [inputs x outputs] whose columns are inputs,
    then the biases.
    """
    biases = weights[len(inputs) * num_outputs :]
    return [
        biases[o] + sum(weights[i * num_outputs + o] * x for i, x in enumerate(inputs))
        for o in range(num_outputs)
    ]


def probabilities(text: str, rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the probabilities of all classes, row by row."""
    document = json.loads(text)
    layers, weights = document["layers"], document["weights"]["data"]
    found: list[float] = []
    for row in rows:
        values, begin = list(row), 0
        for number, (inputs, outputs) in enumerate(zip(layers, layers[1:])):
            end = begin + (inputs + 1) * outputs
            values = affine(weights[begin:end], values, outputs)
            begin = end
            if number < len(layers) - 2:
                values = [sigmoid(value) for value in values]
        found += softmax(values)
    return found


def mean_probabilities(text: str, rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the probabilities of the mean of the networks' raw predictions, row by row.

    The hidden units of a network follow those of the one before it, and the weights of
    the output layer are divided by the number of networks.
    """
    document = json.loads(text)
    inputs, units, outputs = document["layers"]
    weights = document["weights"]["data"]
    scaling = document["input"]
    second = (inputs + 1) * units
    size = units // NUM_NETWORKS
    found: list[float] = []
    for row in rows:
        scaled = [
            (x - mean) / deviation
            for x, mean, deviation in zip(row, scaling["mean"], scaling["std"])
        ]
        hidden = list(map(sigmoid, affine(weights[:second], scaled, units)))
        raw = []
        for begin in range(0, units, size):
            own = weights[second + begin * outputs : second + (begin + size) * outputs]
            biases = weights[second + units * outputs :]
            network = [NUM_NETWORKS * weight for weight in own] + biases
            raw.append(affine(network, hidden[begin : begin + size], outputs))
        found += softmax([sum(values) / NUM_NETWORKS for values in zip(*raw)])
    return found


def filled_rows(text: str, rows: Sequence[Sequence[float | None]]) -> list[list[float]]:
    """Returns rows in which the means of a model replace missing values."""
    means = json.loads(text)["input"]["mean"]
    return [
        [mean if x is None or math.isnan(x) else x for x, mean in zip(row, means)] for row in rows
    ]


def rows_by_name(table: Table) -> list[list[float]]:
    """Returns the rows of a table in the order of the columns of the training."""
    if table.names is None or not set(COLUMNS) <= set(table.names):
        return [list(row) for row in table.rows]
    order = [table.names.index(name) for name in COLUMNS]
    return [[row[place] for place in order] for row in table.rows]
