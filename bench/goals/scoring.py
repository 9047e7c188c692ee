# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""C1 to C4: scoring single rows and batches, and reading the weights."""
import subprocess

from goals import bounds
from goals.evaluation import MNIST
from measure import pairs
from measure.bench import BENCH
from measure.report import Row, ratio_row, time_row, time_text

IRIS = "4,5,4,3"
PACKAGES = ("onnxruntime", "onnx")


class NoPeer(Exception):
    """ONNX Runtime is not there; the message says what is missing."""


def onnx_command(bench, layers, precision_rows, *mode):
    """The command of ONNX Runtime's worker for a problem's weights."""
    for package in PACKAGES:
        if package not in bench.packages:
            raise NoPeer(f"{package} is not installed")
    libraries = sorted((bench.python.parent.parent / "lib").glob(
        "python3*/site-packages/onnxruntime/capi/libonnxruntime.so*"))
    if not libraries:
        raise NoPeer("onnxruntime's package has no shared library")
    folder = bench.problem(layers, precision_rows)
    model = folder / "model.onnx"
    if not model.exists():
        subprocess.run([bench.python, MODEL_WRITER, folder, layers], check=True)
    return [bench.program("mlp_onnx_bench"), libraries[-1], model, layers,
            *mode]


def add_onnx(bench, goal, what, layers, ours_arguments, mode, bound,
             num_threads=1):
    """How many times faster we score than ONNX Runtime's C interface."""
    clock = "wall" if num_threads > 1 else "cpu"
    try:
        command = onnx_command(bench, layers, NUM_ROWS, *mode)
    except NoPeer as missing:
        bench.skip(goal, what, str(missing))
        return
    with bench.guarded(goal, what), bench.worker(*ours_arguments) as ours, \
            bench.started(command, 0.05) as peer:
        measured = bench.measure(ours, peer, "f32", num_threads)
        row = ratio_row(goal, what, bound, measured, clock)
        bench.void(row, measured, "f32")
        bench.add(row)


def add_latency(bench, goal, layers, precision, mode, bound):
    """Nanoseconds for one row, or no bound where the goal is a ratio."""
    what = f"{name_of(layers)} row {precision}, {mode.replace('_', ' ')}"
    with bench.guarded(goal, what), bench.worker(
            "scoring", layers, precision, mode) as ours:
        bench.add(time_row(goal, what, bound, " ns", bench.measure(ours)))


def name_of(layers):
    """The data set that has these layers."""
    return "Iris" if layers == IRIS else "MNIST"


def add_compile_time(bench, goal, layers, precision, mode, bound):
    """Against a network whose sizes the compiler knew."""
    what = (f"{name_of(layers)} row {precision}, "
            f"{mode.replace('_', ' ')}, against compile time")
    with bench.guarded(goal, what), \
            bench.worker("scoring", layers, precision, mode) as ours, \
            bench.worker("compile_time_scoring", layers, precision,
                         mode) as peer:
        measured = bench.measure(ours, peer)
        row = ratio_row(goal, what, bound, measured, "cpu")
        bench.void(row, measured, precision)
        bench.add(row)


def add_spread(bench, layers, precision):
    """p99 over p50 of groups of 16 calls."""
    what = f"{name_of(layers)} row {precision}, p99 / p50 of groups of 16"
    with bench.guarded("C4", what), bench.worker(
            "scoring", layers, precision, "singly") as ours:
        measured = bench.measure(ours)
        kept = pairs.quiet(measured, "wall")
        row = Row("C4", what, 1.3, False, num_pairs=len(measured))
        row.values = [p.ours["p99"] / p.ours["p50"] for p in kept]
        row.ours = time_text(1e-9 * pairs.percentile(
            [p.ours["p50"] for p in measured], 0.5))
        row.peer = "p99 " + time_text(1e-9 * pairs.percentile(
            [p.ours["p99"] for p in measured], 0.5))
        bench.add(row)


def weight_bytes(layers, precision):
    """What scoring one row must read."""
    sizes = [int(size) for size in layers.split(",")]
    num_weights = sum((a + 1) * b for a, b in zip(sizes, sizes[1:]))
    return num_weights * (8 if precision == "f64" else 4)


