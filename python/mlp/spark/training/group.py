# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks of a job as a group of ranks that sum numbers."""
from __future__ import annotations

import contextlib
import ipaddress
import pathlib
import platform
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from ... import _core
from ...errors import CommunicationError, NotCompiled

__all__ = ["SECRET_BYTES", "Rendezvous", "has_plugin", "join_group", "no_plugin", "require_plugin"]

SECRET_BYTES = 32


class Rendezvous(Protocol):
    """Where a task exchanges its first bytes with the others."""

    rank: int
    size: int

    def addresses(self) -> list[str]:
        """Returns "host:port" for each task, by rank."""

    def exchange(self, data: bytes) -> list[bytes]:
        """Returns the bytes of all tasks, by rank. All tasks call it once."""


def plugin_file() -> pathlib.Path:
    """Returns where the package has the plugin for Gloo."""
    return pathlib.Path(_core.__file__ or "").with_name("libmlp_gloo.so")


def has_plugin() -> bool:
    """False for a package that was built without Gloo."""
    return plugin_file().exists()


def no_plugin() -> str:
    """Says what a package without Gloo lacks, and where to get it."""
    return (
        "tasks sum over Gloo, which this build of the package spark-mlp does not have (there is "
        f"no file {plugin_file()}); install the wheel that scripts/build-wheels builds"
    )


def require_plugin() -> None:
    """Refuses a package that was built without Gloo.

    Raises
    ------
    NotCompiled
        The text names what is missing.
    """
    if not has_plugin():
        raise NotCompiled(f"several tasks cannot run a function together: {no_plugin()}")


@contextlib.contextmanager
def join_group(
    rendezvous: Rendezvous, secret: bytes, timeout: float
) -> Iterator[Callable[[], _core.Ranks]]:
    """Connects a task to the others of its job.

    The body gets a function that waits for the group: until then it can load rows. If the body raises, the other tasks get an error with
    its sentence at once.

    Raises
    ------
    CommunicationError
        By the function, if another task cannot join, or does not within the time.
    NotCompiled
        By the function, if the package of this task has no Gloo.
    """
    with ThreadPoolExecutor(max_workers=1) as executor:
        joining = executor.submit(connect, rendezvous, secret, timeout)
        try:
            yield joining.result
        except BaseException as error:
            with contextlib.suppress(Exception):
                joining.result().leave(f"left: {type(error).__name__}: {error}")
            raise
        finally:
            with contextlib.suppress(Exception):
                joining.result().close()


def connect(rendezvous: Rendezvous, secret: bytes, timeout: float) -> _core.Ranks:
    options = _core.RankOptions()
    options.rank = rendezvous.rank
    options.size = rendezvous.size
    options.exchange = rendezvous.exchange
    options.address = own_address(rendezvous.addresses(), options.rank)
    options.secret = secret
    options.plugin_file = str(plugin_file())
    options.timeout = timeout
    try:
        group = _core.Ranks(options)  # tells the other tasks if it fails
        # A task that leaves before the others have connected would look lost to them.
        group.allreduce(np.zeros(1))
        return group
    except NotCompiled:
        raise NotCompiled(
            f"{sys.executable} on host {platform.node()} cannot train with other tasks: "
            f"{no_plugin()} in the Python of each executor"
        ) from None


def own_address(infos: Sequence[str], rank: int) -> str:
    """Returns the numeric address at which the other tasks reach this one.

    Parameters
    ----------
    infos : sequence of str
        "host:port" of the executor of each task.

    Examples
    --------
    >>> own_address(["10.0.0.7:41", "10.0.0.7:41"], 0)
    '127.0.0.1'
    """
    hosts = [info.rpartition(":")[0].strip("[]") for info in infos]
    if len(set(hosts)) == 1:
        return "127.0.0.1"
    for address in numeric_addresses(hosts[rank]):
        if not ipaddress.ip_address(address).is_loopback and is_own(address):
            return address
    return route_address(next(host for host in hosts if host != hosts[rank]))


def numeric_addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(entry[4][0]) for entry in found]


def is_own(address: str) -> bool:
    """True if an interface of this machine has the address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def route_address(host: str) -> str:
    """Returns the address of this machine on the way to a host. Nothing is sent."""
    for address in numeric_addresses(host):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
            probe.connect((address, 9))
            return str(probe.getsockname()[0])
    raise CommunicationError(
        f"host {host} of another task has no address that this machine can reach"
    )
