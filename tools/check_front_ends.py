#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of the front ends with the cases of tests/front_ends: the summary
in docs/architecture.md, and all cases in tests/front_ends/README.md.

Usage: check_front_ends.py [--fix] [ROOT]
--fix writes the tables. ROOT is where the documents are. Prints file and sentence of each difference; exits 1 on any.
"""

import pathlib
import sys
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tests"))

from front_ends.cases import CASES  # noqa: E402
from front_ends.front_ends import FRONT_ENDS, reason_against  # noqa: E402

SUMMARY = "docs/architecture.md"
PAGE = "tests/front_ends/README.md"
BEGIN = "<!-- made by tools/check_front_ends.py -->\n"
END = "<!-- end of what it made -->\n"
INTRODUCTION = """# One set of rules for every front end

Each case below is one input. It states the outcome that all front ends must have: `trains`, `predicts`, `loads`, `saves` or `evaluates`, a
warning, or a refusal with its code: `param` (exit code 2 of the program), `data` (3), `model` (4), `diverged` (5) or `resource` (6).
`case.py` describes a case and `front_ends.py` what each front end lacks; there is one runner for each front end. `front_ends_test.py` runs
all that need no Spark, and `tests/python/spark/front_ends_test.py` the JVM and `mlp.spark`.

An exception of another language may stand for several codes: Spark and the JVM have one for Params, data and models, and scikit-learn's
checks raise `ValueError`. The JVM only logs its warnings; there a case that warns must train.

A case is added to a module of `groups/`; then `tools/check_front_ends.py --fix` writes this page and the table of docs/architecture.md.
"""


def groups():
    """Returns the names of the groups, in order."""
    return list(dict.fromkeys(case.group for case in CASES))


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def header(cells):
    return row(cells) + "|" + "---|" * len(cells) + "\n"


def summary():
    """Returns the number of cases of each group in each front end, and why some lack."""
    text = header(["cases", "number", *FRONT_ENDS.values()])
    for group in groups():
        cases = [case for case in CASES if case.group == group]
        counts = [sum(not reason_against(name, case) for case in cases)
                  for name in FRONT_ENDS]
        text += row([group, str(len(cases)), *map(str, counts)])
    totals = [sum(not reason_against(name, case) for case in CASES)
              for name in FRONT_ENDS]
    text += row(["all", str(len(CASES)), *map(str, totals)])
    text += "\nWhat a front end cannot express, with the number of cases:\n\n"
    for name, title in FRONT_ENDS.items():
        found = Counter(reason_against(name, case) for case in CASES)
        del found[""]
        reasons = [f"{reason} ({count})" for reason, count in found.most_common()]
        text += f"- {title}: {'; '.join(reasons)}.\n"
    return text + "\n" + differences()


def differences():
    """Returns the outcomes that differ by design."""
    found = Counter()
    for case in CASES:
        for name, (outcome, reason) in case.differs.items():
            found[name, outcome, reason] += 1
    text = "What differs by design:\n\n"
    for (name, outcome, reason), count in sorted(found.items()):
        text += f"- {FRONT_ENDS[name]}: `{outcome}` in {number_of(count)}, because {reason}.\n"
    return text


def number_of(count):
    return "1 case" if count == 1 else f"{count} cases"


def lacking(case):
    """Names the front ends that cannot express a case."""
    names = [name for name in FRONT_ENDS if reason_against(name, case)]
    return ", ".join(names) or "none"


def outcome(case):
    """Names the outcome of a case, and those that differ."""
    by_outcome = {}
    for name, (other, _) in case.differs.items():
        by_outcome.setdefault(other, []).append(name)
    more = [f"`{other}` in {', '.join(names)}" for other, names in by_outcome.items()]
    return "; ".join([f"`{case.outcome}`", *more])


def page():
    """Returns the page of all cases."""
    text = INTRODUCTION
    for group in groups():
        text += f"\n## {group[0].upper()}{group[1:]}\n\n"
        text += header(["case", "outcome", "cannot be expressed by"])
        for case in CASES:
            if case.group == group:
                text += row([case.given, outcome(case), lacking(case)])
    return text


def with_summary(text):
    """Returns a document with the summary between its marks."""
    begin = text.index(BEGIN) + len(BEGIN)
    return text[:begin] + summary() + text[text.index(END, begin):]


def main():
    words = sys.argv[1:]
    is_fixing = "--fix" in words
    words = [word for word in words if word != "--fix"]
    root = pathlib.Path(words[0]) if words else HERE
    expected = {
        SUMMARY: with_summary((root / SUMMARY).read_text(encoding="utf-8")),
        PAGE: page(),
    }
    has_findings = False
    for file, text in expected.items():
        path = root / file
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        has_findings = True
        print(f"{file}: differs from the cases; run tools/check_front_ends.py --fix")
        if is_fixing:
            path.write_text(text, encoding="utf-8")
    return 1 if has_findings and not is_fixing else 0


if __name__ == "__main__":
    sys.exit(main())
