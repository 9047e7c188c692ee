#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of speeds from bench/results/*.json.

    bench/speed_table.py          writes the rows between the markers of the pages
    bench/speed_table.py --check  names the first row that differs; exits 1 then

The README has the processors, docs/cuda.md the devices. A cell has the median of the
pairs' ratios or rates, and the 10th and the 90th percentile. The README's verdicts
compare them with the bounds of today (bench/goals/bounds.py); those of docs/cuda.md
are the verdicts that bench/cuda/device_goals.py gave. A figure that was too noisy is
not shown.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import sys

from goals import bounds
from measure.report import NOISY, RAN, Row, number

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- speed: begin; bench/speed_table.py writes these rows -->"
END = "<!-- speed: end -->"


@dataclasses.dataclass
class Line:
    """A line of the table: what the README calls it, and the rows behind it."""
    title: str
    goal: str  # the code of the goal, as in the results
    rows: dict  # name in the cell, to a pattern of the row's text
    bound: str = ""  # what docs/cuda.md shows as the goal
    bounds: tuple = None  # with kernels for AVX-512, and with others
    unit: str = ""  # of the bounds


LINES = (
    Line("an iteration on Iris, against Spark `local[2]`", "B1",
         {"": r"iris per iteration against Spark.*"},
         bounds=bounds.IRIS_AGAINST_SPARK, unit="x"),
    Line("an iteration on MNIST's 10,000 test rows, against Spark `local[2]`",
         "B2", {"": r"mnist per iteration against Spark.*"},
         bounds=bounds.MNIST_AGAINST_SPARK, unit="x"),
    Line("an evaluation of [784, 100, 10], float64, one thread: share of the "
         "processor's peak", "A1",
         {"": r"f64 evaluation, 1 thread, cpu time, share of peak"},
         bounds=bounds.PEAK_SHARE),
    Line("the same, against jax and torch", "A1",
         {"jax": r"f64 against jax.*, 1 thread, cpu time",
          "torch": r"f64 against torch.*, 1 thread, cpu time"}),
    Line("the scores of one Iris row, against ONNX Runtime", "C1",
         {"": r"Iris row f32 against ONNX Runtime"},
         bounds=bounds.IRIS_ROW_AGAINST_ONNX_RUNTIME, unit="x"),
    Line("reading CSV", "B4", {"": r"CSV of %\.6f"}, bounds=bounds.CSV_RATE,
         unit=" MB/s"),
)


DEVICE_LINES = (
    Line("an evaluation of the ann-benchmark network, 60,000 rows: share of its "
         "products by cuBLASLt", "A6",
         {word: rf"{word} evaluation against its products.*"
          for word in ("f64", "tf32", "bf16")},
         "f64 >= 0.92x; tf32 >= 0.8x; bf16 >= 0.8x"),
    Line("an evaluation of [784, 100, 10], 60,000 rows: times its products by "
         "cuBLASLt", "A7",
         {"f64": r"f64 evaluation against its products.*",
          "tf32": r"tf32 evaluation against its products, or X once"},
         "f64 <= 1.2x; tf32 <= 1.6x"),
    Line("the same in TF32, against PyTorch", "A7",
         {"eager": r"tf32 evaluation against PyTorch",
          "graph": r"tf32 evaluation against PyTorch in a CUDA graph"},
         "eager >= 3x; graph >= 2x"),
    Line("an evaluation of the ann-benchmark network, 8.1 million rows kept as "
         "bytes", "A8",
         {word: rf"{word} evaluation of 8.1 million.*"
          for word in ("f64", "tf32", "bf16")},
         "f64 <= 9.2 s; tf32 <= 1.6 s; bf16 <= 0.9 s"),
    Line("an iteration of L-BFGS on [784, 100, 10]: times its evaluation", "B5",
         {word: rf"{word} iteration of L-BFGS.*" for word in ("f64", "tf32")},
         "f64 <= 1.3x; tf32 <= 1.6x"),
    Line("the same in TF32, against `torch.optim.LBFGS`", "B5",
         {"": r"tf32 iteration against torch\.optim\.LBFGS"}, ">= 10x"),
)


