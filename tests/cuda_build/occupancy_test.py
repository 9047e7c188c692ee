#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the occupancy of tools/kernel_resources.py with cuda_occupancy.h.

Usage: occupancy_test.py COMPILER INCLUDE_FOLDER...
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import kernel_resources  # noqa: E402

SKIPPED = 77
PROGRAM = r"""
#include <cuda_occupancy.h>

#include <iostream>

int main() {
  int major, minor, registers, threads;
  std::size_t of_multiprocessor, of_block, shared;
  while (std::cin >> major >> minor >> of_multiprocessor >> of_block >>
         registers >> threads >> shared) {
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = 2048;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.numSms = 1;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerBlockOptin = of_block;
    device.sharedMemPerMultiprocessor = of_multiprocessor;
    device.reservedSharedMemPerBlock = 1024;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = 0;
    kernel.numBlockBarriers = 1;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = of_block;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result = {};
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &kernel, &state, threads, shared);
    std::cout << (error ? -1 : result.activeBlocksPerMultiprocessor) << '\n';
  }
}
"""


def cases():
    """Architecture, registers, threads and bytes of shared memory."""
    return list(itertools.product(
        kernel_resources.ARCHITECTURES, (16, 24, 32, 40, 56, 64, 72, 128, 255),
        (32, 64, 96, 128, 256, 512, 1024),
        (0, 1000, 4096, 30000, 49152, 100000, 166912, 232448)))


def expected(compiler, includes, asked):
    """The blocks per multiprocessor that the header computes."""
    lines = []
    for architecture, registers, threads, shared in asked:
        limits = kernel_resources.LIMITS[architecture]
        lines.append(" ".join(map(str, (
            int(architecture[3:]) // 10, int(architecture[3:]) % 10,
            limits.shared_bytes, limits.shared_bytes_of_block, registers,
            threads, shared))))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "occupancy.cpp"
        source.write_text(PROGRAM, encoding="utf-8")
        program = source.with_suffix("")
        subprocess.run([compiler, "-std=c++20", "-w",
                        *(f"-I{include}" for include in includes), source, "-o",
                        program], check=True)
        done = subprocess.run([program], input="\n".join(lines), text=True,
                              check=True, capture_output=True)
    return [int(word) for word in done.stdout.split()]


def main():
    compiler, *includes = sys.argv[1:]
    includes = [include for word in includes for include in word.split(";")]
    if not any((pathlib.Path(i) / "cuda_occupancy.h").exists()
               for i in includes):
        print("test skipped: the toolkit has no cuda_occupancy.h")
        return SKIPPED
    asked = cases()
    num_wrong = 0
    for case, wanted in zip(asked, expected(compiler, includes, asked),
                            strict=True):
        architecture, registers, threads, shared = case
        got = kernel_resources.blocks_per_multiprocessor(
            kernel_resources.LIMITS[architecture], registers, threads, shared)
        if got != wanted:
            num_wrong += 1
            print(f"{architecture}, {registers} registers, {threads} threads, "
                  f"{shared} bytes: expected {wanted} blocks, got {got}")
    print(f"{len(asked)} cases, {num_wrong} wrong")
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
