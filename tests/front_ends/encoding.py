# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A model that encodes a column of texts, and what its features are, in plain Python."""
from __future__ import annotations

import json
import pathlib
from typing import Any

from .case import Table
from .damage import signed

# Its columns are color, blue or red, and x; both may be missing.
MODEL_FILE = pathlib.Path(__file__).parent.parent / "corpus/good/columns.json"
DEFAULT_MISSING = ["?", "NA", "N/A", "NULL", "NaN"]
# The rules of a model, as cases name them.
RULES: dict[str, dict[str, Any]] = {
    "refuses unknown": {},
    "ignores unknown": {"unknown": "ignore"},
    "-999 is missing": {"missingTexts": ["-999", "none"]},
}


def encoding_model_text(rules: str) -> str:
    """Returns the text of a model with these rules."""
    members = "".join(f',"{name}":{json.dumps(rule)}' for name, rule in RULES[rules].items())
    text = MODEL_FILE.read_text(encoding="utf-8")
    return signed(text.replace("}]},", "}]" + members + "},", 1))


def encoded_rows(rules: str, table: Table) -> list[list[float]]:
    """Returns the features color=blue, color=red and x of rows of color and x."""
    missing = ["", *RULES[rules].get("missingTexts", DEFAULT_MISSING)]
    columns = json.loads(MODEL_FILE.read_text(encoding="utf-8"))["input"]["columns"]
    found = []
    for color, x in table.rows:
        known = columns[0]["categories"]
        if color is None or color in missing:
            color = known[columns[0]["missing"]]
        is_missing = x is None or f"{x:g}" in missing
        found.append([
            *(float(color == category) for category in known),
            columns[1]["missing"] if is_missing else x,
        ])
    return found
