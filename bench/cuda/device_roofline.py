#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Predicts the time of evaluations on an H200, and writes it into docs/cuda.md.

    bench/cuda/device_roofline.py          writes the tables between the page's markers
    bench/cuda/device_roofline.py --check  names the first row that differs; exits 1 then

Each kernel takes the larger of two times: its operations at the rate of the units,
and its bytes at the rate of a copy; each launch of a graph adds a fixed time.
Caches are left out, and so is the part of a tile that a matrix leaves empty.
"""
import argparse
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from speed_table import first_difference  # noqa: E402

BEGIN = "<!-- model: begin; bench/cuda/device_roofline.py writes these rows -->"
END = "<!-- model: end -->"

# Bytes read and written per second, as a copy on one H200 showed. Of the matrix
# products: 90 % of the vendor's 67 TFLOP/s in FP64, about 80 % of the vendor's rates
# of the tensor cores, which cuBLAS reaches in BF16.
BYTES_PER_SECOND = 4.3e12
PRODUCT_FLOPS = {"f64": 0.9 * 67e12, "tf32": 400e12, "bf16": 788e12}
# Exponentials and sums, in the units that are not tensor cores.
OTHER_FLOPS = {"f64": 34e12, "tf32": 67e12, "bf16": 67e12}
LAUNCH_SECONDS = 1.5e-6  # from kernel to kernel of a graph
BARRIER_SECONDS = 0.1e-6  # a step of one block: a barrier, and what waits for memory
READ_SECONDS = 10e-6  # launch of a graph, and the read that ends it

FACTOR_BYTES = {"f64": 8, "tf32": 4, "bf16": 2}  # of what products read
NUMBER_BYTES = {"f64": 8, "tf32": 4, "bf16": 4}  # of what products write
PRECISIONS = tuple(FACTOR_BYTES)

MNIST = (784, 100, 10)
DEEP = (784, 2500, 2000, 1500, 1000, 500, 10)
NUM_ROWS, NUM_MANY_ROWS = 60000, 8100000
HISTORY_SIZE = 10

# cuda/network/memory_plan.cpp: what is computed at once.
BLOCK_BYTES, MOST_ROWS, BLOCK_UNIT = 2 << 30, 64 * 1024, 1024
SIGMOID_FLOPS = 20  # an exponential, a division and what surrounds them


@dataclasses.dataclass
class Work:
    """What one launch does."""
    kernel: str
    flops: float
    num_bytes: float
    is_product: bool = False
    waiting_seconds: float = 0.0  # of one block that others wait for

    def seconds(self, precision):
        rates = PRODUCT_FLOPS if self.is_product else OTHER_FLOPS
        return LAUNCH_SECONDS + max(self.flops / rates[precision],
                                    self.num_bytes / BYTES_PER_SECOND,
                                    self.waiting_seconds)


def num_weights(layers):
    return sum((a + 1) * b for a, b in zip(layers, layers[1:]))


def block_sizes(layers, num_rows, precision, is_bytes=False):
    """How many rows each block has."""
    factor, number = FACTOR_BYTES[precision], NUMBER_BYTES[precision]
    width = max(layers[1:])
    row_bytes = (factor * sum(layers[1:-1]) + 2 * number * width
                 + (0 if factor == number else factor * width))
    if is_bytes:
        row_bytes += factor * layers[0]
    size = min(BLOCK_BYTES // row_bytes, MOST_ROWS, num_rows)
    if BLOCK_UNIT <= size < num_rows:
        size -= size % BLOCK_UNIT
    count = -(-num_rows // size)
    return [size] * (count - 1) + [num_rows - size * (count - 1)]


def product(name, rows, columns, inner, precision, adds=False):
    """[rows x inner] [inner x columns], added to the result or not."""
    factors = FACTOR_BYTES[precision] * inner * (rows + columns)
    results = NUMBER_BYTES[precision] * rows * columns * (2 if adds else 1)
    return Work(name, 2.0 * rows * columns * inner, factors + results, True)


def column_sum(units, size, number_bytes):
    """Sums of columns; a second launch adds the sums of slices."""
    works = [Work("column_sum", units * size, number_bytes * units * size)]
    if size > BLOCK_UNIT:
        slices = min(256, -(-size // BLOCK_UNIT))
        works.append(Work("column_sum", units * slices, 8.0 * units * slices))
    return works


def forward(layers, size, precision):
    factor, number = FACTOR_BYTES[precision], NUMBER_BYTES[precision]
    for k, (inputs, outputs) in enumerate(zip(layers, layers[1:])):
        yield product("product W x", outputs, size, inputs, precision)
        if k + 2 < len(layers):
            yield Work("hidden_output", SIGMOID_FLOPS * outputs * size,
                       (number + factor) * outputs * size)


def loss(layers, size, precision):
    outputs = layers[-1]
    yield Work("output_delta", 2 * SIGMOID_FLOPS * outputs * size,
               (NUMBER_BYTES[precision] + FACTOR_BYTES[precision]) * outputs
               * size + 20 * size)
    yield from column_sum(1, size, 8)


def backward(layers, size, precision):
    factor, number = FACTOR_BYTES[precision], NUMBER_BYTES[precision]
    for k in range(len(layers) - 2, -1, -1):
        inputs, outputs = layers[k], layers[k + 1]
        yield product("product delta x'", outputs, inputs, size, precision,
                      adds=precision == "f64")
        yield from column_sum(outputs, size, factor)
        if precision != "f64":
            count = (inputs + 1) * outputs
            yield Work("add_to_double", count, 20.0 * count)
        if k > 0:
            yield product("product W' delta", inputs, size, outputs, precision)
            yield Work("hidden_delta", 3 * inputs * size,
                       (number + 2 * factor) * inputs * size)


def evaluation(layers, num_rows, precision, is_bytes=False):
    """All launches of one evaluation, in order."""
    count = num_weights(layers)
    works = [Work("memset", 0, 8), Work("memset", 0, 8.0 * count)]
    if precision != "f64":
        works.append(Work("convert (weights)", count, 12.0 * count))
    if precision == "bf16":
        works.append(Work("convert (weights)", count, 6.0 * count))
    for size in block_sizes(layers, num_rows, precision, is_bytes):
        if is_bytes:
            numbers = layers[0] * size
            works.append(Work("convert (bytes)", numbers,
                              (1 + FACTOR_BYTES[precision]) * numbers))
        works += forward(layers, size, precision)
        works += loss(layers, size, precision)
        works += backward(layers, size, precision)
    return works


def lbfgs_step(layers):
    """What an iteration of L-BFGS adds to its evaluation, in Gram form."""
    p, m = 8.0 * num_weights(layers), HISTORY_SIZE
    # A block adds up to 256 partial sums, and takes two steps per correction.
    finish_seconds = 20 * BARRIER_SECONDS
    loops_seconds = (20 + 4 * m) * BARRIER_SECONDS
    return [Work("copy of the command", 0, 128),
            Work("move_to_trial", 0, 8 * p),
            Work("lbfgs_gram: products", m * p, (2 * m + 2 * 2) * p),
            Work("lbfgs_gram: coefficients", 0, 0, False, loops_seconds),
            Work("lbfgs_gram: direction", m * p / 2, (2 * m + 2) * p),
            Work("vector_sums: finish", 0, 0, False, finish_seconds),
            Work("make_trial", p / 4, 3 * p),
            Work("copy of the stop flag", 0, 8),
            Work("vector_sums: dot products", p / 2, 2 * p),
            Work("vector_sums: finish", 0, 0, False, finish_seconds),
            Work("copy of the results", 0, 64)]


def total_seconds(works, precision):
    return sum(work.seconds(precision) for work in works)


def product_seconds(layers, num_rows, precision):
    """The products alone, without blocks, as the peer of goals A6 and A7."""
    works = [*forward(layers, num_rows, precision),
             *backward(layers, num_rows, precision)]
    return sum(max(work.flops / PRODUCT_FLOPS[precision],
                   work.num_bytes / BYTES_PER_SECOND)
               for work in works if work.is_product)


def time_text(value):
    """Seconds with three digits, in a unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e6:.3g} us"


