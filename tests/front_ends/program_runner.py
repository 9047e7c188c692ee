# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs cases with the program mlp."""
from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from .case import Case, Table
from .damage import damaged_file
from .encoding import text_of
from .limits import limit_child
from .network import model_text
from .places import Place
from .result import Result

NAME = "program"
CODES = {2: "param", 3: "data", 4: "model", 5: "diverged", 6: "resource"}
# Longer than any case takes on a busy machine.
SECONDS = 20
NUM_FOLDERS = 2


def is_available() -> str:
    """Returns why the front end cannot run; empty if it can."""
    return "" if shutil.which("mlp") else "there is no program mlp on the PATH"


def call(
    arguments: list[str], is_limited: bool = False
) -> subprocess.CompletedProcess[str]:
    """Runs the program, with little memory if asked; one that does not end has code -9."""
    try:
        return subprocess.run(
            ["mlp", *arguments], capture_output=True, text=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, errors="surrogateescape", check=False,
            preexec_fn=limit_child if is_limited else None,
        )
    except subprocess.TimeoutExpired:
        sentence = f"it did not end within {SECONDS} seconds"
        return subprocess.CompletedProcess(arguments, -9, "", sentence)


def result_of(done: subprocess.CompletedProcess[str], **more: Any) -> Result:
    if done.returncode == 0:
        return Result(**more)
    lines = [line for line in done.stderr.splitlines() if ": error: " in line]
    sentence = " ".join(lines) or done.stderr
    if done.returncode not in CODES:
        return Result(trouble=f"exit code {done.returncode}: {sentence}")
    return Result((CODES[done.returncode],), sentence.removeprefix("mlp: error: "))


def field(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, (str, int)) else repr(value)


def fields(table: Table) -> Iterator[list[str]]:
    """Gives the rows of a file: features, label, weight and group."""
    if table.names is not None:
        more = [table.label_name] if table.labels is not None else []
        more += ["weight"] if table.weights is not None else []
        more += ["group"] if table.groups is not None else []
        yield [*table.names, *more]
    for i, row in enumerate(table.rows):
        values = list(row)
        values += [table.labels[i]] if table.labels is not None else []
        values += [table.weights[i]] if table.weights is not None else []
        values += [table.groups[i]] if table.groups is not None else []
        yield list(map(field, values))


def write_table(path: pathlib.Path, table: Table, is_label_first: bool = False) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in fields(table):
        writer.writerow([row[-1], *row[:-1]] if is_label_first else row)
    path.write_bytes(text.getvalue().encode("utf-8", "surrogateescape"))
    return str(path)


