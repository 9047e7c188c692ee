# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Data that the tests of the Python package share."""

import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
SPECIES = ("setosa", "versicolor", "virginica")


def read_iris() -> tuple[np.ndarray, np.ndarray]:
    """Returns the features, and the species as indices."""
    table = np.genfromtxt(DATA / "iris.csv", delimiter=",", skip_header=1, dtype=str)
    features = np.ascontiguousarray(table[:, :4].astype(np.float64))
    return features, np.array([SPECIES.index(name) for name in table[:, 4]])


@pytest.fixture
def iris() -> tuple[np.ndarray, np.ndarray]:
    return read_iris()


@pytest.fixture
def names(iris: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The species of the flowers, as texts."""
    return np.array(SPECIES)[iris[1]]
