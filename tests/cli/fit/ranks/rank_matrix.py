#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains by every solver on 1 to 4 ranks, and compares with one process.

Usage: rank_matrix.py PROGRAM DATA_FOLDER TRANSPORT PROBLEM
"""

import json
import pathlib
import sys
import tempfile

import rank_runs

# Another order of additions, of numbers of one size.
START_TOLERANCE = 1e-12
# What that becomes over some steps; chaos sets in far later.
PATH_TOLERANCE = 1e-9


def check_history(name, history, expected):
    """Compares a history with the one of one process."""
    if len(history) != len(expected):
        rank_runs.fail(f"{name}: expected {len(expected)} entries, "
                       f"got {len(history)}")
    for i, (got, wanted) in enumerate(zip(history, expected)):
        bound = START_TOLERANCE if i == 0 else PATH_TOLERANCE
        if not abs(got - wanted) <= bound * abs(wanted):
            rank_runs.fail(f"{name}: entry {i} is {got}, expected {wanted}")


def check_models(name, models, ranks, transport):
    """Every rank must have written the same bytes."""
    expected = 1 if transport == "threads" else ranks
    if len(models) != expected or len(set(models)) != 1:
        rank_runs.fail(f"{name}: expected {expected} equal models, "
                       f"got {models}")


def check_solver(program, arguments, transport, solver, folder):
    """One solver on 1 to 4 ranks; returns the number of trainings."""
    flags = rank_runs.SOLVERS[solver]
    expected, _ = rank_runs.train(program, arguments, 1, None, folder, flags)
    exact = [*flags, "--reproducible"]
    _, alone = rank_runs.train(program, arguments, 1, None, folder, exact)
    for ranks in range(1, 5):
        name = f"{solver} on {ranks} ranks by {transport}"
        history, models = rank_runs.train(program, arguments, ranks,
                                          transport, folder, flags)
        check_history(name, history, expected)
        check_models(name, models, ranks, transport)
        _, again = rank_runs.train(program, arguments, ranks, transport,
                                   folder, flags)
        if again != models:
            rank_runs.fail(f"{name}: another run gives other bytes")
        _, models = rank_runs.train(program, arguments, ranks, transport,
                                    folder, exact)
        if set(models) != set(alone):
            rank_runs.fail(f"{name}: --reproducible gives other bytes than "
                           "one process")
    return 14


def check_parts(program, data, transport, folder):
    """Trains on a file for each of 3 ranks, with labels that are texts."""
    ranks = 3
    whole, parts = rank_runs.write_parts(data, folder, ranks)
    for solver, flags in rank_runs.SOLVERS.items():
        name = f"{solver} on {ranks} files by {transport}"
        expected, _ = rank_runs.train(program, [whole], 1, None, folder,
                                      [*flags, "--effort", "quick"])
        labels = read_labels(folder)
        history, models = rank_runs.train(program, [parts], ranks, transport,
                                          folder, flags)
        check_history(name, history, expected)
        check_models(name, models, ranks, transport)
        if read_labels(folder) != labels:
            rank_runs.fail(f"{name}: labels {read_labels(folder)}, "
                           f"expected {labels}")
    return 2 * len(rank_runs.SOLVERS)


def read_labels(folder):
    """The names of the classes in the model of rank 0."""
    return json.loads((folder / "model-0.json").read_text())["labels"]


def main():
    """Runs the matrix of one transport and one problem."""
    program, data, transport, problem = sys.argv[1:]
    missing = rank_runs.is_missing(transport)
    if missing:
        print(f"test skipped: {missing}")
        return
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = rank_runs.problems(pathlib.Path(data), folder)[problem]
        for solver in rank_runs.SOLVERS:
            count += check_solver(program, arguments, transport, solver,
                                  folder)
        if problem == "iris" and transport != "threads":
            count += check_parts(program, pathlib.Path(data), transport,
                                 folder)
    print(f"{count} trainings agree")


if __name__ == "__main__":
    main()
