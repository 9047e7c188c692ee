# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A model of several networks, and the mean of what each gives, in plain Python."""
from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence

from .network import affine, sigmoid, softmax

# Five networks that were trained on the rows of the cases, with labels by name, as
#   mlp train rows.csv --effort standard --for spark --seed 1 -o merged.json
MODEL_FILE = pathlib.Path(__file__).parent / "merged.json"
NUM_NETWORKS = 5


def merged_model_text() -> str:
    return MODEL_FILE.read_text(encoding="utf-8")


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
