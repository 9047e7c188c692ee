# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged model files. The digest of a changed text is right, so that more than it is read."""
from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable

from .encoding import bins_model_text, set_model_text
from .network import SET, model_text, signed, with_member


def first_weight(text: str, by: str) -> str:
    return signed(re.sub(r'("data":\[)[^,]*', rf"\g<1>{by}", text, count=1))


def layers(text: str, by: str) -> str:
    return signed(re.sub(r'"layers": \[[^]]*\]', f'"layers": {by}', text, count=1))


def digit(text: str) -> str:
    """Changes the last digit of the first weight, but not the digest."""
    place = text.index(",", text.index('"data":[')) - 1
    return text[:place] + ("1" if text[place] != "1" else "2") + text[place + 1 :]


def fewer(text: str) -> str:
    return signed(re.sub(r',[^,\]]*(\]\},\n  "training")', r"\1", text, count=1))


def more(text: str) -> str:
    return signed(re.sub(r'(\]\},\n  "training")', r",0.5\1", text, count=1))


CHANGES: dict[str, Callable[[str], str | bytes]] = {
    "none": lambda text: text,
    "truncated": lambda text: text[:-40],
    "first byte": lambda text: text[:1],
    "empty": lambda text: "",
    "blank": lambda text: " \n\t\n",
    "digit": digit,
    "nan weight": lambda text: first_weight(text, "NaN"),
    "huge weight": lambda text: first_weight(text, "1e999"),
    "text weight": lambda text: first_weight(text, '"a"'),
    "fewer weights": fewer,
    "more weights": more,
    "version": lambda text: signed(text.replace('"formatVersion": 1', '"formatVersion": 99')),
    "no version": lambda text: signed(text.replace('  "formatVersion": 1,\n', "")),
    "duplicate": lambda text: signed(
        text.replace('  "layers"', '  "layers": [3,2],\n  "layers"', 1)),
    "nesting": lambda text: "[" * 100_000,
    "zero layer": lambda text: layers(text, "[3,0,2]"),
    "negative layer": lambda text: layers(text, "[3,-4,2]"),
    "huge layer": lambda text: layers(text, "[3,1152921504606846976,2]"),
    "text layers": lambda text: layers(text, '"3,4,2"'),
    "activation": lambda text: signed(
        text.replace('"activation": "sigmoid"', '"activation": "step"')),
    "edges": lambda text: signed(bins_model_text().replace("[0.1, 0.4, 0.5]", "[0.1, 0.4, 0.4]")),
    "one edge": lambda text: signed(bins_model_text().replace("[0.1, 0.4, 0.5]", "[0.1]")),
    "huge edge": lambda text: signed(bins_model_text().replace("0.4, 0.5]", "0.4, 1e999]")),
    "bins of version 2": lambda text: signed(
        bins_model_text().replace('"formatVersion": 3', '"formatVersion": 2')),
    "set": lambda text: set_model_text(),
    "set above 1": lambda text: with_member(text, SET.replace("0.25", "1.5")),
    "set of no coverage": lambda text: with_member(text, SET.replace('"coverage":0.9,', "")),
    "interval of classes": lambda text: with_member(
        text, '"predictionInterval": {"coverage":0.9,"lower":[-1,-1],"upper":[1,1]}'),
    "list": lambda text: f"[{text}]",
    "number": lambda text: "42\n",
    "trailing": lambda text: text + "more\n",
    "bytes": lambda text: text.replace('["a"', '["\udcff"').encode("utf-8", "surrogateescape"),
    "nul byte": lambda text: signed(text.replace('["a"', '["\0"')),
    "random": lambda text: bytes((31 * i * i + 7 * i) % 256 for i in range(4096)),
}


def damaged_file(change: str, folder: pathlib.Path) -> str:
    """Makes a file, and returns its path."""
    if change.startswith("/dev/"):
        return change
    path = folder / "damaged.json"
    if change == "missing file":
        return str(path)
    if change == "nul path":
        return str(folder / "a\0b.json")
    if change == "directory":
        path.mkdir()
        return str(path)
    changed = CHANGES[change](model_text())
    assert change == "none" or changed != model_text(), change
    path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    return str(path)


def is_model(data: bytes) -> bool:
    """True for the text of a model file."""
    try:
        return bool(json.loads(data)["format"] == "mlp-model")
    except (ValueError, KeyError, TypeError):
        return False
