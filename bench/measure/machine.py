# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Which processor this is, and what its caches and units can do at most."""
import os
import platform

# Vendor, family and models, to the name that the results are filed under.
KINDS = (
    ("AuthenticAMD", 23, range(0x30, 0x100), "zen2"),
    ("AuthenticAMD", 25, range(0x10, 0x20), "zen4"),
    ("AuthenticAMD", 25, range(0x60, 0xB0), "zen4"),
    ("AuthenticAMD", 25, range(0x00, 0x60), "zen3"),
    ("AuthenticAMD", 26, range(0x00, 0x100), "zen5"),
    ("GenuineIntel", 6, (207,), "emerald-rapids"),
    ("GenuineIntel", 6, (143,), "sapphire-rapids"),
    ("GenuineIntel", 6, (173, 174), "granite-rapids"),
    ("GenuineIntel", 6, (106, 108), "ice-lake"),
    ("GenuineIntel", 6, (85,), "skylake"),
)


def cpu_fields():
    """The first processor of /proc/cpuinfo."""
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if not line.strip():
                break
            name, _, value = line.partition(":")
            fields[name.strip()] = value.strip()
    return fields


def cpu_kind(fields):
    """The short name of the microarchitecture."""
    vendor = fields.get("vendor_id", "unknown")
    family = int(fields.get("cpu family", 0))
    model = int(fields.get("model", 0))
    for kind_vendor, kind_family, models, name in KINDS:
        if (vendor, family) == (kind_vendor, kind_family) and model in models:
            return name
    return f"{vendor}-{family}-{model}".lower()


def cache_bytes(level):
    """The size of a cache of one core's view, or 0 where nobody tells."""
    path = f"/sys/devices/system/cpu/cpu0/cache/index{level}/size"
    try:
        with open(path, encoding="utf-8") as file:
            return int(file.read().strip().rstrip("K")) * 1024
    except (OSError, ValueError):
        return 0


def describe(build_description):
    """What the figures belong to."""
    fields = cpu_fields()
    flags = fields.get("flags", "").split()
    return {
        "kind": cpu_kind(fields),
        "cpu": fields.get("model name", platform.processor()),
        "cores": len(os.sched_getaffinity(0)),
        "vectors": "AVX-512" if "avx512f" in flags else
                   "AVX2" if "avx2" in flags else "none",
        "l2_bytes": cache_bytes(2),
        "l3_bytes": cache_bytes(3),
        "kernels": build_description["backend"],
        "compiler": build_description["compiler"],
        "load_average": round(os.getloadavg()[0], 1),
    }


def suitable_blas_core(core, machine):
    """The core type that OpenBLAS should run with, where it chose another.

    None means that its choice uses the widest vectors of this processor.
    """
    wide = ("skylakex", "cooperlake", "sapphirerapids")
    if machine["vectors"] == "AVX-512" and core.lower() not in wide:
        return "SKYLAKEX"
    if machine["vectors"] == "AVX2" and core.lower() not in (
            "haswell", "zen") + wide:
        return "HASWELL"
    return None
