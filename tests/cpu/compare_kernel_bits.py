#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the bits of the CPU kernels on real and emulated processors.

Usage: compare_kernel_bits.py PROGRAM SET

PROGRAM is mlp_write_kernel_bits. SET is computed by this processor if it has it,
and by qemu-user, which emulates a processor without the newer sets. A set must
give the bits of the set that has the same multiply-add. A set that neither can
compute is skipped, with exit code 77.
"""
import shutil
import subprocess
import sys

SKIPPED = 77

# The processor without newer sets that qemu-user emulates. It has no AVX-512.
EMULATED = {"AVX2": "Haswell", "SSE4": "Nehalem", "baseline": "core2duo"}

# AVX2 and AVX-512 have fused multiply-adds; the others round twice.
PARTNERS = {"AVX-512": "AVX2", "AVX2": "AVX-512",
            "SSE4": "baseline", "baseline": "SSE4"}

# With fused multiply-adds, real and emulated processors give the same bits. For
# older ones, the C library computes exp and log of the losses in another way.
FUSED = ("AVX-512", "AVX2")


def results_of(command):
    """{set: {what: hash}} as the program writes it."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n"
                 f"{done.stderr}")
    results = {}
    for line in done.stdout.splitlines():
        name, what, digest = line.split("\t")
        results.setdefault(name, {})[what] = digest
    return results


def compare(one, other, names):
    """Ends the test if two results differ; names says whose they are."""
    if one.keys() != other.keys():
        sys.exit(f"{names} computed different networks")
    for what, digest in one.items():
        if other[what] != digest:
            sys.exit(f"{what}: {names} differ, {digest} and {other[what]}")
    print(f"{names}: {len(one)} results with the same bits")


def emulate(program, name):
    """What the program gives on a processor whose best set is the named one."""
    qemu = shutil.which("qemu-x86_64")
    if not qemu or name not in EMULATED:
        return {}
    results = results_of([qemu, "-cpu", EMULATED[name], program])
    best = next(iter(results))
    if best != name:
        sys.exit(f"the best set of {EMULATED[name]} is {name}; the program "
                 f"chose {best}")
    return results


def main(program, name):
    """Compares every result of the set that this machine can get."""
    real = results_of([program])
    emulated = emulate(program, name)
    if name not in real and name not in emulated:
        print(f"skipped: this processor lacks {name}, and "
              + ("qemu-user cannot emulate it" if name not in EMULATED else
                 "there is no qemu-x86_64 (Debian's qemu-user)"))
        return SKIPPED
    partner = PARTNERS[name]
    for results, whose in ((real, "this processor"), (emulated, "qemu-user")):
        if name in results and partner in results:
            compare(results[name], results[partner],
                    f"{name} and {partner} of {whose}")
    if name in real and name in emulated and name in FUSED:
        compare(real[name], emulated[name],
                f"{name} of this processor and of qemu-user")
    where = " and ".join(
        whose for results, whose in ((real, "this processor"),
                                     (emulated, "qemu-user"))
        if name in results)
    print(f"{name} was computed by {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
