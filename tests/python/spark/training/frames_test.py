# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Frames and proofs of the meeting of tasks."""

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.frames import Role, make_frame, proof_of, take_frames  # noqa: E402


def test_a_frame_has_its_length_in_front() -> None:
    assert make_frame(b"abc") == b"\x00\x00\x00\x03abc"


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_frames_come_back_however_the_bytes_arrive(size: int) -> None:
    data = [b"", b"abc", bytes(range(256))]
    sent = b"".join(map(make_frame, data))

    received, found = bytearray(), []
    for begin in range(0, len(sent), size):
        received += sent[begin:begin + size]
        found += take_frames(received, 256)

    assert found == data
    assert received == b""


def test_refuses_a_frame_that_is_too_long_before_it_arrives() -> None:
    with pytest.raises(ValueError, match="at most 100 bytes; got 101"):
        take_frames(bytearray(make_frame(bytes(101))[:4]), 100)


def test_a_proof_depends_on_all_that_it_proves() -> None:
    original = (b"s" * 32, Role.TASK, b"n" * 32, b"m" * 32, b"[0, 1]")
    changes = (b"t" * 32, Role.SERVICE, b"o" * 32, b"o" * 32, b"[1, 1]")

    proofs = {proof_of(*original)}
    for number, change in enumerate(changes):
        changed = list(original)
        changed[number] = change
        proofs.add(proof_of(*changed))  # type: ignore[arg-type]

    assert len(proofs) == 1 + len(changes)
