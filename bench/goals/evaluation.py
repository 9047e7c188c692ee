# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A1 to A3 and S: one value-and-gradient evaluation of the training objective.

The arithmetic is 2 N (3 S - n0 n1) flops, S the sum of products of adjacent
layer sizes; the share of the peak is that over the time and the canary's rate.
The goal is that share. The ratios to other libraries have no bound: they depend on
how much of the peak the other library leaves.
"""
import tempfile

from goals import bounds
from measure import machine, pairs
from measure.report import VOID, Row, ratio_row

MNIST = "784,100,10"
DEEP = "784,2500,2000,1500,1000,500,10"


def evaluation_flops(layers, num_instances):
    """What the dense formula counts, also where columns are skipped."""
    sizes = [int(size) for size in layers.split(",")]
    products = [a * b for a, b in zip(sizes, sizes[1:])]
    return 2 * num_instances * (3 * sum(products) - products[0])


def num_rows(bench, layers):
    """Enough rows to keep the ratios of a full data set, or very few."""
    if bench.is_short:
        return 64 if layers == DEEP else 512
    return 2048 if layers == DEEP else 12000


def add_peak(bench, goal, layers, precision, num_threads, clock, bound):
    """Our share of the peak that the canary shows around each sample."""
    count = num_rows(bench, layers)
    flops = evaluation_flops(layers, count)
    what = (f"{precision} evaluation, {num_threads} "
            f"thread{'s' * (num_threads > 1)}, {clock} time, share of peak")
    with bench.guarded(goal, what), bench.worker(
            "evaluation", layers, count, precision, num_threads) as ours:
        measured = bench.measure(ours, None, precision, num_threads)
        kept = pairs.quiet(measured, clock)
        row = Row(goal, what, bound, True, num_pairs=len(measured))
        row.values = [flops / pairs.seconds(p.ours, clock)
                      / pairs.canary_rate(p, clock) for p in kept]
        describe_rates(row, kept or measured, flops, clock)
        row.data.update(kind="evaluation", layers=layers, instances=count,
                        precision=precision, threads=num_threads, clock=clock)
        bench.add(row)


def describe_rates(row, measured, flops, clock):
    """Both rates as medians, for the table and for the roofline."""
    ours = pairs.percentile(
        [flops / pairs.seconds(p.ours, clock) for p in measured], 0.5)
    peak = pairs.percentile(
        [pairs.canary_rate(p, clock) for p in measured], 0.5)
    row.ours = f"{ours / 1e9:.1f} GF/s"
    row.peer = f"peak {peak / 1e9:.1f} GF/s"
    row.data.update(flops_per_second=ours, peak_flops=peak)


def add_ratio(bench, goal, name, script, layers, precision, clock, num_threads,
              environment=None):
    """How many times faster we are than a peer at the same evaluation."""
    what = (f"{precision} against {name}, {num_threads} "
            f"thread{'s' * (num_threads > 1)}, {clock} time")
    count = num_rows(bench, layers)
    with bench.guarded(goal, what), \
            bench.worker("evaluation", layers, count, precision,
                         num_threads) as ours, \
            bench.peer(script, bench.problem(layers, count), layers, precision,
                       num_threads, environment=environment) as peer:
        measured = bench.measure(ours, peer, precision, num_threads)
        row = ratio_row(goal, what, None, measured, clock,
                        lambda sample: sample.get("evaluations", 1.0))
        bench.void(row, measured, precision)
        bench.add(row)
        return measured[-1].peer
    return None


def add_peer(bench, goal, name, package, script, layers, precision):
    """A peer twice: quiet wall time on two threads, CPU time on one.

    Peers whose threads spin while they wait have no honest CPU time on two.
    """
    if package not in bench.packages:
        bench.skip(goal, f"{precision} against {name}",
                   f"{package} is not installed")
        return
    for num_threads, clock in ((2, "wall"), (1, "cpu")):
        last = add_ratio(bench, goal, f"{name} {bench.packages[package]}",
                         script, layers, precision, clock, num_threads)
        core = (last or {}).get("blas")
        suited = core and machine.suitable_blas_core(core, bench.machine)
        if core:
            bench.rows[-1].data["blas_core"] = core
        if suited and bench.rows[-1].verdict != VOID:
            add_ratio(bench, goal, f"{name}, BLAS as {suited} not {core}",
                      script, layers, precision, clock, num_threads,
                      {"OPENBLAS_CORETYPE": suited})


PEERS = {
    "jax": ("jax", "jax", "jax_peer.py"),
    "torch": ("torch", "torch", "torch_peer.py"),
    "sklearn": ("scikit-learn", "scikit-learn", "sklearn_peer.py"),
}


def run_goal(bench, goal, layers, precision, cpu_bound, wall_bound, peers):
    """The shares of the peak, then the peers."""
    for num_threads in (1, 2):
        add_peak(bench, goal, layers, precision, num_threads, "cpu", cpu_bound)
    if wall_bound:
        add_peak(bench, goal, layers, precision, 2, "wall", wall_bound)
    for peer in peers:
        add_peer(bench, goal, *PEERS[peer], layers, precision)


def run_a1(bench):
    """[784, 100, 10] in double precision."""
    run_goal(bench, "A1", MNIST, "f64", bench.bound(*bounds.PEAK_SHARE),
             bench.bound(0.84, 0.87), ("jax", "torch", "sklearn"))


def run_a2(bench):
    """[784, 100, 10] in single precision."""
    run_goal(bench, "A2", MNIST, "f32", bench.bound(0.84, 0.86),
             bench.bound(0.82, 0.85), ("jax", "torch"))


def run_a3(bench):
    """The deep network in both."""
    for precision, share in (("f64", bench.bound(0.89, 0.88)), ("f32", 0.86)):
        run_goal(bench, "A3", DEEP, precision, share, None, ("jax", "torch"))


def run_l(bench):
    """Features in a file that the page cache holds, against features in memory.

    The file is read anew by each evaluation, and its tiles are packed anew.
    """
    for layers, bound in ((MNIST, 0.8), ("784,32,10", 0.6)):
        count = num_rows(bench, layers)
        what = f"f64 evaluation of [{layers}] from a file, against memory, 2 threads"
        with tempfile.TemporaryDirectory(dir=bench.build) as folder, \
                bench.guarded("L", what), \
                bench.worker("evaluation", layers, count, "f64", 2, folder) as file, \
                bench.worker("evaluation", layers, count, "f64", 2) as memory:
            measured = bench.measure(file, memory, "f64", 2)
            row = ratio_row("L", what, bound, measured, "wall")
            bench.void(row, measured, "f64")
            bench.add(row)


def run_s(bench):
    """Two threads against one."""
    count = num_rows(bench, MNIST)
    for precision in ("f64", "f32"):
        what = f"{precision} evaluation, two threads against one, wall time"
        with bench.guarded("S", what), \
                bench.worker("evaluation", MNIST, count, precision, 2) as two, \
                bench.worker("evaluation", MNIST, count, precision, 1) as one:
            measured = bench.measure(two, one, precision, 2)
            row = ratio_row("S", what, 1.9, measured, "wall")
            bench.void(row, measured, precision)
            bench.add(row)