def write_files(case: Case, folder: pathlib.Path) -> str:
    """Writes the rows of a case as the columns that it names: `x` is the first feature, `kind`
    the label and `v` a vector of the other features. `day` is a column of folders."""
    *_, last = case.files
    top = folder / "files"
    for day in range(NUM_FOLDERS if last == "day" else 1):
        below = top / f"day={day}" if last == "day" else top
        below.mkdir(parents=True)
        names = [name for name in case.files if name != "day"]
        with open(below / "part-0.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            for row, label in zip(case.table.rows, case.table.labels):
                values = {"x": row[0], "kind": label, "v": str(list(row[1:])).replace(" ", "")}
                writer.writerow([values[name] for name in names])
    return str(top)


def write_libsvm(path: pathlib.Path, table: Table) -> str:
    """Writes the values that are not zero."""
    with open(path, "w", encoding="utf-8") as file:
        for row, label in zip(table.rows, table.labels):
            pairs = [f"{i + 1}:{value!r}" for i, value in enumerate(row) if value]
            print(label, *pairs, file=file)
    return str(path)


def column_flags(table: Table) -> list[str]:
    """Returns the flags that say where the label and the weight are."""
    if table.names is not None:
        return ["--header", "yes", *(["--weight-col", "weight"] if table.weights else [])]
    width = len(table.rows[0]) if table.rows else 3
    has_labels = table.labels is not None
    found = ["--header", "no", *(["--label", str(width)] if has_labels else [])]
    found += ["--group", str(width + has_labels)] if table.groups is not None else []
    return found + (["--weight-col", str(width + has_labels)] if table.weights else [])


def value_text(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(value_text(item) for item in value)
    return str(value) if isinstance(value, (str, int)) else repr(value)


def param_flags(case: Case, folder: pathlib.Path) -> list[str]:
    found = ["--task", case.task]
    for name, value in case.all_params().items():
        flag = "--" + re.sub("[A-Z]", lambda letter: "-" + letter[0].lower(), name)
        if value is True:
            found.append(flag)
            continue
        text = value_text(value)
        if name == "initialWeights":
            file = folder / "weights.json"
            file.write_text(f"[{text}]")
            text = str(file)
        found.append(f"{flag}={text}")
    if case.class_weight is not None:
        weights = ",".join(f"{name}={value!r}" for name, value in case.class_weight.items())
        found.append(f"--class-weights={weights}")
    found += ["--standardize"] if case.standardize else []
    found += [f"--effort={case.effort}"] if case.effort else []
    if case.coverage is not None:
        region = "interval" if case.task == "regression" else "coverage"
        found.append(f"--{region}={case.coverage}")
    if case.partition_sizes is not None:
        found += [f"--partition-sizes={value_text(case.partition_sizes)}"]
    return found


def train(case: Case, folder: pathlib.Path, output: str) -> subprocess.CompletedProcess[str]:
    if case.files:
        data = write_files(case, folder)
        flags = [] if case.label is None else [f"--label={case.label}"]
    elif case.text:
        (folder / "data.csv").write_text(case.text, encoding="utf-8")
        data, flags = str(folder / "data.csv"), []
    elif case.memory_bytes:
        data = write_libsvm(folder / "data.libsvm", case.table)
        flags = ["--memory", str(case.memory_bytes)]
    else:
        data = write_table(folder / "data.csv", case.table)
        flags = column_flags(case.table)
    flags += param_flags(case, folder)
    if case.validation is not None:
        flags += ["--validation", write_table(folder / "held_out.csv", case.validation)]
    return call(["train", data, *flags, "--json", "-o", output])


def warnings_of(text: str) -> tuple[str, ...]:
    """Returns the codes of the warnings in the document of --json."""
    found = json.loads(text, parse_constant=float).get("warnings", [])
    return tuple(warning["code"] for warning in found)


def fit(case: Case, folder: pathlib.Path) -> Result:
    done = train(case, folder, str(folder / "model.json"))
    warnings = warnings_of(done.stdout) if done.returncode == 0 else ()
    has_zeros = case.memory_bytes and "are kept without their zeros" not in done.stderr
    return result_of(done, warnings=warnings, trouble="features with zeros" if has_zeros else "")


def save(case: Case, folder: pathlib.Path) -> Result:
    place = Place(case.target, folder, str(folder / "data.csv"))
    return place.checked(result_of(train(case, folder, place.path)))


def write_model(folder: pathlib.Path, text: str) -> str:
    path = folder / "given.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


def predict(case: Case, folder: pathlib.Path) -> Result:
    data = write_table(folder / "data.csv", case.table)
    flags = column_flags(case.table)
    text = text_of(case)
    done = call(["predict", write_model(folder, text), data, *flags, "--output", "probability"])
    if done.returncode != 0:
        return result_of(done)
    _, *lines = done.stdout.splitlines()
    return Result(numbers=[float(x) for line in lines for x in line.split(",")], model=text)


def load(case: Case, folder: pathlib.Path) -> Result:
    data = write_table(folder / "data.csv", case.table)
    model = damaged_file(case.change, folder)
    return result_of(call(["predict", model, data, *column_flags(case.table)], True))


def evaluate(case: Case, folder: pathlib.Path) -> Result:
    data = write_table(folder / "data.csv", case.table, "label first" in case.needs)
    flags = column_flags(case.table)
    return result_of(call(["evaluate", write_model(folder, model_text()), data, *flags]))


ACTIONS = {"fit": fit, "save": save, "predict": predict, "load": load, "evaluate": evaluate}


def run(case: Case, folder: pathlib.Path) -> Result:
    return ACTIONS[case.action](case, folder)
