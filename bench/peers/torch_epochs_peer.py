# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Epochs of adam by PyTorch, as its users write them.

    torch_epochs_peer.py plain|batch_norm THREADS
"""
import sys

import mnist
from protocol import limit_threads, serve


def make_network(torch, has_batch_norm):
    parts = []
    sizes = mnist.LAYERS
    for inputs, outputs in zip(sizes[:-2], sizes[1:-1]):
        parts.append(torch.nn.Linear(inputs, outputs))
        if has_batch_norm:
            parts.append(torch.nn.BatchNorm1d(outputs))
        parts.append(torch.nn.ReLU())
    return torch.nn.Sequential(*parts, torch.nn.Linear(*sizes[-2:]))


def main():
    network_name, num_threads = sys.argv[1], int(sys.argv[2])
    limit_threads(num_threads)
    import torch

    torch.set_num_threads(num_threads)
    torch.manual_seed(1)
    features, labels = map(torch.from_numpy, mnist.read())
    network = make_network(torch, network_name == "batch_norm")
    optimiser = torch.optim.Adam(network.parameters(), lr=mnist.STEP_SIZE)

    def work():
        order = torch.randperm(len(features))
        total = 0.0
        for batch in order.split(mnist.BATCH_SIZE):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                network(features[batch]), labels[batch])
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(batch)
        return total / len(features)

    work()
    serve(work, lambda objective: {"objective": objective})


if __name__ == "__main__":
    main()
