#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a program with CUDA needs no library of CUDA to start.

Usage: opened_libraries_test.py PROGRAM IRIS_CSV
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, IRIS = (pathlib.Path(word) for word in sys.argv[1:3])
CUDA = re.compile(r"lib(cuda|cudart|cublas|cublasLt|nccl|nvidia-\w+)\.so")


def opened_libraries(*words):
    """The shared objects that a run of the program looks for."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        done = subprocess.run(
            [PROGRAM, *words], text=True, capture_output=True,
            env={**os.environ, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log)})
        texts = [path.read_text(encoding="utf-8", errors="replace")
                 for path in pathlib.Path(folder).glob("log.*")]
    found = re.findall(r"file=(\S+) \[\d+\];", "".join(texts))
    return done, set(found)


class OpenedLibraries(unittest.TestCase):
    def test_links_no_library_of_cuda(self):
        done = subprocess.run(["readelf", "-d", PROGRAM], text=True, check=True,
                              capture_output=True)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)

        self.assertIn("libc.so.6", needed)
        self.assertEqual([name for name in needed if CUDA.search(name)], [])

    def test_prints_help_without_opening_one(self):
        done, files = opened_libraries("--help")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("train", done.stdout)
        self.assertIn("libc.so.6", files)
        self.assertEqual([name for name in files if CUDA.search(name)], [])

    def test_trains_iris_without_opening_one(self):
        done, files = opened_libraries("train", str(IRIS), "--layers", "4,5,4,3",
                                       "--seed", "1234")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0.0236586", done.stdout)
        self.assertEqual([name for name in files if CUDA.search(name)], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
