# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on a device: an evaluation, or iterations of its L-BFGS.

    torch_device_peer.py FOLDER LAYERS f64|f32|tf32|bf16 eager|graph|lbfgs

eager   forward, then backward, as a program without further care calls them
graph   the same, captured in a CUDA graph
lbfgs   torch.optim.LBFGS without a line search: one evaluation per iteration
"""
import sys

from protocol import Problem, serve

ITERATIONS_PER_STEP = 20
HISTORY_SIZE = 10


class Network:
    """The network and its data on the device."""

    def __init__(self, torch, problem, is_bfloat16):
        self.torch = torch
        self.is_bfloat16 = is_bfloat16
        self.features = torch.from_numpy(problem.features).cuda()
        if is_bfloat16:
            self.features = self.features.bfloat16()
        self.labels = torch.from_numpy(problem.labels).long().cuda()
        self.row_weights = torch.from_numpy(problem.instance_weights).cuda()
        self.layers = [
            (torch.tensor(w, device="cuda", requires_grad=True),
             torch.tensor(b, device="cuda", requires_grad=True))
            for w, b in problem.layers()]
        self.parameters = [part for layer in self.layers for part in layer]

    def loss(self):
        torch = self.torch
        with torch.autocast("cuda", torch.bfloat16, enabled=self.is_bfloat16):
            x = self.features
            for w, b in self.layers[:-1]:
                x = torch.sigmoid(torch.addmm(b, x, w))
            w, b = self.layers[-1]
            x = torch.addmm(b, x, w)
        if self.is_bfloat16:
            x = x.float()
        losses = torch.nn.functional.cross_entropy(x, self.labels,
                                                   reduction="none")
        return torch.dot(self.row_weights, losses)

    def evaluate(self):
        value = self.loss()
        return value, self.torch.autograd.grad(value, self.parameters)


def make_graph_work(network):
    """Replays one captured evaluation; its results stay in the same memory."""
    torch = network.torch
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            network.evaluate()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = network.evaluate()

    def work():
        graph.replay()
        return result

    return work


def make_lbfgs_work(network):
    """Some iterations; returns how many there were."""
    optimizer = network.torch.optim.LBFGS(
        network.parameters, lr=1.0, max_iter=ITERATIONS_PER_STEP,
        max_eval=10 * ITERATIONS_PER_STEP, tolerance_grad=0.0,
        tolerance_change=0.0, history_size=HISTORY_SIZE)
    state = optimizer.state[network.parameters[0]]

    def closure():
        optimizer.zero_grad()
        value = network.loss()
        value.backward()
        return value

    def work():
        before = state.get("n_iter", 0)
        optimizer.step(closure)
        return state["n_iter"] - before

    return work


def describe_evaluation(result):
    value, gradient = result
    square = sum(float(part.double().square().sum()) for part in gradient)
    return {"loss": float(value.detach()), "gradient_norm": square**0.5}


def main():
    folder, layers, precision, mode = sys.argv[1:5]
    import torch

    if not torch.cuda.is_available():
        sys.exit("this PyTorch finds no device")
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    problem = Problem(folder, layers, "f64" if precision == "f64" else "f32")
    network = Network(torch, problem, precision == "bf16")
    if mode == "lbfgs":
        serve(make_lbfgs_work(network), lambda count: {"iterations": count},
              torch.cuda.synchronize)
    else:
        work = make_graph_work(network) if mode == "graph" else network.evaluate
        serve(work, describe_evaluation, torch.cuda.synchronize)


if __name__ == "__main__":
    main()
