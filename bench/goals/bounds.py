# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The bounds of the figures that the README shows.

Two numbers belong to kernels for AVX-512 and to all others.
"""

PEAK_SHARE = (0.86, 0.88)
IRIS_AGAINST_SPARK = (4000.0, 4000.0)
MNIST_AGAINST_SPARK = (10.0, 8.0)
IRIS_ROW_AGAINST_ONNX_RUNTIME = (30.0, 30.0)
CSV_RATE = (600.0, 600.0)  # MB/s