def kernel_table(layers, num_rows):
    """A line for each kernel of one evaluation, with all its launches."""
    sides = {p: {} for p in PRECISIONS}
    for precision, kernels in sides.items():
        for work in evaluation(layers, num_rows, precision):
            kernels.setdefault(work.kernel, []).append(work)
    names = dict.fromkeys(name for p in reversed(PRECISIONS) for name in sides[p])
    lines = ["| kernel | launches | GFLOP | MB | predicted time |",
             "|---|---|---|---|---|"]

    def add(name, works_of):
        cells = [[f"{len(works)}" if works else "0",
                  f"{sum(w.flops for w in works) / 1e9:.3g}",
                  f"{sum(w.num_bytes for w in works) / 1e6:.3g}",
                  time_text(total_seconds(works, p))]
                 for p, works in works_of.items()]
        columns = [" / ".join(column) if len(set(column)) > 1 else column[0]
                   for column in zip(*cells)]
        lines.append(f"| {name} | " + " | ".join(columns) + " |")

    for name in names:
        add(name, {p: sides[p].get(name, []) for p in PRECISIONS})
    add("**all**", {p: sum(sides[p].values(), []) for p in PRECISIONS})
    return lines


def features_seconds(num_rows, precision):
    return 784 * num_rows * FACTOR_BYTES[precision] / BYTES_PER_SECOND


