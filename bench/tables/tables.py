# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of the comparison: which there are, and how their rows are split."""
import csv
import dataclasses
import functools
import random

import keel
import regressions

CLASSIFICATION, REGRESSION = "classification", "regression"


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows of texts, "" for a missing value; the last cell of a row is its label."""
    name: str
    task: str
    rows: list

    @property
    def is_regression(self):
        return self.task == REGRESSION

    @functools.cached_property
    def number_columns(self):
        """True for each feature whose values are numbers alone."""
        return [all(map(is_number, column)) for column in list(zip(*self.rows))[:-1]]

    @functools.cached_property
    def classes(self):
        return sorted({row[-1] for row in self.rows})

    @property
    def num_cells(self):
        return len(self.rows) * len(self.rows[0])


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return cell == ""
    return True


def names_of(group, folder):
    """Returns the names of a group of tables, or the name itself if it is no group."""
    groups = {"shown": lambda: keel.SHOWN,
              "aside": lambda: sorted(set(keel.names(folder)) - set(keel.SHOWN)),
              "regressions": lambda: list(regressions.SOURCES)}
    return list(groups.get(group, lambda: [group])())


def load(name, folder):
    if name in regressions.SOURCES:
        return Table(name, REGRESSION, regressions.read(name, folder))
    return Table(name, CLASSIFICATION, keel.read(name, folder))


def split(table, seed, share=0.7):
    """Returns rows to train on and to test on. The rows of each class are split alone, so
    that both have the same share of each class."""
    generator = random.Random(seed)
    groups = {}
    for row in table.rows:
        group = "" if table.is_regression else row[-1]
        groups.setdefault(group, []).append(row)
    train, test = [], []
    for group in sorted(groups):
        members = groups[group]
        generator.shuffle(members)
        count = max(1, round(share * len(members)))
        train += members[:count]
        test += members[count:]
    generator.shuffle(train)
    return train, test


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(len(rows[0]) - 1)] + ["label"])
        writer.writerows(rows)
