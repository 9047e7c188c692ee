# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A network of sigmoid layers and a softmax, computed in Python from its model file."""

import math


def probabilities(model, values):
    """The probabilities of the classes for what the network reads.

    The layout is that of version 1: for each layer the weights, by input and then by
    output, and then the biases.
    """
    weights, at, layers = model["weights"]["data"], 0, model["layers"]
    for k, (inputs, outputs) in enumerate(zip(layers, layers[1:])):
        matrix = weights[at:at + inputs * outputs]
        at += inputs * outputs
        values = [weights[at + i] + sum(matrix[j * outputs + i] * values[j]
                                        for j in range(inputs))
                  for i in range(outputs)]
        at += outputs
        if k + 2 < len(layers):
            values = [1 / (1 + math.exp(-z)) for z in values]
    largest = max(values)
    powers = [math.exp(z - largest) for z in values]
    return [power / sum(powers) for power in powers]


def scale(features, means, deviations):
    """Features as the model's scaler gives them; 0 without a deviation."""
    return [(x - mean) / deviation if deviation else 0.0
            for x, mean, deviation in zip(features, means, deviations)]
