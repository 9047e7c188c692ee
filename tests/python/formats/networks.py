# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Random networks, and a scorer that follows docs/model-format.md step by step."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
from mlp import Model, _core

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
# What two orders of summation of a few hundred products may differ by.
TOLERANCE = 1e-12

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sigmoid": lambda z: np.exp(-np.logaddexp(0, -z)),
    "tanh": np.tanh,
    "softplus": lambda z: np.maximum(z, 0) + np.log1p(np.exp(-abs(z))),
    "relu": lambda z: np.maximum(z, 0),
    "leaky-relu": lambda z: np.where(z > 0, z, 0.01 * z),
    "elu": lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))),
    "swish": lambda z: z * np.exp(-np.logaddexp(0, -z)),
}


def random_model(
    layers: tuple[int, ...],
    seed: int = 1,
    *,
    activations: tuple[str, ...] = (),
    residual: tuple[int, ...] = (),
    batch_norm: tuple[int, ...] = (),
    dropout: tuple[float, ...] = (),
    **parts: Any,
) -> Model:
    """Makes a model with random weights; hidden layers are counted from 1."""
    random = np.random.default_rng(seed)
    pairs = list(zip(layers, layers[1:]))
    num_weights = sum(outputs * (inputs + 1) for inputs, outputs in pairs)
    num_weights += sum(a * b for a, b in (pairs[k - 1] for k in residual) if a != b)
    num_statistics = 2 * sum(layers[k] for k in batch_norm)
    hidden_layers = [
        _core.HiddenLayer(
            activations[k - 1] if activations else "sigmoid",
            k in residual,
            k in batch_norm,
            dropout[k - 1] if dropout else 0.0,
        )
        for k in range(1, len(layers) - 1)
    ]
    core = _core.Model.make(
        layers,
        random.normal(size=num_weights + num_statistics),
        hidden_layers,
        statistics=random.uniform(0.5, 2.0, num_statistics),
        **parts,
    )
    return Model(core)


def random_scaler(size: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Returns means and deviations; the last feature is constant."""
    random = np.random.default_rng(seed)
    deviation = random.uniform(0.5, 3.0, size)
    deviation[-1] = 0
    return random.normal(5, 2, size), deviation


# The second and the last of four features are linear.
EDGES = (4, [[-1.0, 0.5, 2.0], [], [-3.0, -1.0, 3.0, 4.0, 8.0], []])


def random_rows(size: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(3, 4, (50, size))


def score(model: Model, X: np.ndarray) -> np.ndarray:
    """Computes the outputs of the last layer, as the section "Scoring" says."""
    members = json.loads(model.to_json())
    network = members.get("network", {})
    weights = take(np.asarray(model.weights))
    statistics = take(np.array(network.get("statistics", [])))
    names = members["activation"].split(",")
    a = X
    if "mean" in members["input"]:
        mean, std = np.array(members["input"]["mean"]), np.array(members["input"]["std"])
        a = np.where(std == 0, 0, (X - mean) / np.where(std == 0, 1, std))
    for bins in members["input"].get("bins", []):
        x, edges = X[:, bins["feature"]], bins["edges"]
        shares = [(x - begin) / (end - begin) for begin, end in zip(edges, edges[1:])]
        a = np.column_stack([a, *(np.clip(share, 0, 1) for share in shares)])
    sizes = members["layers"]
    for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:]), 1):
        z = a @ weights(inputs, outputs) + weights(outputs)
        if k == len(sizes) - 1:
            return z
        residual = 0
        if k in network.get("residual", []):
            residual = a if inputs == outputs else a @ weights(inputs, outputs)
        if k in network.get("batchNorm", []):
            scale, shift = weights(outputs), weights(outputs)
            mean, variance = statistics(outputs), statistics(outputs)
            z = (z - mean) / np.sqrt(variance + 0.00001) * scale + shift
        a = ACTIVATIONS[names[k - 1] if len(names) > 1 else names[0]](z) + residual
    raise AssertionError("a network has a last layer")


def take(numbers: np.ndarray) -> Callable[..., np.ndarray]:
    """Returns a function that takes the next array of a shape."""
    begin = 0

    def next_array(*shape: int) -> np.ndarray:
        nonlocal begin
        end = begin + int(np.prod(shape))
        array, begin = numbers[begin:end].reshape(shape), end
        return array

    return next_array