def add_read_share(bench, layers, precision):
    """How near one row comes to just reading its weights.

    Weights that L2 cannot hold are compared with reading as many bytes.
    """
    num_bytes = weight_bytes(layers, precision)
    fits = num_bytes <= 0.9 * bench.machine["l2_bytes"]
    place = "l2" if fits else num_bytes
    what = (f"{name_of(layers)} row {precision}, share of the "
            f"{'L2 read rate' if fits else 'read rate at its size'}")
    with bench.guarded("C2", what), \
            bench.worker("scoring", layers, precision, "back_to_back") as ours, \
            bench.worker("read_rate", place, 1) as probe:
        measured = bench.measure(ours, probe)
        kept = pairs.quiet(measured, "cpu")
        row = Row("C2", what, 0.85, True, num_pairs=len(measured))
        row.values = [num_bytes / pairs.seconds(p.ours, "cpu")
                      / p.peer["cpu_bytes"] for p in kept]
        describe_read(row, kept or measured, num_bytes)
        row.data.update(kind="row", layers=layers, precision=precision)
        bench.add(row)


def describe_read(row, measured, num_bytes):
    """Both rates, for the table and the roofline."""
    each = pairs.percentile(
        [pairs.seconds(p.ours, "cpu") for p in measured], 0.5)
    rate = pairs.percentile([p.peer["cpu_bytes"] for p in measured], 0.5)
    row.ours = f"{time_text(each)}, {num_bytes / each / 1e9:.0f} GB/s"
    row.peer = f"{rate / 1e9:.0f} GB/s"
    row.data.update(seconds=each)


NUM_ROWS = 32  # as the worker's kNumScoredRows
MODEL_WRITER = BENCH / "peers" / "onnx_model.py"


def run_c1(bench):
    """One Iris row."""
    add_latency(bench, "C1", IRIS, "f64", "back_to_back", 60.0)
    add_latency(bench, "C1", IRIS, "f64", "chained", 90.0)
    for mode in ("back_to_back", "chained"):
        add_compile_time(bench, "C1", IRIS, "f64", mode, 1.0)
    add_onnx(bench, "C1", "Iris row f32 against ONNX Runtime", IRIS,
             ("scoring", IRIS, "f32", "back_to_back"), ("back_to_back",),
             bench.bound(*bounds.IRIS_ROW_AGAINST_ONNX_RUNTIME))


def run_c2(bench):
    """One MNIST row, dense."""
    for precision in ("f64", "f32"):
        add_read_share(bench, MNIST, precision)
    for precision in ("f64", "f32"):
        add_compile_time(bench, "C2", MNIST, precision, "back_to_back", 1.5)
    add_onnx(bench, "C2", "MNIST row f32 against ONNX Runtime", MNIST,
             ("scoring", MNIST, "f32", "back_to_back"), ("back_to_back",), 2.0)


def run_c3(bench):
    """10,000 rows at once."""
    count = 100 if bench.is_short else 10000
    for layers, bound in ((MNIST, bench.bound(1.4, 1.2)),
                          (IRIS, bench.bound(4.0, 3.0))):
        for threads in (1, 2):
            add_onnx(bench, "C3", f"{name_of(layers)} batch f32 against ONNX "
                     f"Runtime, {threads} thread{'s' * (threads > 1)}",
                     layers, ("scoring", layers, "f32", "batch", count, threads),
                     ("batch", count, threads), bound, threads)
    add_batch_threads(bench, count)


def add_batch_threads(bench, count):
    """Two threads against one."""
    what = "MNIST batch f64, two threads against one, wall time"
    with bench.guarded("C3", what), \
            bench.worker("scoring", MNIST, "f64", "batch", count, 2) as two, \
            bench.worker("scoring", MNIST, "f64", "batch", count, 1) as one:
        measured = bench.measure(two, one, num_threads=2)
        row = ratio_row("C3", what, 1.9, measured, "wall")
        bench.void(row, measured, "f64")
        bench.add(row)


def run_c4(bench):
    """The spread of single calls."""
    add_spread(bench, IRIS, "f64")
    add_spread(bench, MNIST, "f64")
