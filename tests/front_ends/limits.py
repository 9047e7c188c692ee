# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Limits, so that a front end that reads without end fails and harms nothing else."""
from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator

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
