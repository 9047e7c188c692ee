#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that wheels have everything inside and run with glibc 2.28.

Usage: check.py [--with-jars] WHEEL...   with a Python that has auditwheel

Every ELF file of a wheel, also those in jars, must be for the machine that the name of
the wheel states, may use symbols of GLIBC_2.28 and older, and load only libraries that
every Linux has. On aarch64 the compiler must not fuse products with sums, which would
change bits; the kernels' own multiply-adds are those of vectors. Prints a line for each wheel and a
sentence for each finding; exits 1 on any.
"""

import io
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_hardening  # noqa: E402

NEWEST_GLIBC = (2, 28)
MAX_BYTES = 12_000_000
# The numbers of machines in ELF files.
MACHINES = {"x86_64": 62, "aarch64": 183}
# The parts whose licences ask for their texts.
LICENSED = ("gloo", "libeigen3-dev", "libhwy-dev", "nanobind", "nlohmann-json3-dev",
            "robin-map", "zlib1g-dev")
LIBRARIES = re.compile(r"(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux-\S+)\.so\.\d")


def elf_files(archive, prefix=""):
    """Yields name and bytes of each ELF file of an archive and of the jars in it."""
    for name in archive.namelist():
        data = archive.read(name)
        if name.endswith(".jar"):
            with zipfile.ZipFile(io.BytesIO(data)) as jar:
                yield from elf_files(jar, f"{name}!")
        elif data.startswith(b"\x7fELF"):
            yield prefix + name, data


def elf_findings(path, is_program):
    """What is wrong with one ELF file, a sentence each."""
    text = subprocess.run(["objdump", "-T", "-p", path], check=True,
                          capture_output=True, text=True).stdout
    for version in sorted(set(re.findall(r"\bGLIBC_([0-9.]+)", text))):
        if tuple(int(number) for number in version.split(".")) > NEWEST_GLIBC:
            yield f"needs GLIBC_{version}; expected GLIBC_2.28 at most"
    for version in sorted(set(re.findall(r"\b(?:GLIBCXX|CXXABI)_[0-9.]+", text))):
        yield f"needs {version}; expected the C++ library inside"
    for library in re.findall(r"NEEDED\s+(\S+)", text):
        if not LIBRARIES.fullmatch(library):
            yield f"loads {library}, which is not in the wheel"
    yield from check_hardening.findings(path, is_program)


def fused_findings(path):
    """Whether a compiler fused products with sums in a file for aarch64."""
    code = subprocess.run(["aarch64-linux-gnu-objdump", "-d", path], check=True,
                          capture_output=True, text=True).stdout
    if re.search(r"\t(fn?madd|fn?msub)\t", code):
        yield "fuses products with sums; expected -ffp-contract=off"


def wheel_findings(wheel, with_jars):
    """What is wrong with one wheel, a sentence each."""
    if wheel.stat().st_size > MAX_BYTES:
        yield f"has {wheel.stat().st_size} bytes; expected {MAX_BYTES} at most"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        if not any("gloo" in pathlib.PurePath(name).name for name in names):
            yield "has no plugin for Gloo, and so could not train on a cluster"
        if not any(name.endswith(".dist-info/sboms/spark-mlp.cdx.json") for name in names):
            yield "has no list of the software inside"
        for part in LICENSED:
            if not any(name.endswith(f".dist-info/licenses/{part}") for name in names):
                yield f"has no licence of {part}"
        if with_jars and sum(name.endswith(".jar") for name in names) != 2:
            yield "must have two jars for Spark; run scripts/install-spark for 3.5.7 " \
                  "and 4.0.1, and install a JDK"
        machine = next(name for name in MACHINES if wheel.stem.endswith("_" + name))
        for name, data in elf_files(archive):
            if int.from_bytes(data[18:20], "little") != MACHINES[machine]:
                yield f"{name} is not for {machine}"
            if str(ROOT).encode() in data:
                yield f"{name} names {ROOT}, so that a build in another folder differs"
            with tempfile.NamedTemporaryFile() as file:
                file.write(data)
                file.flush()
                findings = list(elf_findings(file.name, name.endswith("scripts/mlp")))
                if machine == "aarch64":
                    findings += fused_findings(file.name)
                for finding in findings:
                    yield f"{name} {finding}"
    result = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel],
                            capture_output=True, text=True)
    shown = " ".join((result.stdout + result.stderr).split())
    tag = re.search(r'following platform tag: "manylinux_2_(\d+)_\w+"', shown)
    if tag is None or int(tag.group(1)) > NEWEST_GLIBC[1]:
        yield f"is no manylinux_2_28; auditwheel says: {shown}"


def main():
    arguments = sys.argv[1:]
    with_jars = "--with-jars" in arguments
    wheels = [pathlib.Path(name) for name in arguments if name != "--with-jars"]
    if not wheels:
        sys.exit(__doc__)
    num_findings = 0
    for wheel in wheels:
        print(f"{wheel} {wheel.stat().st_size / 1e6:.1f} MB")
        for finding in wheel_findings(wheel, with_jars):
            print(f"{wheel.name} {finding}", file=sys.stderr)
            num_findings += 1
    return 1 if num_findings else 0


if __name__ == "__main__":
    sys.exit(main())
