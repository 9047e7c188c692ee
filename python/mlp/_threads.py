# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""How many threads compute."""
from __future__ import annotations

import os

from .errors import ParamError

VARIABLES = ("MLP_NUM_THREADS", "OMP_NUM_THREADS")


def num_threads(n_jobs: int | None = None) -> int:
    """Returns the number of threads for ``n_jobs``, scikit-learn's way to ask for them.

    Parameters
    ----------
    n_jobs : int, optional
        -1 asks for all cores of this process, -2 for all but one, and so on. None asks
        for the value of MLP_NUM_THREADS or OMP_NUM_THREADS, else for all cores. The
        worker processes of joblib set OMP_NUM_THREADS.

    Raises
    ------
    ParamError
        For 0, and for a variable that is not an integer > 0.

    Examples
    --------
    >>> num_threads(3)
    3
    """
    if n_jobs is not None:
        if n_jobs == 0:
            raise ParamError("n_jobs must not be 0; -1 asks for all cores")
        return n_jobs if n_jobs > 0 else max(1, num_cores() + 1 + n_jobs)
    for variable in VARIABLES:
        text = os.environ.get(variable)
        if text:
            return read_variable(variable, text)
    return num_cores()


def num_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def read_variable(variable: str, text: str) -> int:
    # OMP_NUM_THREADS may have one number for each level of nesting.
    first = text.split(",")[0].strip()
    if first.isdecimal() and int(first) > 0:
        return int(first)
    raise ParamError(f"{variable} must be an integer > 0; got {text!r}")
