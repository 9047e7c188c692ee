#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks kernel_resources.py on outputs of ptxas that were made up by hand."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import kernel_resources  # noqa: E402

KERNEL = "_ZN3mlp4cuda12_GLOBAL__N__1a10add_kernelIdEEvlPT_"
NAME = "`kernels/add`: `add_kernel<double>`"
FUNCTION = ("ptxas info    : Function properties for {name}\n"
            "    {stack} bytes stack frame, {spills} bytes spill stores, "
            "0 bytes spill loads\n")


def log(registers=24, shared=0, stack=0, spills=0, callee_spills=0):
    """What ptxas says of KERNEL, for all architectures."""
    text = ""
    for architecture in kernel_resources.ARCHITECTURES:
        smem = f", {shared} bytes smem" if shared else ""
        text += (
            "ptxas info    : 0 bytes gmem\n"
            f"ptxas info    : Compiling entry function '{KERNEL}' for "
            f"'{architecture}'\n"
            + FUNCTION.format(name=KERNEL, stack=stack, spills=spills)
            + f"ptxas info    : Used {registers} registers, used 0 barriers{smem}\n"
            + FUNCTION.format(name="slow_path", stack=0, spills=callee_spills))
    return text


class KernelResources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.page = self.root / "cuda.md"
        self.page.write_text(f"a\n{kernel_resources.BEGIN}\n"
                             f"{kernel_resources.END}\nb\n", encoding="utf-8")

    def build(self, nvcc="13.0.88", **numbers):
        compiler = self.root / "CMakeFiles/3.25.1/CMakeCUDACompiler.cmake"
        compiler.parent.mkdir(parents=True, exist_ok=True)
        compiler.write_text(f'set(CMAKE_CUDA_COMPILER_VERSION "{nvcc}")\n',
                            encoding="utf-8")
        path = self.root / "parts/cuda/x.dir/kernels/add.cu.o.ptxas"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(log(**numbers), encoding="utf-8")

    def run_tool(self, *words):
        """The exit code and the lines that the tool prints."""
        output = io.StringIO()
        with mock.patch.object(sys, "argv", [
                "tool", "--page", str(self.page), str(self.root), *words]), \
                contextlib.redirect_stdout(output):
            code = kernel_resources.main()
        return code, output.getvalue().splitlines()

    def fix(self, **numbers):
        self.build(**numbers)
        self.assertEqual(self.run_tool("--fix"), (0, []))

    def state(self, threads, dynamic_shared):
        """Writes the columns that are stated by hand."""
        text = self.page.read_text(encoding="utf-8")
        self.page.write_text(text.replace(
            f"{NAME} | 256 | 0 |", f"{NAME} | {threads} | {dynamic_shared} |"),
            encoding="utf-8")

    def test_writes_a_table_that_it_then_accepts(self):
        self.fix()

        self.assertIn(f"| {NAME} | 256 | 0 | 24 | 0 | 0 | 8 | 100 % |",
                      self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.run_tool(), (0, []))

    def test_names_each_number_that_changed(self):
        self.fix()
        for numbers, sentence in (
                ({"registers": 40}, "registers: expected 24, got 40"),
                ({"shared": 96}, "static shared bytes: expected 0, got 96"),
                ({"stack": 8}, "stack bytes: expected 0, got 8")):
            self.build(**numbers)

            code, lines = self.run_tool()

            self.assertEqual(code, 1)
            self.assertIn(f"{NAME}: {sentence}", lines)

    def test_refuses_spilled_registers_even_if_the_table_is_written(self):
        for numbers in ({"spills": 4}, {"callee_spills": 4}):
            self.build(**numbers)

            code, lines = self.run_tool("--fix")

            self.assertEqual(code, 1)
            self.assertIn(f"{NAME}: 4 bytes of registers are spilled on sm_80; "
                          "expected 0", lines)

    def test_computes_the_occupancy_from_the_stated_block(self):
        self.fix()
        self.state("32 to 1,024", "65,536")

        self.assertEqual(self.run_tool("--fix"), (0, []))

        # 65,536 and 1,024 reserved bytes: 2 blocks in 164 KB, 3 in 228 KB; 2
        # have 2,048 threads.
        self.assertIn("| 32 to 1,024 | 65,536 | 24 | 0 | 0 | 2 | 100 % |",
                      self.page.read_text(encoding="utf-8"))

    def test_refuses_a_block_that_does_not_fit(self):
        self.fix()
        self.state("256", "180,000")

        code, lines = self.run_tool("--fix")

        self.assertEqual(code, 1)
        self.assertEqual(lines, [f"{NAME}: a block of 256 threads and 180000 "
                                 "bytes does not fit on sm_80"])

    def test_names_kernels_that_came_and_went(self):
        self.fix()
        text = self.page.read_text(encoding="utf-8")
        self.page.write_text(text.replace("add_kernel", "old_kernel"),
                             encoding="utf-8")

        code, lines = self.run_tool()

        self.assertEqual(code, 1)
        self.assertIn(f"{NAME}: was compiled, but is not in the table", lines)
        self.assertIn(f"{NAME.replace('add_k', 'old_k')}: is in the table, but "
                      "was not compiled", lines)

    def test_compares_no_numbers_of_another_compiler(self):
        self.fix()
        self.build(nvcc="12.8.93", registers=40)
        self.assertEqual(self.run_tool(), (kernel_resources.SKIPPED, [
            "test skipped: cuda.md has the numbers of another nvcc than 12.8"]))
        self.build(nvcc="12.8.93", spills=4)
        self.assertEqual(self.run_tool()[0], 1)

    def test_refuses_a_folder_without_output_of_ptxas(self):
        with self.assertRaisesRegex(SystemExit, "has no output of ptxas"):
            self.run_tool()

    def test_cuts_names_at_their_parameters(self):
        for signature, name in (
                ("void mlp::cuda::_GLOBAL__N__a_1_b::f<float, mlp::cuda::X>("
                 "long, float*)", "f<float, X>"),
                ("void mlp::cuda::f<(int)4, double>(double)", "f<4, double>"),
                ("mlp::cuda::(anonymous namespace)::g(long)", "g")):
            self.assertEqual(kernel_resources.short_name(signature), name)


if __name__ == "__main__":
    unittest.main()
