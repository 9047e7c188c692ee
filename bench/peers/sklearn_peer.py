# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's lbfgs, per evaluation.

A sample is a fit of a few iterations from the given weights; the time is divided
by the evaluations that its optimiser asked for. The first of them is the one
that both sides must agree on.
"""
import warnings

from protocol import read_arguments, serve

MAX_ITERATIONS = 3


def blas_core():
    """What numpy's BLAS takes this processor for."""
    from threadpoolctl import threadpool_info

    for library in threadpool_info():
        if library["user_api"] == "blas" and "numpy" in library["filepath"]:
            return library.get("architecture", "unknown")
    return "unknown"


def make_classifier(problem):
    """An estimator that starts from the given weights and counts."""
    import numpy
    from sklearn.neural_network import MLPClassifier

    class Counting(MLPClassifier):
        """Sees each evaluation on its way."""

        def _initialize(self, *arguments, **named):
            super()._initialize(*arguments, **named)
            layers = list(problem.layers())
            self.coefs_ = [w.copy() for w, _ in layers]
            self.intercepts_ = [b.copy() for _, b in layers]
            self.evaluations, self.first = 0, None

        def _loss_grad_lbfgs(self, *arguments, **named):
            value, gradient = super()._loss_grad_lbfgs(*arguments, **named)
            self.evaluations += 1
            if self.first is None:
                self.first = (float(value), float(numpy.linalg.norm(gradient)))
            return value, gradient

    return Counting(hidden_layer_sizes=problem.sizes[1:-1],
                    activation="logistic", solver="lbfgs", alpha=0.0,
                    max_iter=MAX_ITERATIONS, tol=0.0)


def main():
    problem, _, _ = read_arguments()
    import numpy

    warnings.simplefilter("ignore")
    classifier = make_classifier(problem)
    weights = numpy.asarray(problem.instance_weights)
    core = blas_core()

    def work():
        classifier.fit(problem.features, problem.labels, sample_weight=weights)
        return classifier

    def describe(result):
        value, norm = result.first
        return {"loss": value, "gradient_norm": norm, "blas": core,
                "evaluations": result.evaluations}

    serve(work, describe)


if __name__ == "__main__":
    main()
