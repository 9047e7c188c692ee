# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The peers' side of the pipe, and the arrays that both sides work on."""
import json
import os
import pathlib
import sys
import time


def limit_threads(num_threads):
    """Leaves the process so many cores, before any library counts them."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[-num_threads:])
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(num_threads)


class Problem:
    """The arrays that mlp_bench wrote, and the sizes of the layers."""

    def __init__(self, folder, layers, precision):
        import numpy

        folder = pathlib.Path(folder)
        kind = numpy.float64 if precision == "f64" else numpy.float32
        self.sizes = [int(size) for size in layers.split(",")]
        self.features = numpy.load(folder / "features.npy").astype(kind)
        self.labels = numpy.load(folder / "labels.npy")
        self.instance_weights = numpy.load(
            folder / "instance_weights.npy").astype(kind)
        self.weights = numpy.load(folder / "weights.npy").astype(kind)

    def layers(self):
        """Each layer's matrix [inputs, outputs] and biases, as Spark packs them."""
        at = 0
        for num_inputs, num_outputs in zip(self.sizes, self.sizes[1:]):
            end = at + num_inputs * num_outputs
            matrix = self.weights[at:end].reshape(num_inputs, num_outputs)
            yield matrix, self.weights[end:end + num_outputs]
            at = end + num_outputs


def read_arguments():
    """FOLDER LAYERS PRECISION THREADS, with the threads limited."""
    folder, layers, precision, num_threads = sys.argv[1:5]
    limit_threads(int(num_threads))
    return Problem(folder, layers, precision), precision, int(num_threads)


def serve(work, describe, finish=lambda: None):
    """Answers "run REPEATS" until the input ends.

    work      does the work once and returns a result
    describe  turns the last result into figures; not timed
    finish    waits for work that a device still does
    """
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        verb, repeats = line.split()
        if verb != "run":
            sys.exit(f"a request must be run REPEATS; got {line.strip()}")
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(int(repeats)):
            result = work()
        finish()
        sample = {"wall": time.perf_counter() - wall,
                  "cpu": time.process_time() - cpu, **describe(result)}
        print(json.dumps(sample), flush=True)
