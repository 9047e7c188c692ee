# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Epochs of adam by scikit-learn, which has no batch normalisation.

    sklearn_epochs_peer.py plain THREADS
"""
import sys
import warnings

import mnist
from protocol import limit_threads, serve


def main():
    limit_threads(int(sys.argv[2]))
    import numpy
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore")
    features, labels = mnist.read()
    classifier = MLPClassifier(
        hidden_layer_sizes=mnist.LAYERS[1:-1], activation="relu",
        solver="adam", alpha=0.0, batch_size=mnist.BATCH_SIZE,
        learning_rate_init=mnist.STEP_SIZE, random_state=1)
    classes = numpy.arange(mnist.LAYERS[-1])

    def work():
        classifier.partial_fit(features, labels, classes=classes)
        return classifier

    work()
    serve(work, lambda result: {"objective": float(result.loss_)})


if __name__ == "__main__":
    main()
