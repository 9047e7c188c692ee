# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The messages between the tasks of a job and the service at which they meet.

The service sends a random number, its nonce. The task answers with its own nonce, its proof,
and its rank and number. The service sends its proof. A proof is an HMAC of both nonces, as
between ranks (distributed/rendezvous/handshake.hpp). Later messages are not protected.
"""
from __future__ import annotations

import enum
import hmac
import struct

__all__ = [
    "END", "FAILURE", "GATHER", "NONCE_BYTES", "PROGRESS", "PROOF_BYTES", "Role", "make_frame",
    "proof_of", "take_frames",
]

NONCE_BYTES = 32
PROOF_BYTES = 32
LENGTH = struct.Struct(">I")

# The first byte of what a task sends after its proof.
GATHER, END, FAILURE, PROGRESS = b"G", b"E", b"F", b"P"


class Role(enum.Enum):
    """The side that proves."""

    TASK = b"task"
    SERVICE = b"service"


def proof_of(secret: bytes, role: Role, nonce: bytes, task_nonce: bytes, data: bytes) -> bytes:
    """Returns the proof that a side knows the secret, for the data that it sends with it."""
    message = b"mlp meeting 1 proof of the " + role.value + b"\n" + nonce + task_nonce + data
    return hmac.digest(secret, message, "sha256")


def make_frame(data: bytes) -> bytes:
    """Puts the length before the data."""
    return LENGTH.pack(len(data)) + data


def take_frames(received: bytearray, max_bytes: int) -> list[bytes]:
    """Removes the complete frames from what was received, and returns their data.

    Raises
    ------
    ValueError
        If a frame is longer than `max_bytes`.
    """
    frames = []
    while len(received) >= LENGTH.size:
        (size,) = LENGTH.unpack_from(received)
        if size > max_bytes:
            raise ValueError(f"a frame must have at most {max_bytes} bytes; got {size}")
        end = LENGTH.size + size
        if len(received) < end:
            break
        frames.append(bytes(received[LENGTH.size:end]))
        del received[:end]
    return frames
