# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""MNIST's test rows, as the peers train on them."""
import gzip
import pathlib

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
NUM_ROWS = 8000
LAYERS = (784, 256, 128, 10)
BATCH_SIZE = 128
STEP_SIZE = 0.001


def read_pixels():
    """All 10,000 rows: pixels [rows, 784] from 0 to 255, and labels, as bytes."""
    import numpy

    with gzip.open(DATA / "t10k-images-idx3-ubyte.gz") as file:
        pixels = numpy.frombuffer(file.read(), numpy.uint8, offset=16)
    with gzip.open(DATA / "t10k-labels-idx1-ubyte.gz") as file:
        labels = numpy.frombuffer(file.read(), numpy.uint8, offset=8)
    return pixels.reshape(-1, 784), labels


def read():
    """Features [rows, 784] in single precision, from 0 to 1, and labels."""
    import numpy

    pixels, labels = read_pixels()
    features = pixels[:NUM_ROWS].astype(numpy.float32) / 255
    return features, labels[:NUM_ROWS].astype(numpy.int64)
