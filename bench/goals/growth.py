# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""G1: the cost of a row while the number of rows grows."""
from measure import pairs
from measure.report import Row, time_text

NETWORKS = ("4,5,4,3", "30,20,2", "784,100,10")
SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
BASE = 10_000
MAX_FEATURE_BYTES = 1 << 32


def sizes_of(layers, is_short):
    """The numbers of rows whose features are not more than MAX_FEATURE_BYTES."""
    if is_short:
        return SIZES[:2]
    num_features = int(layers.split(",")[0])
    return [size for size in SIZES
            if 8 * num_features * size <= MAX_FEATURE_BYTES]


def name_of(layers):
    return f"[{layers}]"


def add_cost(bench, layers, count):
    """The time of a row among count rows, over its time among BASE rows."""
    what = f"{name_of(layers)}, {count:,} rows, cost of a row over {BASE:,}"
    with bench.guarded("G1", what), \
            bench.worker("evaluation", layers, count, "f64", 1) as ours, \
            bench.worker("evaluation", layers, BASE, "f64", 1) as base:
        measured = bench.measure(ours, base)
        kept = pairs.quiet(measured, "cpu")
        row = Row("G1", what, 1.15, False, "x", num_pairs=len(measured))
        row.values = [cost(p.ours, count) / cost(p.peer, BASE) for p in kept]
        shown = kept or measured
        middle = pairs.percentile([cost(p.ours, count) for p in shown], 0.5)
        row.ours = time_text(middle)
        row.peer = time_text(
            pairs.percentile([cost(p.peer, BASE) for p in shown], 0.5))
        row.data.update(kind="growth", layers=layers, instances=count,
                        threads=1, seconds=middle)
        bench.add(row)


def cost(sample, count, clock="cpu"):
    """Seconds of one row."""
    return pairs.seconds(sample, clock) / count


def add_threads(bench, layers, count):
    """Two threads over one."""
    what = f"{name_of(layers)}, {count:,} rows, two threads over one"
    with bench.guarded("G1", what), \
            bench.worker("evaluation", layers, count, "f64", 2) as two, \
            bench.worker("evaluation", layers, count, "f64", 1) as one:
        measured = bench.measure(two, one, num_threads=2)
        kept = pairs.quiet(measured, "wall")
        row = Row("G1", what, 1.8, True, "x", num_pairs=len(measured))
        row.values = [pairs.seconds(p.peer, "wall")
                      / pairs.seconds(p.ours, "wall") for p in kept]
        shown = kept or measured
        middle = pairs.percentile(
            [cost(p.ours, count, "wall") for p in shown], 0.5)
        row.ours = time_text(middle)
        row.peer = time_text(pairs.percentile(
            [cost(p.peer, count, "wall") for p in shown], 0.5))
        row.data.update(kind="growth", layers=layers, instances=count,
                        threads=2, seconds=middle)
        bench.add(row)


def run_g1(bench):
    """Each network, from few rows to many."""
    for layers in NETWORKS:
        for count in sizes_of(layers, bench.is_short):
            add_cost(bench, layers, count)
        for count in sizes_of(layers, bench.is_short):
            if count >= BASE:
                add_threads(bench, layers, count)
