# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package, and scikit-learn, on the same work.

    package_worker.py THREADS mlp|sklearn fit iris|digits|mnist
    package_worker.py THREADS mlp predict ROWS|iris

A fit with the hyper-parameters of bench/tasks/fit.cpp for iris, else of ITERATIONS
iterations with logistic hidden units. A prediction is of one row of the iris flowers,
or of so many rows of MNIST.
"""
import sys
import warnings

from mnist import DATA, read_pixels
from protocol import limit_threads, serve

ITERATIONS = {"digits": 60, "mnist": 15}
HIDDEN = {"digits": 64, "mnist": 100}


def read(name):
    """Features and labels."""
    import numpy

    if name == "mnist":
        pixels, labels = read_pixels()
        return pixels / 255.0, labels.astype(int)
    if name == "iris":
        table = numpy.genfromtxt(DATA / "iris.csv", delimiter=",",
                                 skip_header=1, dtype=str)
        labels = numpy.unique(table[:, 4], return_inverse=True)[1]
        return numpy.ascontiguousarray(table[:, :4].astype(float)), labels
    table = numpy.loadtxt(DATA / "digits.csv", delimiter=",", skiprows=1)
    return numpy.ascontiguousarray(table[:, :-1] / 16), table[:, -1].astype(int)


def make_estimator(library, name):
    """An estimator that trains as long as the other library's."""
    import mlp

    if name == "iris":
        return mlp.MLPClassifier(layers=[4, 5, 4, 3], seed=1234, max_iter=100)
    if library == "mlp":
        import mlp.sklearn as package
    else:
        import sklearn.neural_network as package
    return package.MLPClassifier(
        (HIDDEN[name],), activation="logistic", solver="lbfgs", alpha=0.0,
        max_iter=ITERATIONS[name], tol=0.0, random_state=1)


def main():
    num_threads, library, action, name = sys.argv[1:5]
    limit_threads(int(num_threads))
    warnings.simplefilter("ignore")
    if action == "fit":
        features, labels = read(name)
        estimator = make_estimator(library, name)
        serve(lambda: estimator.fit(features, labels),
              lambda fitted: {"iterations": int(fitted.n_iter_)})
        return
    is_row = name == "iris"
    features, labels = read("iris" if is_row else "mnist")
    rows = features[:1] if is_row else features[:int(name)]
    import mlp

    layers = [4, 5, 4, 3] if is_row else [784, 100, 10]
    estimator = mlp.MLPClassifier(layers=layers, max_iter=1)
    estimator.fit(features, labels)
    serve(lambda: estimator.predict(rows), lambda _: {})


if __name__ == "__main__":
    main()
