#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what kernels need of a multiprocessor with the table in docs/cuda.md.

Usage: kernel_resources.py [--fix] [--page PAGE] BUILD
BUILD is a folder of the preset cuda. Names each kernel that differs, spills
registers, or does not fit on a device; exits 1 on any. --fix writes the table and
keeps the columns that are stated by hand: threads and dynamic shared memory. A
kernel that is new to the table gets 256 threads and no shared memory.

The numbers depend on the compiler. Built by another nvcc than the table names,
kernels are checked for what no table may excuse; the exit code is then 77.
"""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- kernels: begin; tools/kernel_resources.py --fix BUILD writes these rows -->"
END = "<!-- kernels: end -->"
HEADINGS = ("kernel by nvcc {nvcc}", "threads", "dynamic shared bytes", "registers",
            "static shared bytes", "stack bytes", "blocks per multiprocessor",
            "occupancy")
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
SKIPPED = 77


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a multiprocessor has.

    Source: CUDA C++ Programming Guide, "Technical Specifications per Compute
    Capability"; the units of allocation are those of cuda_occupancy.h.
    """
    shared_bytes: int
    shared_bytes_of_block: int
    threads: int = 2048
    blocks: int = 32
    registers: int = 65536
    registers_of_thread: int = 255
    threads_of_block: int = 1024
    partitions: int = 4  # each with its share of the registers
    register_unit: int = 256  # of a warp
    shared_unit: int = 128
    reserved_shared_bytes: int = 1024  # of each block, for the system


LIMITS = {
    "sm_80": Limits(shared_bytes=164 << 10, shared_bytes_of_block=163 << 10),
    "sm_90": Limits(shared_bytes=228 << 10, shared_bytes_of_block=227 << 10),
    "sm_100": Limits(shared_bytes=228 << 10, shared_bytes_of_block=227 << 10),
}


@dataclasses.dataclass
class Use:
    """What ptxas says of a kernel for one architecture."""
    registers: int = 0
    shared_bytes: int = 0
    stack_bytes: int = 0
    spill_bytes: int = 0


@dataclasses.dataclass
class Row:
    """A line of the table. The numbers of a tuple are of ARCHITECTURES."""
    threads: str = "256"
    dynamic_shared: str = "0"
    uses: tuple = ()

    def cells(self):
        """The cells behind the name of the kernel."""
        threads = largest(self.threads)
        shared = largest(self.dynamic_shared)
        blocks = [blocks_per_multiprocessor(
            LIMITS[a], use.registers, threads, use.shared_bytes + shared)
            for a, use in zip(ARCHITECTURES, self.uses)]
        shares = [f"{100 * b * threads // LIMITS[a].threads} %"
                  for a, b in zip(ARCHITECTURES, blocks)]
        return (self.threads, self.dynamic_shared,
                joined(u.registers for u in self.uses),
                joined(u.shared_bytes for u in self.uses),
                joined(u.stack_bytes for u in self.uses),
                joined(blocks), joined(shares))


def largest(text):
    """The largest number of a cell such as "32 to 1,024"."""
    return max(int(number) for number in
               re.findall(r"\d+", text.replace(",", "")))


def joined(numbers):
    """One text if all architectures have the same, else one for each."""
    texts = [str(number) for number in numbers]
    return texts[0] if len(set(texts)) == 1 else " / ".join(texts)


