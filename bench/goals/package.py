# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""P1 to P3: what Python adds to the library, and scikit-learn's own network."""
from goals.evaluation import MNIST
from measure import pairs
from measure.report import Row, ratio_row, time_row, time_text

WORKER = "package_worker.py"
NUM_ROWS = 10000


def is_missing(bench, goal, what, *packages):
    """Notes a package that the peers' environment lacks."""
    for package in packages:
        if package not in bench.packages:
            bench.skip(goal, what, f"{package} is not installed; "
                       "bench/goals.py --install package does it")
            return True
    return False


def run_p1(bench):
    """A fit of the iris flowers, over the same fit in C++."""
    what = "Iris, a fit in Python, over the fit in C++"
    if is_missing(bench, "P1", what, "spark-mlp"):
        return
    with bench.guarded("P1", what), \
            bench.peer(WORKER, 1, "mlp", "fit", "iris") as ours, \
            bench.worker("fit", "iris", 1) as library:
        measured = bench.measure(ours, library)
        kept = pairs.quiet(measured, "cpu")
        row = Row("P1", what, 150.0, False, " us", num_pairs=len(measured))
        row.values = [1e6 * (pairs.seconds(p.ours, "cpu")
                             - pairs.seconds(p.peer, "cpu")) for p in kept]
        for name in ("ours", "peer"):
            setattr(row, name, time_text(pairs.percentile(
                [pairs.seconds(getattr(p, name), "cpu") for p in measured], 0.5)))
        bench.add(row)


def run_p2(bench):
    """Fits against scikit-learn, for the same number of iterations."""
    for data, bound in (("digits", 3.0), ("mnist", 2.0)):
        what = f"{data}, an iteration, against scikit-learn's lbfgs"
        if is_missing(bench, "P2", what, "spark-mlp", "scikit-learn"):
            continue
        with bench.guarded("P2", what), \
                bench.peer(WORKER, 1, "mlp", "fit", data) as ours, \
                bench.peer(WORKER, 1, "sklearn", "fit", data) as peer:
            bench.add(ratio_row("P2", what, bound, bench.measure(ours, peer),
                                "cpu", lambda sample: sample["iterations"]))


def run_p3(bench):
    """Predictions: one row, and the rows of MNIST against the library."""
    what = "a row of Iris, predict in Python"
    if is_missing(bench, "P3", what, "spark-mlp"):
        return
    with bench.guarded("P3", what), \
            bench.peer(WORKER, 1, "mlp", "predict", "iris") as ours:
        bench.add(time_row("P3", what, 5.0, " us", bench.measure(ours)))
    what = "10,000 rows of MNIST, predict in Python, over C++"
    with bench.guarded("P3", what), \
            bench.peer(WORKER, 1, "mlp", "predict", NUM_ROWS) as ours, \
            bench.worker("scoring", MNIST, "f64", "batch", NUM_ROWS, 1) as library:
        row = ratio_row("P3", what, 1.03, bench.measure(library, ours), "cpu")
        row.is_least = False
        bench.add(row)
