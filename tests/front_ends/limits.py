# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of memory: for front ends that read without end, and for data that are sparse."""
from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator

from .case import Case

# What a case may need at most, besides what the process has.
MORE_BYTES = 2 << 30


def address_space() -> int:
    """Returns the bytes of address space that this process has."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def limited_memory() -> Iterator[None]:
    """Lets this process get little more memory than it has."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + MORE_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def limit_child() -> None:
    """Limits a process that is about to start a program."""
    resource.setrlimit(resource.RLIMIT_AS, (2 * MORE_BYTES, 2 * MORE_BYTES))


@contextlib.contextmanager
def memory_of(case: Case) -> Iterator[list[bool]]:
    """Gives the data of Python the memory of a case, and collects which matrices stay sparse."""
    from mlp import _core

    decide, decisions = _core.stays_sparse, []

    def stays_sparse(*size: float) -> bool:
        decisions.append(decide(*size, memory_bytes=case.memory_bytes))
        return decisions[-1]

    _core.stays_sparse = stays_sparse
    try:
        yield decisions
    finally:
        _core.stays_sparse = decide


def trouble_of_memory(case: Case, decisions: list[bool]) -> str:
    return "features with zeros" if case.memory_bytes and True not in decisions else ""
