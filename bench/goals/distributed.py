# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""D1 to D3: sums over ranks, on one machine and over a shaped link; scaling.

Calls are timed one by one, and a sample is their median: ranks that wait for
each other make the mean of a shared machine that of its worst moments.
"""
import contextlib
import shutil

import links
from goals.evaluation import DEEP, MNIST
from measure import pairs
from measure.report import Row, ratio_row, size_text, time_text

IRIS_BYTES, MNIST_BYTES = 512, 636_080
MAX_RATIO, MAX_EXTRA_SECONDS = 1.03, 20e-6
MAX_LEAST = 1.10
GLOO_BYTES = (8, 100_000, 1_000_000, 10_000_000)
LINK_BYTES = (1_000_000, 8_000_000)
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to",
          "none", "-np", "2")


def allowed_excess(ours, raw):
    """What a call costs above the raw one, as a share of what it may."""
    return (ours - raw) / max((MAX_RATIO - 1.0) * raw, MAX_EXTRA_SECONDS)


def median_text(samples):
    return time_text(pairs.percentile([s["median_seconds"] for s in samples],
                                      0.5))


def add_threads(bench, num_bytes, bound_us):
    """Two threads that sum, beside two that copy as many bytes."""
    what = f"2 threads sum {size_text(num_bytes)}; peer: memcpy in both"
    program = bench.program("mlp_allreduce_bench")
    with bench.guarded("D1", what), \
            bench.started([program, "threads", num_bytes], 0.05) as ours, \
            bench.started([program, "copies", num_bytes], 0.05) as peer:
        measured = bench.measure(ours, peer, num_threads=2)
        row = Row("D1", what, bound_us, False, " us", num_pairs=len(measured))
        row.values = [1e6 * p.ours["median_seconds"]
                      for p in pairs.quiet(measured, "wall")]
        row.ours = median_text([p.ours for p in measured])
        row.peer = median_text([p.peer for p in measured])
        bench.add(row)


def add_against_raw(bench, goal, what, ours, raw):
    """Our sum beside the library's own call.

    The figure is what ours takes above it, in units of what it may: 3 %, or 20
    microseconds where those are more.
    """
    measured = bench.measure(ours, raw, num_threads=2)
    row = Row(goal, what, 1.0, False, num_pairs=len(measured))
    both = [(p.ours["median_seconds"], p.peer["median_seconds"])
            for p in pairs.quiet(measured, "wall")]
    row.values = [allowed_excess(*pair) for pair in both]
    row.ours = median_text([p.ours for p in measured])
    row.peer = median_text([p.peer for p in measured])
    row.data = {"ratios": [a / b for a, b in both]}
    bench.void(row, measured, "f64")
    bench.add(row)


@contextlib.contextmanager
def joined_sums(bench, link, side, num_bytes):
    """Two processes that sum by Gloo, in namespaces where there is a link."""
    program = bench.program("mlp_allreduce_bench").resolve()
    seconds = 0.001 if bench.is_short else 0.2
    if link is None:
        with bench.started([program, "gloo", side, num_bytes],
                           seconds) as sums:
            yield sums
        return
    with links.LinkedSums(link, program, side, num_bytes) as sums:
        sums.calibrate(seconds)
        yield sums


def add_processes(bench, link):
    """Gloo between two processes of this machine."""
    device = "lo" if link is None else "veth"
    for num_bytes in GLOO_BYTES:
        what = f"excess over Gloo's call, {size_text(num_bytes)}, {device}"
        with bench.guarded("D1", what), \
                joined_sums(bench, link, "ours", num_bytes) as ours, \
                joined_sums(bench, link, "raw", num_bytes) as raw:
            add_against_raw(bench, "D1", what, ours, raw)


def add_mpi(bench):
    """MPI between two processes of this machine."""
    program = bench.program("mlp_mpi_bench")
    if not program.exists() or shutil.which("mpirun") is None:
        bench.skip("D1", "excess over MPI_Allreduce",
                   "this build has no MPI, or mpirun is missing")
        return
    for num_bytes in GLOO_BYTES:
        what = f"excess over MPI_Allreduce, {size_text(num_bytes)}"
        with bench.guarded("D1", what), \
                bench.started([*MPIRUN, program, "ours", num_bytes],
                              0.1) as ours, \
                bench.started([*MPIRUN, program, "raw", num_bytes],
                              0.1) as raw:
            add_against_raw(bench, "D1", what, ours, raw)


def has_program(bench, goal):
    """Whether the build has the benchmark of sums."""
    if bench.program("mlp_allreduce_bench").exists():
        return True
    bench.skip(goal, "sums over ranks", "this build has no mlp_allreduce_bench")
    return False


def run_d1(bench):
    """One machine: threads, Gloo between processes, MPI."""
    if not has_program(bench, "D1"):
        return
    add_threads(bench, IRIS_BYTES, 1.0)
    add_threads(bench, MNIST_BYTES, 19.0)
    try:
        # Each end of a cable has a network of its own; lo is one for both.
        with links.Link(None) as link:
            add_processes(bench, link)
    except links.NoLink:
        add_processes(bench, None)
    add_mpi(bench)


def add_linked(bench, link, num_bytes):
    """Both figures of one size over the link."""
    size = f"{size_text(num_bytes)} over 1 Gb/s"
    with bench.guarded("D2", size), \
            joined_sums(bench, link, "ours", num_bytes) as ours, \
            joined_sums(bench, link, "raw", num_bytes) as raw:
        measured = bench.measure(ours, raw, num_threads=2)
        both = [(p.ours["median_seconds"], p.peer["median_seconds"])
                for p in pairs.quiet(measured, "wall")]
        least = links.least_seconds(num_bytes, link.gigabits)
        for what, bound, values in (
                (f"Gloo's call = 1, {size}", MAX_RATIO,
                 [a / b for a, b in both]),
                (f"bytes of a ring = 1, {size}",
                 MAX_LEAST if num_bytes >= 8_000_000 else None,
                 [a / least for a, _ in both])):
            row = Row("D2", what, bound, False, num_pairs=len(measured),
                      values=values)
            row.ours = median_text([p.ours for p in measured])
            row.peer = median_text([p.peer for p in measured])
            bench.void(row, measured, "f64")
            bench.add(row)


def run_d2(bench):
    """Two network namespaces joined by a link of 1 Gb/s."""
    if not has_program(bench, "D2"):
        return
    try:
        with links.Link(1.0) as link:
            for num_bytes in LINK_BYTES:
                add_linked(bench, link, num_bytes)
    except links.NoLink as reason:
        bench.skip("D2", "sums over a shaped link", str(reason))


def add_scaling(bench, transport, layers, num_rows, bound):
    """Evaluations by two ranks of a thread each, beside one thread and two
    threads of one process that have all rows."""
    what = f"2 ranks ({transport}), {layers}, {num_rows:,} rows"
    program = bench.program("mlp_allreduce_bench")
    for num_threads, name, limit in ((1, "speed-up by 2 over one rank", bound),
                                     (2, "speed of 2 threads = 1", None)):
        title = f"{what}: {name}"
        with bench.guarded("D3", title), \
                bench.started([program, "evaluations", transport, layers,
                               num_rows], 0.2) as ours, \
                bench.worker("evaluation", layers, num_rows, "f64",
                             num_threads) as peer:
            measured = bench.measure(ours, peer, num_threads=2)
            row = ratio_row("D3", title, limit, measured, "wall")
            row.values = [ratio / (3 - num_threads) for ratio in row.values]
            row.unit = ""
            bench.void(row, measured, "f64")
            bench.add(row)


def run_d3(bench):
    """What two ranks gain over one, by the wall clock."""
    if not has_program(bench, "D3"):
        return
    rows, deep_rows = (512, 64) if bench.is_short else (60_000, 4096)
    add_scaling(bench, "threads", MNIST, rows, 0.97)
    add_scaling(bench, "gloo", MNIST, rows, None)
    add_scaling(bench, "threads", DEEP, deep_rows, 0.98)
