#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes mlp/_parameters.py: the hyper-parameters of the estimators.

Usage: generate_parameters.py TABLE OUTPUT
    TABLE   what mlp_write_parameters prints: the table of the C++ library
    OUTPUT  a Python file with a class for each estimator, whose constructor has
            all hyper-parameters with their defaults, intervals and sentences
"""
import json
import pathlib
import re
import sys
import textwrap

# The types of Python for the types of the table.
TYPES = {
    "sizes": "Sequence[int]",
    "integer": "int",
    "number": "float",
    "share": "float",
    "shares": "float | Sequence[float]",
    "numbers": "Sequence[float]",
    "layers": "Sequence[int]",
    "name": "str",
    "names": "str | Sequence[str]",
    "schedule": "str",
    "encoding": "str",
    "file": "ArrayLike",
    "": "bool",
}
ONLY_CLASSES = {"thresholds", "classWeights", "labelSmoothing", "oneOutput"}
# Hyper-parameters that folds choose, unless the caller does.
CHOSEN_BY_FOLDS = {"numericEncoding"}
ESTIMATORS = {"ClassifierParameters": set(), "RegressorParameters": ONLY_CLASSES}

HEAD = '''\
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
# Written by generate_parameters.py from the table of the C++ library.
"""The hyper-parameters of the estimators, from the table of the C++ library."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from numpy.typing import ArrayLike


class Parameter(NamedTuple):
    """One hyper-parameter of the C++ library."""

    name: str
    spark_name: str
    interval: str
    sentence: str
    spark: Any
    is_set_by_preset: bool
    modern: Any
    modern_mini_batch: Any


'''

# Hyper-parameters of the estimators that are not in the table. They come last.
EXTRAS = '''\
preset : {"spark", "modern"}, optional
    Where values that are None come from. By default "spark" if `layers` is given,
    else "modern".
effort : {"quick", "standard", "best"}, optional
    "quick" trains one network. With "standard", the loss of unseen rows chooses encoding
    and penalty, and several networks are trained and merged; "best" also tries other
    hidden layers, and merges more networks. By default "standard" with
    preset "modern" and without `layers`, unless `fit` is asked for what one training
    has: an `eval_set`, a callback, a model to start from or `partition_sizes`.
{region}standardize : bool, optional
    Standardises the features, and the labels of a regressor; the model stores the
    means and deviations. By default true with preset "modern".
{class_weight}warm_start : bool, default False
    A second fit starts from the weights of the first.
precision : {"float64", "float32", "tf32", "bf16"}, default "float64"
    The precision in which the network is evaluated.
device : str, default "cpu"
    "cpu", "cuda" or "cuda:N".
backend : {"auto", "cpu", "openblas", "reference"}, default "auto"
    The implementation of the dense arithmetic on the CPU.
n_jobs : int, optional
    The number of threads; -1 for all cores. By default the value of the environment
    variable MLP_NUM_THREADS or OMP_NUM_THREADS, else all cores. It never changes
    the result.
verbose : bool or int, default False
    Shows the progress of the training.
'''
CLASS_WEIGHT = '''\
class_weight : "balanced" or dict, optional
    Multiplies the weights of the instances of each class, as in scikit-learn.
'''
REGIONS = {
    "interval": '''\
interval : float, optional
    Makes prediction intervals that should contain this share of the labels, above 0 and
    below 1; see `predict_interval`. They are quantiles of the residuals of unseen rows
    (Lei et al. 2018), so they need the effort "standard".
''',
    "coverage": '''\
coverage : float, optional
    Makes prediction sets that should contain this share of the labels, above 0 and below
    1; see `predict_set`. They follow from the probabilities of unseen rows (Sadinle et al.
    2019), so they need the effort "standard".
''',
}
EXTRA_ARGUMENTS = (
    ("preset", "str | None", "None"),
    ("effort", "str | None", "None"),
    ("interval", "float | None", "None"),
    ("coverage", "float | None", "None"),
    ("standardize", "bool | None", "None"),
    ("class_weight", "str | dict[Any, float] | None", "None"),
    ("warm_start", "bool", "False"),
    ("precision", "str", '"float64"'),
    ("device", "str", '"cpu"'),
    ("backend", "str", '"auto"'),
    ("n_jobs", "int | None", "None"),
    ("verbose", "bool | int", "False"),
)


def snake_case(name):
    return re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), name)


def default_of(row):
    """Returns the default in the signature, as Python."""
    return "None" if "modern" in row else repr(row["spark"])


def shown(value):
    if value == "data":
        return "chosen from the data"
    return "not set" if value is None else json.dumps(value)


def describe(row):
    """Returns the lines of a hyper-parameter in a NumPy docstring."""
    optional = "" if default_of(row) != "None" else ", optional"
    head = f"{snake_case(row['name'])} : {TYPES[row['type']]}{optional}"
    text = f"{row['sentence']} It must be {row['interval']}."
    if "modern" in row:
        text += f" Spark: {shown(row['spark'])}; preset modern: {shown(row['modern'])}"
        if row["modernMiniBatch"] != row["modern"]:
            text += f", or {shown(row['modernMiniBatch'])} with mini-batches"
        text += "."
    elif row["spark"] is not None:
        text += f" The default is {shown(row['spark'])}."
    body = textwrap.wrap(text, 84, initial_indent="    ", subsequent_indent="    ")
    return [head, *body]


def arguments_of(rows, has_classes):
    """Returns (name, type, default) of each argument of a constructor."""
    for row in rows:
        default = default_of(row)
        kind = TYPES[row["type"]]
        yield (snake_case(row["name"]), kind + (" | None" if default == "None" else ""),
               default)
    others = {"interval"} if has_classes else {"class_weight", "coverage"}
    yield from (extra for extra in EXTRA_ARGUMENTS if extra[0] not in others)


def write_class(name, rows, has_classes):
    lines = [f"class {name}:", '    """Hyper-parameters of an estimator.', "",
             "    Parameters", "    ----------"]
    for row in rows:
        lines += ["    " + line for line in describe(row)]
    extras = EXTRAS.replace("{class_weight}", CLASS_WEIGHT if has_classes else "")
    extras = extras.replace("{region}", REGIONS["coverage" if has_classes else "interval"])
    lines += ["    " + line for line in extras.splitlines()]
    lines += ['    """', "", "    def __init__(", "        self,", "        *,"]
    arguments = list(arguments_of(rows, has_classes))
    lines += [f"        {name}: {kind} = {default}," for name, kind, default in arguments]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name, _, _ in arguments]
    return lines


def write_row(row):
    values = (snake_case(row["name"]), row["name"], row["interval"], row["sentence"],
              row["spark"], "modern" in row, row.get("modern"), row.get("modernMiniBatch"))
    return "    Parameter(" + ", ".join(repr(value) for value in values) + "),"


def main():
    table, output = map(pathlib.Path, sys.argv[1:])
    rows = [row for row in json.loads(table.read_text()) if row["name"] != "task"]
    for row in rows:
        if row["name"] in CHOSEN_BY_FOLDS:
            row |= {"modern": "data", "modernMiniBatch": "data"}
    lines = ["PARAMETERS: Final[tuple[Parameter, ...]] = ("]
    lines += [write_row(row) for row in rows] + [")"]
    for name, left_out in ESTIMATORS.items():
        own = [row for row in rows if row["name"] not in left_out]
        lines += ["", ""] + write_class(name, own, not left_out)
    output.write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
