# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""B1 to B3: whole fits, against real Spark, and what the optimiser adds."""
import shutil

from goals import bounds
from goals.evaluation import DEEP, MNIST
from measure import pairs
from measure.report import Row, ratio_row, time_row, time_text


def iterations(sample):
    """How many iterations one repeat of a fit took."""
    return sample.get("iterations", 1.0)


def add_time(bench, goal, what, bound, worker_arguments, count):
    """Seconds for one piece of work, in microseconds of CPU time."""
    with bench.guarded(goal, what), bench.worker(*worker_arguments) as ours:
        bench.add(time_row(goal, what, bound, " us", bench.measure(ours),
                           count))


def why_no_spark(bench):
    """What keeps Spark from running, or None."""
    if bench.is_short:
        return "Spark takes longer than a short run may"
    if "pyspark" not in bench.packages:
        return "pyspark is not installed"
    return None if shutil.which("java") else "there is no JDK"


def add_spark(bench, goal, data, num_threads, bound):
    """Seconds per iteration of the same fit, by the wall."""
    what = f"{data} per iteration against Spark local[2]"
    reason = why_no_spark(bench)
    if reason:
        bench.skip(goal, what, reason)
        return
    with bench.guarded(goal, what), \
            bench.worker("fit", data, num_threads) as ours, \
            bench.peer("spark_peer.py", data, seconds=0.001) as spark:
        measured = bench.measure(ours, spark, num_threads=num_threads)
        row = ratio_row(goal, what, bound, measured, "wall", iterations)
        bench.void(row, measured, "f64")
        bench.add(row)


def run_b1(bench):
    """Iris."""
    add_time(bench, "B1", "Iris f64, one evaluation", 4.0,
             ("evaluation", "iris", "f64", 1), lambda sample: 1.0)
    add_time(bench, "B1", "Iris f64, per evaluation, optimiser included",
             bench.bound(3.5, 4.0), ("fit", "iris", 1), lambda sample: sample["evaluations"])
    add_time(bench, "B1", "Iris f64, per iteration, optimiser included", 5.6,
             ("fit", "iris", 1), iterations)
    add_spark(bench, "B1", "iris", 1, bench.bound(*bounds.IRIS_AGAINST_SPARK))


def run_b2(bench):
    """MNIST's 10,000 real rows, zeros and all."""
    add_spark(bench, "B2", "mnist", 2, bench.bound(*bounds.MNIST_AGAINST_SPARK))


def add_epochs(bench, network, peer, package, bound, num_threads=2):
    """Seconds per epoch of mini-batches, by the wall."""
    what = (f"epoch of mini-batches, {network.replace('_', ' ')}, f32, "
            f"{num_threads} threads, against {package}")
    if package not in bench.packages:
        bench.skip("M", what, f"{package} is not installed")
        return
    with bench.guarded("M", what), \
            bench.worker("epochs", network, num_threads) as ours, \
            bench.peer(peer, network, num_threads) as theirs:
        measured = bench.measure(ours, theirs, precision="f32",
                                 num_threads=num_threads)
        bench.add(ratio_row("M", what, bound, measured, "wall"))


def run_m(bench):
    """[784, 256, 128, 10], ReLU, adam, 8,000 rows in batches of 128."""
    add_epochs(bench, "batch_norm", "torch_epochs_peer.py", "torch", 3.0)
    add_epochs(bench, "plain", "torch_epochs_peer.py", "torch", 3.0)
    add_epochs(bench, "plain", "sklearn_epochs_peer.py", "scikit-learn", 3.0)


FULL_ROWS = 60000


def add_overhead(bench, layers, num_instances, repeats, bound, num_threads,
                 clock):
    """The optimiser's part of a fit, as it would be of all rows.

    The optimiser's part does not depend on the rows; the evaluations' grows
    with them.
    """
    what = (f"optimiser's share, {layers_text(layers)}, {num_threads} "
            f"thread{'s' * (num_threads > 1)}, {clock} time")
    with bench.guarded("B3", what), bench.worker(
            "optimiser", layers, num_instances, "f64", num_threads,
            seconds=1e-9) as ours:
        ours.repeats = repeats
        measured = bench.measure(ours, num_threads=num_threads)
        kept = pairs.quiet(measured, clock)
        row = Row("B3", what, bound, False, "%", num_pairs=len(measured))
        row.values = [share(p.ours, clock, FULL_ROWS / num_instances)
                      for p in kept]
        row.ours = time_text(pairs.percentile(
            [(p.ours[clock] - p.ours[f"inside_{clock}"]) / p.ours["repeats"]
             for p in measured], 0.5)) + " an iteration"
        bench.add(row)


def layers_text(layers):
    """A name that fits into the table."""
    return "79,510 weights" if layers == MNIST else "12 M weights"


def share(sample, clock, scale):
    """Percent of a fit that is not spent in evaluations."""
    inside = sample[f"inside_{clock}"]
    outside = max(0.0, sample[clock] - inside)
    return 100.0 * outside / (outside + scale * inside)


def run_b3(bench):
    """Both sizes, by the wall on two threads and by CPU time on one."""
    sizes = ((MNIST, 2000, 10, 1.5), (DEEP, 128, 5, 2.0))
    if bench.is_short:
        sizes = ((MNIST, 200, 2, 1.5),)
    for layers, num_instances, repeats, bound in sizes:
        for num_threads, clock in ((2, "wall"), (1, "cpu")):
            add_overhead(bench, layers, num_instances, repeats, bound,
                         num_threads, clock)
