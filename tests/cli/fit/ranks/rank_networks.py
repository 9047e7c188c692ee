#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trains on two ranks in two networks that share a folder, as two machines do.

The networks are namespaces, joined by a pair of virtual interfaces. Neither
reaches the loopback interface of the other.

Usage: rank_networks.py PROGRAM DATA_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ADDRESSES = ("10.77.0.1", "10.77.0.2")
LOST_EXIT_CODE = 7
# A training of milliseconds, on a machine that is busy with other tests.
MAX_SECONDS = 60
INSIDE = "MLP_TEST_IS_INSIDE"


def enter():
    """Runs this script again in a new network, as its administrator."""
    command = [sys.executable, *sys.argv]
    environment = dict(os.environ, **{INSIDE: "1"})
    for words in (["unshare", "--net"],
                  ["unshare", "--net", "--user", "--map-root-user"]):
        try:
            is_allowed = subprocess.run([*words, "ip", "link"], check=False,
                                        capture_output=True).returncode == 0
        except FileNotFoundError:
            is_allowed = False
        if is_allowed:
            sys.exit(subprocess.run([*words, *command], check=False,
                                    env=environment).returncode)
    print("test skipped: this system allows no network namespaces")
    sys.exit(0)


class Networks:
    """The network of this process and another one."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        own = os.readlink("/proc/self/ns/net")
        other = f"/proc/{self.holder.pid}/ns/net"
        while os.readlink(other) == own:
            time.sleep(0.01)
        self.entry = (["env"], ["nsenter", f"--net={other}"])
        self.run(0, "ip link add va type veth peer name vb netns "
                    f"{self.holder.pid}")
        for rank, device in enumerate(("va", "vb")):
            self.run(rank, "ip link set lo up")
            self.run(rank, f"ip address add {ADDRESSES[rank]}/24 dev {device}")
            self.run(rank, f"ip link set {device} up")

    def run(self, rank, command):
        subprocess.run([*self.entry[rank], *command.split()], check=True)

    def add_default_routes(self):
        for rank in range(2):
            self.run(rank, f"ip route add default via {ADDRESSES[1 - rank]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.kill()
        self.holder.wait()


def train(networks, program, data, flags=((), ())):
    """The exit code, messages and model of each rank."""
    with tempfile.TemporaryDirectory() as folder:
        models = [pathlib.Path(folder) / f"model-{r}.json" for r in range(2)]
        ranks = [subprocess.Popen(
            [*networks.entry[r], program, "train", str(data / "iris.csv"),
             "--layers", "4,5,3", "--max-iter", "20", "--rendezvous", folder,
             "--rank", str(r), "--world-size", "2", "--quiet", "-o",
             f"{folder}/model-{{rank}}.json", *flags[r]],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) for r in range(2)]
        messages = [rank.communicate(timeout=MAX_SECONDS)[0] for rank in ranks]
        return [(rank.returncode, said,
                 model.read_bytes() if model.exists() else b"")
                for rank, said, model in zip(ranks, messages, models)]


def expect_model(results):
    for code, said, model in results:
        assert code == 0, said
        assert model and model == results[0][2], said


def expect_refusal(results, sentence):
    for code, said, _ in results:
        assert code == LOST_EXIT_CODE, said
        assert sentence in said, said


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    if INSIDE not in os.environ:
        enter()
    cannot_reach = ("rank {}: must listen at an address that the ranks on "
                    "other machines can reach; {}; give each rank the address "
                    "of its machine, by --address").format
    with Networks() as networks:
        expect_refusal(train(networks, program, data),
                       cannot_reach(0, "its machine has no default route"))
        given = tuple(("--address", address) for address in ADDRESSES)
        expect_model(train(networks, program, data, given))
        networks.add_default_routes()
        expect_model(train(networks, program, data))
        loopback = ((), ("--address", "0:0:0:0:0:0:0:1"))
        expect_refusal(train(networks, program, data, loopback),
                       cannot_reach(1, "got a loopback address"))


if __name__ == "__main__":
    main()
