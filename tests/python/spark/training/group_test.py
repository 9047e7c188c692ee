# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The addresses of tasks, and what a group needs."""

import ipaddress
import pathlib
import platform
import sys

import pytest

pytest.importorskip("pyspark")
from mlp.errors import CommunicationError, NotCompiled  # noqa: E402
from mlp.spark.training import group  # noqa: E402


def test_tasks_of_one_host_meet_at_the_loopback_address() -> None:
    assert group.own_address(["nowhere.invalid:1", "nowhere.invalid:2"], 1) == "127.0.0.1"


def test_a_task_has_the_address_of_its_own_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    # 10.9.9.9 is no interface of this machine; the second entry stands for one.
    monkeypatch.setattr(group, "numeric_addresses", lambda host: ["127.0.1.1", "10.9.9.9", "::2"])
    monkeypatch.setattr(group, "is_own", lambda address: address == "::2")

    assert group.own_address(["a:1", "b:1"], 0) == "::2"


def test_a_host_that_is_a_loopback_address_uses_the_way_to_another_task() -> None:
    address = group.own_address(["localhost:1", "127.0.0.1:1"], 0)

    assert ipaddress.ip_address(address).is_loopback
    with pytest.raises(CommunicationError, match="host nowhere.invalid of another task"):
        group.own_address(["localhost:1", "nowhere.invalid:1"], 0)


def test_names_what_a_build_without_gloo_lacks(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "plugin_file", lambda: tmp_path / "libmlp_gloo.so")

    with pytest.raises(NotCompiled, match="no file .*libmlp_gloo.so.*scripts/build-wheels"):
        group.require_plugin()


class PairRendezvous:
    """A task of two, which gets what it sends from the other one, too."""

    rank = 1
    size = 2

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def addresses(self) -> list[str]:
        return ["a:1", "a:2"]

    def exchange(self, data: bytes) -> list[bytes]:
        self.sent.append(data)
        return [data, data]


def test_a_task_without_gloo_names_its_python_and_tells_the_others(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "plugin_file", lambda: tmp_path / "libmlp_gloo.so")
    rendezvous = PairRendezvous()

    with pytest.raises(NotCompiled) as caught, group.join_group(rendezvous, bytes(32), 5.0) as wait:
        wait()

    for text in (sys.executable, platform.node(), str(tmp_path), "scripts/build-wheels"):
        assert text in str(caught.value)
    assert "Gloo (there is no file" in rendezvous.sent[0].decode(errors="replace")
