#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the README's table of speeds from bench/results/*.json.

    bench/speed_table.py          writes the rows between the markers
    bench/speed_table.py --check  names the first row that differs; exits 1 then

A cell has the median of the pairs' ratios or rates, the 10th and the 90th percentile,
and the verdict that bench/goals.py gave. A figure that was too noisy is not shown.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import sys

from measure.report import NOISY, Row

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- speed: begin; bench/speed_table.py writes these rows -->"
END = "<!-- speed: end -->"


@dataclasses.dataclass
class Line:
    """A line of the table: what the README calls it, and the rows behind it."""
    title: str
    goal: str
    rows: dict  # name in the cell, to a pattern of the row's text


LINES = (
    Line("an iteration on Iris, against Spark `local[2]`", "B1",
         {"": r"iris per iteration against Spark.*"}),
    Line("an iteration on MNIST's 10,000 test rows, against Spark `local[2]`",
         "B2", {"": r"mnist per iteration against Spark.*"}),
    Line("an evaluation of [784, 100, 10], float64, one thread, against jax and "
         "torch", "A1",
         {"jax": r"f64 against jax.*, 1 thread, cpu time",
          "torch": r"f64 against torch.*, 1 thread, cpu time"}),
    Line("the scores of one Iris row, against ONNX Runtime", "C1",
         {"": r"Iris row f32 against ONNX Runtime"}),
    Line("reading CSV", "B4", {"": r"CSV of %\.6f"}),
)


def read_results(folder):
    """The documents of all measured processors, by the name of their file."""
    documents = {path.stem: json.loads(path.read_text(encoding="utf-8"))
                 for path in sorted(folder.glob("*.json"))}
    documents = {kind: document for kind, document in documents.items()
                 if "device" not in document["machine"]}
    for document in documents.values():
        document["rows"] = [Row(**row) for row in document["rows"]]
    return documents


def find_row(document, goal, pattern):
    """The row of a goal whose text fits, or None."""
    return next((row for row in document["rows"] if row.goal == goal
                 and re.fullmatch(pattern, row.what)), None)


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
            text = f"{row.figure()}: {row.verdict}"
        parts.append(f"{name} {text}".strip())
    return "; ".join(parts)


def wanted(documents, line):
    """The goal, as the rows state it; kinds of kernels may have bounds of their own."""
    parts = []
    for name, pattern in line.rows.items():
        found = [row.wanted() for document in documents.values()
                 if (row := find_row(document, line.goal, pattern))]
        parts.append(f"{name} {' or '.join(dict.fromkeys(found))}".strip())
    return "; ".join(parts)


def table(documents):
    """The lines of the table."""
    machines = [(kind, document["machine"])
                for kind, document in documents.items()]
    headings = ["what", "goal",
                *(f"{machine['cpu']} ({kind}, {machine['kernels']})"
                  for kind, machine in machines)]
    rows = [[line.title, f"{line.goal}: {wanted(documents, line)}",
             *(cell(document, line) for document in documents.values())]
            for line in LINES]
    lines = ["| " + " | ".join(row) + " |" for row in [headings, *rows]]
    return [lines[0], "|" + "---|" * len(headings), *lines[1:]]


def cut(text):
    """The page before, between and after the markers."""
    before, begin, rest = text.partition(BEGIN + "\n")
    between, end, after = rest.partition(END + "\n")
    if not begin or not end:
        sys.exit(f"README.md lacks a marker; expected '{BEGIN}' and '{END}'")
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
    expected = table(read_results(ROOT / "bench" / "results"))
    path = ROOT / "README.md"
    before, lines, after = cut(path.read_text(encoding="utf-8"))
    if not arguments.check:
        path.write_text(before + "\n".join(expected) + "\n" + after,
                        encoding="utf-8")
    elif found := first_difference(lines, expected):
        at, got, should = found
        print(f"README.md:{before.count(chr(10)) + at + 1}: expected\n  {should}"
              f"\ngot\n  {got}\nbench/speed_table.py writes the rows anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
