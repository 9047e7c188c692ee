# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What a front end did with a case, and the comparison with its outcome."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .case import DONE, PREDICTS_NAN, Case
from .front_ends import WITHOUT_WARNINGS, expected
from .encoding import binned_rows, encoded_rows, text_of
from .network import filled_rows, mean_probabilities, probabilities, rows_by_name

# Bits may differ between engines that score one row and many.
TOLERANCE = 1e-9
# Control characters that no sentence for people may have: C0, C1 and bidirectional ones.
HIDDEN = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u202a\u202b\u202c\u202d\u202e"}
HIDDEN |= set("\u2066\u2067\u2068\u2069")
LINES = {"\n", "\t"}


@dataclass(frozen=True)
class Result:
    """What a front end did.

    Attributes
    ----------
    codes : tuple of str
        The codes that its answer can stand for; more than one where an exception of
        another language stands for several. Empty for a success.
    sentence : str
        What it said.
    warnings : tuple of str
        The codes of its warnings.
    numbers : list of float, optional
        The probabilities that a prediction gave, row by row.
    model : str
        The text of the model that predicted; empty for that of the cases.
    trouble : str
        What is wrong besides: a crash, or a file left behind.
    """

    codes: tuple[str, ...] = ()
    sentence: str = ""
    warnings: tuple[str, ...] = ()
    numbers: Sequence[float] | None = None
    model: str = ""
    trouble: str = ""


def difference(front_end: str, case: Case, result: Result) -> str:
    """Returns how a result differs from what the case states; empty if it does not."""
    outcome = expected(front_end, case)
    told = f"{front_end}: {case.name}: expected {outcome}, got "
    if result.trouble:
        return told + result.trouble
    if result.codes:
        answer = f"{'/'.join(result.codes)}: {result.sentence}"
        if outcome not in result.codes:
            return told + answer
        hidden = hidden_in(result)
        if hidden:
            return f"{told}control characters {hidden} in {result.sentence!r}"
        return "" if result.sentence.strip() else f"{told}no sentence"
    done = DONE[case.action]
    if outcome.startswith("warns "):
        code = outcome.removeprefix("warns ")
        if code not in result.warnings:
            return f"{told}{done} with the warnings {sorted(result.warnings)}"
        return ""
    if outcome not in (done, PREDICTS_NAN):
        return told + done
    if front_end not in WITHOUT_WARNINGS and set(case.silent) & set(result.warnings):
        return f"{told}{done} with the warnings {sorted(result.warnings)}"
    return compare_numbers(told, case, result, outcome != PREDICTS_NAN)


def hidden_in(result: Result) -> list[str]:
    """Returns the control characters that a person would meet in a sentence."""
    return sorted((HIDDEN - LINES) & set(result.sentence))


def as_number(value: Any) -> Any:
    """Returns the number of a text of a file; other values as they are."""
    if not isinstance(value, str):
        return value
    return {"True": 1.0, "False": 0.0}[value] if value in ("True", "False") else float(value)


def reference_of(case: Case, model: str, fills_in: bool) -> list[float]:
    """Returns what plain Python gives for the rows of a prediction.

    Means of the training replace missing values if `fills_in`.
    """
    if case.model:
        return probabilities(model, encoded_rows(case.model, case.table))
    rows = [[as_number(value) for value in row] for row in rows_by_name(case.table)]
    if case.network == "merged":
        return mean_probabilities(model, filled_rows(model, rows) if fills_in else rows)
    return probabilities(model, binned_rows(rows) if case.network == "with bins" else rows)


def compare_numbers(told: str, case: Case, result: Result, fills_in: bool) -> str:
    """Compares the outputs of a prediction with those of the plain network."""
    if case.action != "predict":
        return ""
    if result.numbers is None:
        return f"{told}no outputs"
    reference = reference_of(case, result.model or text_of(case), fills_in)
    if len(result.numbers) != len(reference):
        return f"{told}{len(result.numbers)} outputs instead of {len(reference)}"
    for place, (received, right) in enumerate(zip(result.numbers, reference)):
        is_equal = math.isclose(received, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        if not is_equal and not (math.isnan(right) and math.isnan(received)):
            return f"{told}output {received} instead of {right} at {place}"
    return ""
