# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What a case is: data, hyper-parameters, an action, and the outcome that the rule asks for.

Cases are plain data, so that the tables are made without the package.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

# Outcomes without an error, by action.
DONE = {
    "fit": "trains",
    "predict": "predicts",
    "load": "loads",
    "save": "saves",
    "evaluate": "evaluates",
}
# The outcome of a prediction in which NaN gives NaN, although the model has means.
PREDICTS_NAN = "predicts NaN"
# Refusals, named as the contract of all front ends names them.
CODES = ("param", "data", "model", "diverged", "resource")


@dataclass(frozen=True)
class Table:
    """Rows, and what belongs to them."""

    rows: Any
    labels: Any = None
    names: tuple[str, ...] | None = None
    weights: tuple[Any, ...] | None = None
    kind: str = "float64"
    """How Python holds the rows: a type of NumPy, or a container such as pandas."""
    label_name: str = "label"
    groups: tuple[Any, ...] | None = None


def numbers(size: int = 24) -> tuple[tuple[float, ...], ...]:
    """Returns rows of three features between 0 and 1."""
    return tuple(
        ((7 * i % 11) / 11, (5 * i % 13) / 13, (3 * i % 7) / 7) for i in range(size)
    )


def classes(rows: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """Returns a class of two for each row."""
    return tuple(int(row[0] + row[1] > 1) for row in rows)


ROWS = numbers()
LABELS = classes(ROWS)
TARGETS = tuple(row[0] - 2 * row[1] + 0.5 for row in ROWS)
BASE = Table(ROWS, LABELS)
NAMED = replace(BASE, names=("a", "b", "c"), kind="pandas")
LAYERS = (3, 4, 2)


@dataclass(frozen=True)
class Case:
    """One input, and what every front end must do with it."""

    group: str
    given: str
    """What is given, as a name for people; unique in its group."""
    outcome: str
    """trains, predicts, ... or a code of CODES, or "warns CODE"; some front ends differ by
    PREDICTS_NAN."""
    action: str = "fit"
    table: Table = BASE
    params: Mapping[str, Any] = field(default_factory=dict)
    """Hyper-parameters by Spark's names; layers, maxIter and seed have defaults, which
    None leaves out."""
    task: str = "classification"
    standardize: bool = False
    validation: Table | None = None
    partition_sizes: tuple[int, ...] | None = None
    class_weight: Mapping[Any, float] | None = None
    change: str = ""
    """What is done to the text of a model file, see damage.py."""
    model: str = ""
    """The rules of the model that predicts, if it encodes columns, see encoding.py."""
    network: str = ""
    """The model that predicts, if it is not that of the cases: "with bins" has numbers in
    quantile bins, "merged" is several networks in one, and "with sets" has
    prediction sets, which change no prediction; see encoding.py."""
    effort: str = ""
    """How many trainings choose the model; only without layers."""
    coverage: float | None = None
    """Of the prediction sets, or of a regression the intervals, that are asked for."""
    files: tuple[str, ...] = ()
    """The columns of the files that a training reads, see write_files()."""
    text: str = ""
    """The text of the file that a training reads, in place of the table."""
    label: Any = None
    """The name or the index of the label among them."""
    target: str = ""
    """Where a model is saved, see places.py."""
    memory_bytes: int = 0
    """What the data may take: they are sparse, and their zeros must take no memory."""
    needs: tuple[str, ...] = ()
    """What a front end must have, besides what the fields above tell."""
    differs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Front ends with another outcome by design, and why."""
    only: str = ""
    """Why fewer than two front ends have this case."""
    silent: tuple[str, ...] = ()
    """Warnings that must not come."""

    @property
    def name(self) -> str:
        return f"{self.group}: {self.given}"

    def all_params(self) -> dict[str, Any]:
        """Returns the hyper-parameters with the defaults of the cases."""
        layers = (3, 4, 1) if self.task == "regression" else LAYERS
        found = {"layers": layers, "maxIter": 10, "seed": 1} | dict(self.params)
        return {name: value for name, value in found.items() if value is not None}

    def outcome_in(self, front_end: str) -> str:
        return self.differs.get(front_end, (self.outcome, ""))[0]

    def all_needs(self) -> list[str]:
        """Returns what a front end must have to express this case."""
        tables = [table for table in (self.table, self.validation) if table is not None]
        found = [self.action]
        found += [f"task {self.task}"] if self.task != "classification" else []
        found += ["weights"] if any(table.weights is not None for table in tables) else []
        found += ["groups"] if self.table.groups is not None else []
        has_names = any(table.names is not None for table in tables)
        found += [f"names to {self.action}"] if has_names else []
        found += ["validation"] if self.validation is not None else []
        found += ["partition sizes"] if self.partition_sizes is not None else []
        found += ["class_weight"] if self.class_weight is not None else []
        found += ["encoded columns"] if self.model else []
        found += [f"a model {self.network}"] if self.network else []
        found += ["effort"] if self.effort else []
        found += ["files"] if self.files or self.text else []
        found += ["little memory"] if self.memory_bytes else []
        found += ["coverage"] if self.coverage is not None else []
        found += ["no layers"] if "layers" not in self.all_params() else []
        found += ["standardize"] if self.standardize else []
        found += [table.kind for table in tables if table.kind != "float64"]
        found += [f"param {name}" for name in self.params]
        labels = [x for table in tables for x in table.labels or ()]
        found += ["text labels"] if any(isinstance(x, str) for x in labels) else []
        found += ["missing labels"] if any(x is None for x in labels) else []
        return list(dict.fromkeys([*found, *self.needs]))


def scaled(factor: float) -> Table:
    """Returns the rows with all features multiplied."""
    return replace(BASE, rows=tuple(tuple(factor * x for x in row) for row in ROWS))


def with_value(value: Any, row: int = 2, column: int = 1, table: Table = BASE) -> Table:
    """Returns a table with one feature replaced."""
    rows = [list(values) for values in table.rows]
    rows[row][column] = value
    return replace(table, rows=tuple(map(tuple, rows)))


def with_label(value: Any, row: int = 3, labels: Sequence[Any] = LABELS) -> Table:
    """Returns a table with one label replaced."""
    return replace(BASE, labels=(*labels[:row], value, *labels[row + 1 :]))


def weights_with(value: Any, row: int = 4) -> Table:
    """Returns a table whose weights are 1, but for one."""
    return replace(BASE, weights=(*[1.0] * row, value, *[1.0] * (len(ROWS) - row - 1)))


def all_weights(value: float) -> Table:
    return replace(BASE, weights=(value,) * len(ROWS))


def column_table(order: Sequence[int], names: Sequence[str], kind: str = "pandas") -> Table:
    """Returns the columns of the rows in another order, under these names."""
    return Table(
        tuple(tuple(row[i] for i in order) for row in ROWS), LABELS, tuple(names), None, kind
    )


NAN, INF = math.nan, math.inf
