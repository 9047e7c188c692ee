# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Models that encode a column of texts, or numbers in quantile bins, in plain Python."""
from __future__ import annotations

import json
import math
import pathlib
import re
from collections.abc import Callable, Sequence
from typing import Any

from .case import Case, Table
from .network import SET, merged_model_text, model_text, signed, with_member

# Its columns are color, blue or red, and x; both may be missing.
MODEL_FILE = pathlib.Path(__file__).parent.parent / "corpus/good/columns.json"
DEFAULT_MISSING = ["?", "NA", "N/A", "NULL", "NaN"]
# The rules of a model, as cases name them.
RULES: dict[str, dict[str, Any]] = {
    "refuses unknown": {},
    "ignores unknown": {"unknown": "ignore"},
    "-999 is missing": {"missingTexts": ["-999", "none"]},
    "has extra features": {"unknown": "other"},
    "has truth values": {},
    "has small numbers": {},
    "shares small numbers": {"unknown": "other"},
}
# The categories of a model under these rules; the others have blue and red.
SMALL_NUMBERS = ("1e-07", "2.0")
CATEGORIES = {
    "has truth values": ("False", "True"),
    "has small numbers": SMALL_NUMBERS,
    "shares small numbers": SMALL_NUMBERS,
}
# Other ways in which tables write these categories.
SPELLINGS = {"true": "True", "FALSE": "False", "1e-7": "1e-07", "2": "2.0"}
# The extra feature of each column under these rules, which stands behind its others.
EXTRA = {
    "has extra features": ("other", "missing"),
    "shares small numbers": ("other", "missing"),
}
# The edges of the bins of the first and the last feature; the second has none.
BINS = ((0, (0.1, 0.4, 0.5)), (2, (0.0, 0.2, 0.6, 0.8)))


def encoding_model_text(rules: str) -> str:
    """Returns the text of a model with these rules."""
    members = "".join(f',"{name}":{json.dumps(rule)}' for name, rule in RULES[rules].items())
    text = MODEL_FILE.read_text(encoding="utf-8")
    for known, category in zip(("blue", "red"), CATEGORIES.get(rules, ())):
        text = text.replace(f'"{known}"', f'"{category}"')
        text = text.replace(f'"color={known}"', f'"color={category}"')
    text = text.replace("}]},", "}]" + members + "},", 1)
    return signed(with_extra_features(text, EXTRA[rules]) if rules in EXTRA else text)


def with_extra_features(text: str, extra: Sequence[str]) -> str:
    """Returns the text of a model whose columns have extra features, with weights."""
    document = json.loads(text)
    columns = [column | {"extra": kind} for column, kind in zip(document["input"]["columns"], extra)]
    inputs, outputs = document["layers"]
    weights = document["weights"]["data"]
    colors = outputs * len(columns[0]["categories"])
    added = [weight(i) for i in range(2 * outputs)]
    weights = [
        *weights[:colors], *added[:outputs], *weights[colors : inputs * outputs],
        *added[outputs:], *weights[inputs * outputs :],
    ]
    known = [f"color={category}" for category in columns[0]["categories"]]
    names = [*known, "color!=", "x", "x="]
    return with_members(text, (
        (r'  "sparkClass".*\n', ""),
        (r'("formatVersion": )2', r"\g<1>3"),
        (r'("layers": )[^]]*]', rf"\g<1>{json.dumps([len(names), outputs])}"),
        (r'("featureNames":)[^]]*]', rf"\g<1>{json.dumps(names)}"),
        (r'("columns":).*?}]', rf"\g<1>{json.dumps(columns)}"),
        (r'("count":)\d*', rf"\g<1>{len(weights)}"),
        (r'("data":)[^]]*]', rf"\g<1>{json.dumps(weights)}"),
        (r'("selfTest": ).*', r"\1[],"),
    ))


def with_members(text: str, changes: Sequence[tuple[str, str]]) -> str:
    """Returns a text in which each pattern is replaced once."""
    for old, by in changes:
        text, count = re.subn(old, by, text, count=1)
        assert count == 1, old
    return text


def categories_of(rules: str) -> tuple[str, ...]:
    """Returns the categories of color."""
    return CATEGORIES.get(rules, ("blue", "red"))


def encoded_rows(rules: str, table: Table) -> list[list[float]]:
    """Returns the features of each category of color, and x, of rows of color and x."""
    missing = ["", *RULES[rules].get("missingTexts", DEFAULT_MISSING)]
    columns = json.loads(MODEL_FILE.read_text(encoding="utf-8"))["input"]["columns"]
    found = []
    for color, x in table.rows:
        known = categories_of(rules)
        color = color and color.strip(" \t")
        color = SPELLINGS.get(color, color)
        if color is None or color in missing:
            color = known[columns[0]["missing"]]
        is_missing = x is None or f"{x:g}" in missing
        has_extra = rules in EXTRA
        found.append([
            *(float(color == category) for category in known),
            *([float(color not in known)] if has_extra else []),
            columns[1]["missing"] if is_missing else x,
            *([float(is_missing)] if has_extra else []),
        ])
    return found


def weight(i: int) -> float:
    return round(math.sin(i + 1), 3)


def bins_model_text() -> str:
    """Returns the model of the cases with bins, and weights for them in the first layer."""
    document = json.loads(model_text())
    inputs, units, outputs = document["layers"]
    num_bins = sum(len(edges) - 1 for _, edges in BINS)
    known = document["weights"]["data"]
    first = inputs * units
    weights = [*known[:first], *map(weight, range(num_bins * units)), *known[first:]]
    layers = [inputs + num_bins, units, outputs]
    bins = [{"feature": feature, "edges": edges} for feature, edges in BINS]
    return signed(with_members(model_text(), (
        (r'  "sparkClass".*\n', ""),
        (r'("formatVersion": )1', r"\g<1>3"),
        (r'("layers": )[^]]*]', rf"\g<1>{json.dumps(layers)}"),
        (r'("label":"label")', rf'\1,"numericEncoding":"quantile:4","bins":{json.dumps(bins)}'),
        (r'("count":)\d*', rf"\g<1>{len(weights)}"),
        (r'("data":)[^]]*]', rf"\g<1>{json.dumps(weights)}"),
        (r'("selfTest": ).*', r"\1[],"),
    )))


def set_model_text() -> str:
    """Returns the model of the cases with prediction sets."""
    return with_member(model_text(), SET)


def binned_rows(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Returns what the network reads: the features, and then their bins."""
    found = []
    for row in rows:
        values = list(row)
        for feature, edges in BINS:
            for begin, end in zip(edges, edges[1:]):
                share = (row[feature] - begin) / (end - begin)
                values.append(share if math.isnan(share) else min(max(share, 0.0), 1.0))
        found.append(values)
    return found


# The models without columns of texts, as cases name them.
NETWORKS: dict[str, Callable[[], str]] = {
    "": model_text,
    "with bins": bins_model_text,
    "merged": merged_model_text,
    "with sets": set_model_text,
}


def text_of(case: Case) -> str:
    """Returns the text of the model that predicts in a case."""
    if case.model:
        return encoding_model_text(case.model)
    return NETWORKS[case.network]()