def goal_rows():
    """What the goals compare, their bounds, and the predicted figures."""
    for precision, bound in (("f64", ">= 0.92x"), ("tf32", ">= 0.8x"),
                             ("bf16", ">= 0.8x")):
        seconds = total_seconds(evaluation(DEEP, NUM_ROWS, precision), precision)
        peer = product_seconds(DEEP, NUM_ROWS, precision)
        yield ("A6", f"ann-benchmark network, {precision}: products / evaluation",
               bound, f"{time_text(peer)} / {time_text(seconds)} = "
               f"{peer / seconds:.2f}x")
    for precision, bound in (("f64", "<= 1.2x"), ("tf32", "<= 1.6x")):
        seconds = total_seconds(evaluation(MNIST, NUM_ROWS, precision),
                                precision)
        peer = product_seconds(MNIST, NUM_ROWS, precision)
        name = "products"
        if precision != "f64":
            peer = max(peer, features_seconds(NUM_ROWS, precision))
            name = "products, or X once"
        yield ("A7", f"[784, 100, 10], {precision}: evaluation / {name}", bound,
               f"{time_text(seconds)} / {time_text(peer)} = "
               f"{seconds / peer:.2f}x")
    for precision, bound in (("f64", "<= 9.2 s"), ("tf32", "<= 1.6 s"),
                             ("bf16", "<= 0.9 s")):
        works = evaluation(DEEP, NUM_MANY_ROWS, precision, True)
        yield ("A8", f"8.1 million rows as bytes, {precision}", bound,
               time_text(total_seconds(works, precision)))
    for precision, bound in (("f64", "<= 1.3x"), ("tf32", "<= 1.6x")):
        seconds = total_seconds(evaluation(MNIST, NUM_ROWS, precision),
                                precision)
        step = READ_SECONDS + total_seconds(lbfgs_step(MNIST), "f64")
        yield ("B5", f"[784, 100, 10], {precision}: iteration / evaluation",
               bound, f"{time_text(seconds + step)} / {time_text(seconds)} = "
               f"{(seconds + step) / seconds:.2f}x")


def missed(row):
    """Says that the figure at the end of a row misses its bound."""
    _, _, bound, predicted = row
    relation, limit = bound.split(maxsplit=1)
    figure = predicted.rpartition("= ")[2]
    number = float(figure.rstrip("x ms"))
    if figure.endswith(" ms"):
        number /= 1000.0
    limit = float(limit.rstrip("x s"))
    is_met = number >= limit if relation == ">=" else number <= limit
    return "" if is_met else ": missed"


def tables():
    """The lines between the markers."""
    lines = ["| goal | what | wanted | predicted |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)}{missed(row)} |" for row in goal_rows()]
    for layers in (MNIST, DEEP):
        lines += ["", f"One evaluation of {list(layers)}, {NUM_ROWS:,} rows; "
                  f"{' / '.join(PRECISIONS)} where they differ:", ""]
        lines += kernel_table(layers, NUM_ROWS)
    step = lbfgs_step(MNIST)
    lines += ["", f"What an iteration of L-BFGS adds to its evaluation at "
              f"{num_weights(MNIST):,} weights and {HISTORY_SIZE} corrections:",
              "", "| kernel | MB | predicted time |", "|---|---|---|"]
    lines += [f"| {work.kernel} | {work.num_bytes / 1e6:.3g} | "
              f"{time_text(work.seconds('f64'))} |" for work in step]
    lines.append(f"| **all {len(step)}** | "
                 f"{sum(w.num_bytes for w in step) / 1e6:.3g} | "
                 f"{time_text(total_seconds(step, 'f64'))} |")
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="compare and write nothing")
    arguments = parser.parse_args()
    page = ROOT / "docs" / "cuda.md"
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN + "\n")
    between, end, after = rest.partition(END + "\n")
    if not begin or not end:
        sys.exit(f"{page}: expected the lines '{BEGIN}' and '{END}'")
    expected = tables()
    if not arguments.check:
        page.write_text(before + begin + "\n".join(expected) + "\n" + end + after,
                        encoding="utf-8")
        return 0
    found = first_difference(between.splitlines(), expected)
    if found:
        _, got, should = found
        print(f"docs/cuda.md: expected\n  {should}\ngot\n  {got}\n"
              "bench/cuda/device_roofline.py writes the tables anew")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
