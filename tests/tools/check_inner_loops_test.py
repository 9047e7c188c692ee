#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks check_inner_loops.py on functions that were made up by hand."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_inner_loops  # noqa: E402

# mlp::cpu::multiply_columns<int>(int)
PRODUCT = "_ZN3mlp3cpu16multiply_columnsIiEEvT_"
OTHER = "_ZN3mlp3cpu11apply_sigmaIiEEvT_"

IN_REGISTERS = """
0:  vmovaps (%rdi), %ymm1
    vfmadd231ps (%rsi), %ymm1, %ymm0
    add $32, %rdi
    cmp %rdx, %rdi
    jne 0b
    vmovaps %ymm0, (%rcx)
    ret
"""
SUM_IN_MEMORY = """
0:  vmovaps (%rax), %ymm0
    vfmadd231ps (%rsi), %ymm1, %ymm0
    vmovaps %ymm0, (%rax)
    add $32, %rax
    cmp %rdx, %rax
    jne 0b
    ret
"""
ON_STACK = """
0:  vmovaps 32(%rsp), %ymm1
    vfmadd231ps (%rsi), %ymm1, %ymm0
    add $32, %rsi
    cmp %rdx, %rsi
    jne 0b
    ret
"""
# The sums of each column are stored by the outer loop, whose inner loop lies after it.
STORED_BETWEEN = """
    jmp 2f
1:  vmovaps %ymm0, (%rcx)
    add $32, %rcx
    cmp %r8, %rcx
    je 3f
2:  mov %rdx, %r9
    jmp 4f
3:  ret
4:  vfmadd231ps (%rsi), %ymm1, %ymm0
    add $32, %rsi
    dec %r9
    jne 4b
    jmp 1b
"""


@unittest.skipUnless(shutil.which("as") and shutil.which("objdump"),
                     "needs the tools of binutils")
@unittest.skipUnless(sys.platform == "linux" and "x86" in subprocess.run(
    ["uname", "-m"], capture_output=True, text=True).stdout, "the functions are for x86-64")
class CheckInnerLoops(unittest.TestCase):
    def check(self, name, body):
        """Returns the exit status for one function, and the output."""
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "function.o"
            subprocess.run(["as", "-o", library, "-"], check=True, text=True,
                           input=f".globl {name}\n.type {name}, @function\n{name}:{body}")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                status = check_inner_loops.main([str(library)])
            return status, output.getvalue()

    def test_accepts_sums_in_registers(self):
        status, output = self.check(PRODUCT, IN_REGISTERS)
        self.assertEqual(status, 0)
        self.assertIn("1 inner loops of multiply-adds, 0 functions", output)

    def test_reports_sums_that_are_stored_for_each_term(self):
        status, output = self.check(PRODUCT, SUM_IN_MEMORY)
        self.assertEqual(status, 1)
        self.assertIn("multiply_columns<int>", output)
        self.assertIn("vmovaps %ymm0,(%rax)", output)

    def test_reports_operands_on_the_stack(self):
        status, output = self.check(PRODUCT, ON_STACK)
        self.assertEqual(status, 1)
        self.assertIn("0x20(%rsp),%ymm1", output)

    def test_accepts_sums_that_an_outer_loop_stores(self):
        status, output = self.check(PRODUCT, STORED_BETWEEN)
        self.assertEqual(status, 0, output)
        self.assertIn("1 inner loops", output)

    def test_fails_without_a_product(self):
        status, output = self.check(OTHER, IN_REGISTERS)
        self.assertEqual(status, 1)
        self.assertIn("0 inner loops", output)


if __name__ == "__main__":
    unittest.main()
