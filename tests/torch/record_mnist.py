#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains PyTorch's network on MNIST's test rows, and records its accuracies.

    record_mnist.py FILE

[784, 256, 128, 10], ReLU, batch normalisation, adam 0.001, mini-batches of 128,
15 epochs: 8,000 of the 10,000 rows, split by seeds 1 to 5 as shuffle() spells out,
2,000 to test. tests/cpu/panels/mini_batch_training_test.cpp trains the same splits.
"""
import gzip
import json
import pathlib
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
NUM_ROWS, NUM_TRAINED = 10000, 8000
SEEDS = (1, 2, 3, 4, 5)
NUM_EPOCHS, BATCH_SIZE = 15, 128


def shuffle(seed):
    """Fisher and Yates, by the generator of Knuth's MMIX."""
    order, state = list(range(NUM_ROWS)), seed
    for i in range(NUM_ROWS, 1, -1):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        j = (state >> 33) % i
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def read():
    import numpy

    with gzip.open(DATA / "t10k-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    with gzip.open(DATA / "t10k-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    return (pixels.reshape(-1, 784).astype(numpy.float32) / 255,
            labels.astype(numpy.int64))


def accuracy(torch, features, labels, seed):
    """Of one training, on the rows left out."""
    torch.manual_seed(seed)
    nn = torch.nn
    network = nn.Sequential(
        nn.Linear(784, 256), nn.BatchNorm1d(256), nn.ReLU(),
        nn.Linear(256, 128), nn.BatchNorm1d(128), nn.ReLU(),
        nn.Linear(128, 10))
    optimiser = torch.optim.Adam(network.parameters(), lr=0.001)
    order = torch.tensor(shuffle(seed))
    train, test = order[:NUM_TRAINED], order[NUM_TRAINED:]
    for _ in range(NUM_EPOCHS):
        for batch in train[torch.randperm(NUM_TRAINED)].split(BATCH_SIZE):
            optimiser.zero_grad()
            nn.functional.cross_entropy(
                network(features[batch]), labels[batch]).backward()
            optimiser.step()
    network.eval()
    with torch.no_grad():
        predicted = network(features[test]).argmax(1)
    return float((predicted == labels[test]).double().mean())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        import torch
    except ImportError:
        print("torch is not installed")
        sys.exit(77)
    features, labels = map(torch.from_numpy, read())
    accuracies = [accuracy(torch, features, labels, seed) for seed in SEEDS]
    recorded = {"torch": torch.__version__.split("+")[0], "seeds": SEEDS,
                "accuracies": accuracies}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(recorded) + "\n",
                                         encoding="utf-8")
    print(sys.argv[1], accuracies)


if __name__ == "__main__":
    main()
