#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Records what PyTorch computes in float64 for ten networks.

Usage: record_networks.py FILE          writes the recording
       record_networks.py --check FILE  compares it with a new one
Exits 1 where a number differs, 77 (skipped) where torch is missing.
tests/golden/README.md explains the file. Weights and instances are drawn by a
formula that a test in another language can repeat.
"""

import json
import pathlib
import sys

try:
    import torch
except ImportError:
    print("skipped: the Python package torch is missing")
    sys.exit(77)

BATCH_SIZE = 8
NUM_STEPS = 50
WEIGHT_DECAY = 0.01

# Two machines add in different orders.
TOLERANCE = 1e-12

# The gradient of a bias in front of batch normalisation is zero but for rounding,
# and Adam divides it by 1e-8: the bias drifts by about 1e-10 a step.
TRAINED_TOLERANCE = 1e-7

ACTIVATIONS = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "softplus": torch.nn.functional.softplus,
    "relu": torch.relu,
    "leaky-relu": lambda z: torch.nn.functional.leaky_relu(z, 0.01),
    "elu": torch.nn.functional.elu,
    "swish": torch.nn.functional.silu,
}

SOLVERS = {
    "sgd": {"stepSize": 0.1},
    "momentum": {"stepSize": 0.05, "momentum": 0.9},
    "nesterov": {"stepSize": 0.05, "momentum": 0.9, "nesterov": True},
    "adam": {"stepSize": 0.01},
    "adamw": {"stepSize": 0.01, "weightDecay": WEIGHT_DECAY},
}


def hidden(activation, residual=False, batch_norm=False):
    return {"activation": activation, "residual": residual,
            "batchNorm": batch_norm}


def network(name, layers, hidden_layers, loss="softmax", **options):
    """Describes a network; what is not given is off."""
    description = {"name": name, "layers": layers, "hidden": hidden_layers,
                   "loss": loss, "labelSmoothing": 0.0, "regParam": 0.0,
                   "hasInstanceWeights": False, "numInstances": 20,
                   "isTrained": False}
    unknown = set(options) - set(description)
    assert not unknown, unknown
    return description | options


NETWORKS = [
    network("sigmoid", [4, 5, 3], [hidden("sigmoid")]),
    network("tanh_smoothed", [6, 8, 5, 4], [hidden("tanh")] * 2,
            labelSmoothing=0.1, isTrained=True),
    network("softplus_residual_squared", [3, 6, 6, 2],
            [hidden("softplus", residual=True)] * 2, "squared"),
    network("relu_weighted_penalized", [5, 7, 3], [hidden("relu")],
            hasInstanceWeights=True, regParam=0.1, isTrained=True),
    network("leaky_relu_residual_batch_norm", [5, 8, 8, 3],
            [hidden("leaky-relu", residual=True, batch_norm=True)] * 2,
            isTrained=True),
    network("elu_batch_norm_weighted_squared", [4, 6, 2],
            [hidden("elu", batch_norm=True)], "squared",
            hasInstanceWeights=True, isTrained=True),
    network("swish_deep_smoothed_weighted", [6, 5, 4, 3, 3],
            [hidden("swish")] * 3, labelSmoothing=0.2,
            hasInstanceWeights=True),
    network("mixed_penalized", [4, 6, 6, 5, 3],
            [hidden("tanh", residual=True, batch_norm=True),
             hidden("relu", residual=True),
             hidden("swish", batch_norm=True)],
            regParam=0.05, isTrained=True),
    network("everything", [7, 4, 3], [hidden("sigmoid", True, True)],
            labelSmoothing=0.05, regParam=0.2, hasInstanceWeights=True,
            numInstances=13),
    network("without_hidden_layers", [5, 4], [], "squared",
            hasInstanceWeights=True, regParam=0.3),
]


class Uniform:
    """Numbers in [-1, 1) of a linear congruential generator modulo 2^64.

    Source: Knuth, The Art of Computer Programming 2, 3.3.4 (the multiplier of
    MMIX). The upper 53 bits make a number, so that nothing is rounded.
    """

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (6364136223846793005 * self.state +
                      1442695040888963407) % 2**64
        return (self.state >> 11) * 2.0**-52 - 1.0

    def list(self, size):
        return [self.next() for _ in range(size)]


class Network:
    """A network and its instances, drawn by a seed."""

    def __init__(self, description, seed):
        self.description = description
        uniform = Uniform(seed)
        sizes = description["layers"]
        self.layers = []
        for k, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
            self.layers.append(self._draw_layer(k, inputs, outputs, uniform))
        self._draw_instances(uniform)

    def _draw_layer(self, k, inputs, outputs, uniform):
        """The tensors of a layer by name, in the order of the flat weights."""
        def matrix():  # column-major in the flat weights
            drawn = [0.8 * u for u in uniform.list(inputs * outputs)]
            return torch.tensor(drawn).reshape(inputs, outputs).T.contiguous()

        def vector(center, factor):
            return torch.tensor(
                [center + factor * u for u in uniform.list(outputs)])

        layer = {"weights": matrix(), "biases": vector(0.0, 0.8)}
        settings = self._hidden(k)
        if settings and settings["residual"] and inputs != outputs:
            layer["projection"] = matrix()
        if settings and settings["batchNorm"]:
            layer["scales"] = vector(1.0, 0.5)
            layer["shifts"] = vector(0.0, 0.8)
        for tensor in layer.values():
            tensor.requires_grad_()
        if settings and settings["batchNorm"]:
            layer["means"] = torch.zeros(outputs)
            layer["variances"] = torch.ones(outputs)
        return layer

    def _hidden(self, k):
        settings = self.description["hidden"]
        return settings[k] if k < len(settings) else None

    def _draw_instances(self, uniform):
        size = self.description["numInstances"]
        inputs = self.description["layers"][0]
        outputs = self.description["layers"][-1]
        self.features = torch.tensor(uniform.list(size * inputs)).reshape(
            size, inputs)
        if self.description["loss"] == "softmax":
            self.labels = torch.tensor(
                [int((u + 1.0) / 2.0 * outputs) for u in uniform.list(size)])
        else:
            self.targets = torch.tensor(uniform.list(size * outputs)).reshape(
                size, outputs)
        self.instance_weights = torch.ones(size)
        if self.description["hasInstanceWeights"]:
            self.instance_weights = torch.tensor(
                [(u + 1.0) / 2.0 for u in uniform.list(size)])

    def tensors(self, names=("weights", "biases", "projection", "scales",
                             "shifts")):
        return [layer[name] for layer in self.layers for name in names
                if name in layer]

    def forward(self, x):
        for k, layer in enumerate(self.layers):
            y = torch.nn.functional.linear(x, layer["weights"],
                                           layer["biases"])
            settings = self._hidden(k)
            if settings is None:
                return y
            if settings["batchNorm"]:
                y = torch.nn.functional.batch_norm(
                    y, layer["means"], layer["variances"], layer["scales"],
                    layer["shifts"], training=True, momentum=0.1, eps=1e-5)
            y = ACTIVATIONS[settings["activation"]](y)
            if settings["residual"]:
                skip = x if "projection" not in layer else (
                    torch.nn.functional.linear(x, layer["projection"]))
                y = y + skip
            x = y

    def losses(self, batch):
        """The loss of each instance of a batch."""
        z = self.forward(self.features[batch])
        if self.description["loss"] == "softmax":
            return torch.nn.functional.cross_entropy(
                z, self.labels[batch], reduction="none",
                label_smoothing=self.description["labelSmoothing"])
        return 0.5 * (z - self.targets[batch]).square().sum(dim=1)

    def objective(self, batch, reg_param):
        weights = self.instance_weights[batch]
        mean = (weights * self.losses(batch)).sum() / weights.sum()
        matrices = self.tensors(("weights", "projection"))
        return mean + reg_param / 2 * sum(w.square().sum() for w in matrices)

    def statistics(self):
        return flatten(self.tensors(("means", "variances")))


def flatten(tensors):
    """One list of numbers; matrices column by column."""
    return [number for tensor in tensors
            for number in tensor.detach().transpose(0, -1).reshape(-1).tolist()]


def make_optimizer(net, solver):
    matrices = net.tensors(("weights", "projection"))
    others = net.tensors(("biases", "scales", "shifts"))
    if "weightDecay" in solver:
        groups = [{"params": matrices, "weight_decay": solver["weightDecay"]},
                  {"params": others, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=solver["stepSize"])
    if solver is SOLVERS["adam"]:
        return torch.optim.Adam(matrices + others, lr=solver["stepSize"])
    return torch.optim.SGD(matrices + others, lr=solver["stepSize"],
                           momentum=solver.get("momentum", 0.0),
                           nesterov=solver.get("nesterov", False))


def train(description, seed, solver):
    """Batch b has the instances 8 b .. 8 b + 7, modulo their number. AdamW
    decays apart from the objective, which then has no penalty."""
    net = Network(description, seed)
    optimizer = make_optimizer(net, solver)
    reg_param = 0.0 if "weightDecay" in solver else description["regParam"]
    size = description["numInstances"]
    for step in range(NUM_STEPS):
        batch = [(BATCH_SIZE * step + i) % size for i in range(BATCH_SIZE)]
        optimizer.zero_grad()
        net.objective(batch, reg_param).backward()
        optimizer.step()
    return solver | {"weights": flatten(net.tensors()),
                     "statistics": net.statistics()}


def record_network(description, seed):
    net = Network(description, seed)
    everything = list(range(description["numInstances"]))
    objective = net.objective(everything, description["regParam"])
    objective.backward()
    recorded = dict(description, seed=seed, objective=objective.item(),
                    gradient=flatten([w.grad for w in net.tensors()]),
                    statistics=net.statistics())
    if recorded.pop("isTrained"):
        recorded["trained"] = {name: train(description, seed, solver)
                               for name, solver in SOLVERS.items()}
    return recorded


def record():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    return {"torch": torch.__version__, "batchSize": BATCH_SIZE,
            "numSteps": NUM_STEPS,
            "networks": [record_network(description, seed) for
                         seed, description in enumerate(NETWORKS, start=1)]}


def write(recording, path):
    """Writes JSON, one network a line."""
    head = dict(recording, networks=[])
    networks = ",\n".join(json.dumps(n) for n in recording["networks"])
    text = json.dumps(head).replace("[]", "[\n" + networks + "\n]")
    path.write_text(text + "\n", "utf-8")


def is_close(stored, again, tolerance):
    """Compares lists of numbers by the largest of them."""
    largest = max((abs(x) for x in stored), default=0.0)
    return len(stored) == len(again) and all(
        abs(x - y) <= tolerance * largest for x, y in zip(stored, again))


def differences(stored, again, path="", tolerance=TOLERANCE):
    """Yields the places where two recordings differ, as JSON paths."""
    if path == ".trained":
        tolerance = TRAINED_TOLERANCE
    if isinstance(stored, dict) and isinstance(again, dict):
        for key in sorted(set(stored) | set(again)):
            yield from ((key + " " + place).strip() for place in differences(
                stored.get(key), again.get(key), "." + key, tolerance))
    elif path in (".objective", ".gradient", ".statistics", ".weights"):
        values = [x if isinstance(x, list) else [x] for x in (stored, again)]
        if None in values[0] + values[1] or not is_close(*values, tolerance):
            yield ""
    elif path == ".networks" and len(stored) == len(again):
        for one, other in zip(stored, again):
            for place in differences(one, other):
                yield one["name"] + " " + place
    elif path != ".torch" and stored != again:
        yield ""


def check(path):
    stored = json.loads(path.read_text("utf-8"))
    found = list(differences(stored, record()))
    for place in found:
        print(f"{path}: torch {torch.__version__} gives other numbers than "
              f"torch {stored['torch']} did: {place}")
    return 1 if found else 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--check":
        return check(pathlib.Path(arguments[1]))
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    write(record(), pathlib.Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
