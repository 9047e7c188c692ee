# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""One evaluation by PyTorch: forward, then backward."""
from protocol import read_arguments, serve


def main():
    problem, _, num_threads = read_arguments()
    import torch

    torch.set_num_threads(num_threads)
    features = torch.from_numpy(problem.features)
    labels = torch.from_numpy(problem.labels).long()
    row_weights = torch.from_numpy(problem.instance_weights)
    layers = [(torch.tensor(w, requires_grad=True),
               torch.tensor(b, requires_grad=True))
              for w, b in problem.layers()]
    parameters = [part for layer in layers for part in layer]

    def work():
        x = features
        for w, b in layers[:-1]:
            x = torch.sigmoid(torch.addmm(b, x, w))
        w, b = layers[-1]
        losses = torch.nn.functional.cross_entropy(
            torch.addmm(b, x, w), labels, reduction="none")
        value = torch.dot(row_weights, losses)
        return value, torch.autograd.grad(value, parameters)

    def describe(result):
        value, gradient = result
        square = sum(float(part.double().square().sum()) for part in gradient)
        return {"loss": float(value.detach()), "gradient_norm": square**0.5}

    serve(work, describe)


if __name__ == "__main__":
    main()