def rounded_up(number, unit):
    return -(-number // unit) * unit


def blocks_per_multiprocessor(limits, registers, threads, shared_bytes):
    """How many blocks of a kernel run on one multiprocessor at once.

    As cudaOccMaxActiveBlocksPerMultiprocessor of cuda_occupancy.h, with the
    largest share of the cache as shared memory.
    """
    warps = -(-threads // 32)
    if threads > limits.threads_of_block:
        return 0
    counts = [limits.blocks, limits.threads // 32 // warps]
    if registers > 0:
        of_warp = rounded_up(32 * registers, limits.register_unit)
        assumed = of_warp * rounded_up(warps, limits.partitions)
        if assumed > limits.registers or registers > limits.registers_of_thread:
            return 0
        of_partition = limits.registers // limits.partitions // of_warp
        counts.append(of_partition * limits.partitions // warps)
    if shared_bytes > limits.shared_bytes_of_block:
        return 0
    counts.append(limits.shared_bytes // rounded_up(
        shared_bytes + limits.reserved_shared_bytes, limits.shared_unit))
    return min(counts)


def read_log(text):
    """The uses of one output of ptxas -v, by (mangled name, architecture).

    The functions that a kernel calls follow it; what they spill counts as its own.
    """
    uses, current = {}, None
    for line in text.splitlines():
        if found := re.search(
                r"Compiling entry function '(\w+)' for '(sm_\d+)\w?'", line):
            current = uses[found.groups()] = Use()
        elif current is None:
            continue
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill "
                                r"stores, (\d+) bytes spill loads", line):
            stack, stores, loads = (int(number) for number in found.groups())
            current.stack_bytes += stack
            current.spill_bytes += stores + loads
        elif found := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            current.registers = int(found[1])
            current.shared_bytes = int(shared[1]) if shared else 0
    return uses


def demangle(names):
    """Mangled names to readable ones."""
    done = subprocess.run(["c++filt"], input="\n".join(names), text=True,
                          check=True, capture_output=True)
    return dict(zip(names, done.stdout.splitlines()))


def short_name(signature):
    """The kernel and its template arguments, without namespaces and parameters."""
    text = re.sub(r"\(anonymous namespace\)::|_GLOBAL__N__\w+::", "", signature)
    text = re.sub(r"^void ", "", text)
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "(" and depth == 0 and at > 0:
            text = text[:at]
            break
    text = re.sub(r"\b(?:\w+::)+(?=\w)", "", text)
    return re.sub(r"\((?:int|unsigned int|bool)\)|(?<=\d)[uUlL]+\b", "", text)


def read_build(folder):
    """The uses of all kernels of a build: name, to architecture, to use."""
    logs = sorted(folder.glob("parts/cuda/**/*.cu.o.ptxas"))
    if not logs:
        sys.exit(f"kernel_resources.py: {folder} has no output of ptxas; "
                 "build mlp_cuda by the preset cuda")
    found = {}
    for log in logs:
        source = log.relative_to(folder).as_posix().split(".dir/")[1]
        for (name, architecture), use in read_log(
                log.read_text(encoding="utf-8")).items():
            found[source.removesuffix(".o.ptxas"), name, architecture] = use
    readable = demangle(sorted({name for _, name, _ in found}))
    kernels = {}
    for (source, name, architecture), use in sorted(found.items()):
        kernel = f"`{source.removesuffix('.cu')}`: `{short_name(readable[name])}`"
        kernels.setdefault(kernel, {})[architecture] = use
    return kernels


def read_nvcc(folder):
    """The version of nvcc that a build found, as major.minor."""
    for path in folder.glob("CMakeFiles/*/CMakeCUDACompiler.cmake"):
        found = re.search(r'CMAKE_CUDA_COMPILER_VERSION "(\d+\.\d+)',
                          path.read_text(encoding="utf-8"))
        if found:
            return found[1]
    sys.exit(f"kernel_resources.py: {folder} does not say which nvcc it uses")


def make_rows(kernels, stated):
    """The rows of the table; threads and dynamic shared memory are as stated."""
    rows = {}
    for name, uses in sorted(kernels.items()):
        row = Row(*stated.get(name, ()))
        row.uses = tuple(uses.get(a, Use()) for a in ARCHITECTURES)
        rows[name] = row
    return rows


def faults(name, row):
    """What no table may excuse."""
    threads, shared = largest(row.threads), largest(row.dynamic_shared)
    for architecture, use in zip(ARCHITECTURES, row.uses):
        if use.registers == 0:
            yield f"{name}: not compiled for {architecture}"
            continue
        if use.spill_bytes:
            yield (f"{name}: {use.spill_bytes} bytes of registers are spilled "
                   f"on {architecture}; expected 0")
        if blocks_per_multiprocessor(LIMITS[architecture], use.registers, threads,
                                     use.shared_bytes + shared) == 0:
            yield (f"{name}: a block of {threads} threads and {shared} bytes "
                   f"does not fit on {architecture}")


def lines_of(rows, nvcc):
    lines = ["| " + " | ".join(HEADINGS).format(nvcc=nvcc) + " |",
             "|---" * len(HEADINGS) + "|"]
    return lines + ["| " + " | ".join((name, *row.cells())) + " |"
                    for name, row in rows.items()]


def cut(text, page):
    """The page before, between and after the markers."""
    before, begin, rest = text.partition(BEGIN + "\n")
    between, end, after = rest.partition(END + "\n")
    if not begin or not end:
        sys.exit(f"{page}: expected the lines '{BEGIN}' and '{END}'")
    return before + begin, between.splitlines(), end + after


def read_table(lines):
    """The cells of the table by the kernel's name."""
    table = {}
    for line in lines[2:]:
        name, *cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        table[name] = tuple(cells)
    return table


def differences(table, rows):
    """A sentence for each kernel that the table does not describe."""
    for name in sorted(table.keys() | rows.keys()):
        if name not in rows:
            yield f"{name}: is in the table, but was not compiled"
        elif name not in table:
            yield f"{name}: was compiled, but is not in the table"
        else:
            for heading, stated, real in zip(HEADINGS[1:], table[name],
                                             rows[name].cells()):
                if stated != real:
                    yield f"{name}: {heading}: expected {stated}, got {real}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--fix", action="store_true", help="write the table")
    parser.add_argument("--page", type=pathlib.Path,
                        default=ROOT / "docs" / "cuda.md")
    arguments = parser.parse_args()
    before, lines, after = cut(arguments.page.read_text(encoding="utf-8"),
                               arguments.page)
    table = read_table(lines)
    rows = make_rows(read_build(arguments.build),
                     {name: cells[:2] for name, cells in table.items()})
    found = [fault for name, row in rows.items() for fault in faults(name, row)]
    nvcc = read_nvcc(arguments.build)
    if arguments.fix:
        text = before + "\n".join(lines_of(rows, nvcc)) + "\n" + after
        arguments.page.write_text(text, encoding="utf-8")
    elif lines and f"by nvcc {nvcc} " not in lines[0]:
        print(f"test skipped: {arguments.page.name} has the numbers of another "
              f"nvcc than {nvcc}")
        if not found:
            return SKIPPED
    else:
        found += differences(table, rows)
    for sentence in found:
        print(sentence)
    if found and not arguments.fix:
        print(f"tools/kernel_resources.py --fix {arguments.build} writes the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