def read_results(folder, is_of_devices=False):
    """The documents of all measured machines, by the name of their file."""
    documents = {path.stem: json.loads(path.read_text(encoding="utf-8"))
                 for path in sorted(folder.glob("*.json"))}
    documents = {kind: document for kind, document in documents.items()
                 if ("device" in document["machine"]) == is_of_devices}
    for document in documents.values():
        document["rows"] = [Row(**row) for row in document["rows"]]
    return documents


def find_row(document, goal, pattern):
    """The row of a goal whose text fits, or None."""
    return next((row for row in document["rows"] if row.goal == goal
                 and re.fullmatch(pattern, row.what)), None)


def judged(document, line, row):
    """The verdict by the bound of today, or the saved one for a device."""
    if line.bound:
        return row.verdict
    if not line.bounds:
        return RAN
    bound = line.bounds[document["machine"]["kernels"] != "AVX-512"]
    return dataclasses.replace(row, bound=bound, verdict="").judge(False).verdict


def cell(document, line):
    """What one machine's column shows."""
    parts = []
    for name, pattern in line.rows.items():
        row = find_row(document, line.goal, pattern)
        if row is None:
            text = "not measured"
        elif row.verdict == NOISY:
            text = NOISY
        else:
            verdict = judged(document, line, row)
            text = row.figure() + (f": {verdict}" if verdict != RAN else "")
        parts.append(f"{name} {text}".strip())
    return "; ".join(parts)


def wanted(line):
    """The goal; kernels for AVX-512 may have a bound of their own."""
    if line.bound:
        return f"{line.goal}: {line.bound}"
    if not line.bounds:
        return "none"
    avx512, others = (f">= {number(bound)}{line.unit}" for bound in line.bounds)
    return avx512 if avx512 == others else f"{avx512}; AVX2: {others}"


def heading(kind, machine):
    """What a column is called."""
    if "device" in machine:
        return machine["device"]
    return f"{machine['cpu']} ({kind}, {machine['kernels']})"


def table(documents, lines=LINES):
    """The lines of the table."""
    columns = [(heading(kind, document["machine"]),
                [cell(document, line) for line in lines])
               for kind, document in documents.items()]
    columns = columns or [("any device", ["not measured"] * len(lines))]
    headings = ["what", "goal", *(name for name, _ in columns)]
    rows = [[line.title, wanted(line),
             *(cells[i] for _, cells in columns)]
            for i, line in enumerate(lines)]
    lines = ["| " + " | ".join(row) + " |" for row in [headings, *rows]]
    return [lines[0], "|" + "---|" * len(headings), *lines[1:]]


def cut(text, page="README.md"):
    """A page before, between and after the markers."""
    before, begin, rest = text.partition(BEGIN + "\n")
    between, end, after = rest.partition(END + "\n")
    if not begin or not end:
        sys.exit(f"{page} lacks a marker; expected '{BEGIN}' and '{END}'")
    return before + begin, between.splitlines(), end + after


def first_difference(lines, expected):
    """The first line that differs as (position, text, expected), or None."""
    for i in range(max(len(lines), len(expected))):
        sides = [side[i] if i < len(side) else "nothing"
                 for side in (lines, expected)]
        if sides[0] != sides[1]:
            return i, *sides
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="compare and write nothing")
    arguments = parser.parse_args()
    results = ROOT / "bench" / "results"
    tables = {"README.md": table(read_results(results)),
              "docs/cuda.md": table(read_results(results, True), DEVICE_LINES)}
    num_wrong = 0
    for page, expected in tables.items():
        path = ROOT / page
        before, lines, after = cut(path.read_text(encoding="utf-8"), page)
        if not arguments.check:
            path.write_text(before + "\n".join(expected) + "\n" + after,
                            encoding="utf-8")
        elif found := first_difference(lines, expected):
            at, got, should = found
            print(f"{page}:{before.count(chr(10)) + at + 1}: expected\n  {should}"
                  f"\ngot\n  {got}\nbench/speed_table.py writes the rows anew")
            num_wrong += 1
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
