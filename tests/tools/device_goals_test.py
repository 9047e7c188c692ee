#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the goals on a device with a program that invents its measurements."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cuda"))
sys.path.insert(0, str(ROOT / "bench"))

import device_goals  # noqa: E402
from measure import report  # noqa: E402

PROGRAM = """#!{python}
import json, sys
words = sys.argv[1:]
if words[0] == "describe":
    if {has_device}:
        print(json.dumps({{"device": "NVIDIA H200", "driver": "13.0",
                          "runtime": "13.0"}}))
        sys.exit(0)
    print("mlp_cuda_bench: no device", file=sys.stderr)
    sys.exit(77)
if words[0] == "write_problem":
    sys.exit(0)
products = {{"f64": 0.050, "tf32": 0.010, "bf16": 0.005}}[words[3]]
evaluation = products * {factor}
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    repeats = int(line.split()[1])
    print(json.dumps({{
        "wall": repeats * evaluation, "cpu": 0.0, "products": repeats * products,
        "iteration": repeats * evaluation * 1.25, "copy_bytes_per_second": 4e12,
        "loss": 0.7, "gradient_norm": 0.1}}), flush=True)
"""
# PyTorch takes 200 ms for an evaluation, and 4 s for 20 iterations.
PYTHON_WITH_TORCH = """#!{python}
import json, sys
if sys.argv[1] == "-c":
    sys.exit(0)
is_lbfgs = sys.argv[5] == "lbfgs"
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    repeats = int(line.split()[1])
    sample = ({{"wall": 4.0 * repeats, "iterations": 20}} if is_lbfgs else
              {{"wall": 0.2 * repeats, "loss": {loss}, "gradient_norm": 0.1}})
    print(json.dumps({{"cpu": 0.0, **sample}}), flush=True)
"""
PYTHON_WITHOUT_TORCH = "#!/bin/sh\nexit 1\n"


class DeviceGoals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write_program(self, name, text):
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def run_goals(self, *words, has_device=True, factor=1.05,
                  python=PYTHON_WITHOUT_TORCH):
        self.write_program("mlp_cuda_bench", PROGRAM.format(
            python=sys.executable, has_device=has_device, factor=factor))
        python = self.write_program("python", python)
        return subprocess.run(
            [sys.executable, ROOT / "bench/cuda/device_goals.py", "--build",
             self.root, "--python", python, "--results", self.root / "results",
             "--samples", "3", *words], text=True, capture_output=True)

    def rows(self):
        path = self.root / "results" / "nvidia-h200.json"
        return json.loads(path.read_text(encoding="utf-8"))["rows"]

    def test_orders_every_goal_that_can_be_run(self):
        self.assertEqual(list(device_goals.GOALS), report.DEVICE_GOAL_ORDER)

    def test_says_without_a_device_that_there_is_none(self):
        done = self.run_goals(has_device=False)

        self.assertEqual(done.returncode, 77)
        self.assertIn("no device", done.stdout)

    def test_judges_every_goal(self):
        done = self.run_goals("--save")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        verdicts = {(row["goal"], row["what"].split()[0], row["verdict"])
                    for row in self.rows() if row["verdict"] != "skipped"}
        # 1 / 1.05 is 0.952.
        self.assertEqual(verdicts, {
            (goal, precision, "met") for goal, precisions in (
                ("A6", ("f64", "tf32", "bf16")), ("A7", ("f64", "tf32")),
                ("B5", ("f64", "tf32")))
            for precision in precisions})

    def test_misses_a_goal_by_the_ratio(self):
        self.run_goals("A6", "A7", "--save", factor=1.22)

        verdicts = {row["what"].split()[0] + row["goal"]: row["verdict"]
                    for row in self.rows() if row["verdict"] != "skipped"}
        self.assertEqual(verdicts, {
            "f64A6": "not met", "tf32A6": "met", "bf16A6": "met",
            "f64A7": "not met", "tf32A7": "met"})

    def test_skips_what_needs_pytorch_and_says_so(self):
        done = self.run_goals("B5")

        self.assertIn("PyTorch with CUDA is not installed", done.stdout)

    def test_divides_the_time_of_pytorch_by_ours(self):
        python = PYTHON_WITH_TORCH.format(python=sys.executable, loss=0.7)

        self.run_goals("A7", "B5", "--save", python=python)

        # 200 ms over 10.5 ms and over an iteration of 13.1 ms.
        self.assertEqual(
            [round(row["values"][0], 2) for row in self.rows()
             if "orch" in row["what"]], [19.05, 19.05, 15.24])
        self.assertEqual({row["verdict"] for row in self.rows()}, {"met"})

    def test_refuses_sides_that_did_not_do_the_same_work(self):
        python = PYTHON_WITH_TORCH.format(python=sys.executable, loss=0.8)

        done = self.run_goals("A7", python=python)

        self.assertEqual(done.returncode, 1)
        self.assertIn("void: loss differs: 0.7 and 0.8", done.stdout)

    def test_judges_no_time_of_a_short_run(self):
        done = self.run_goals("--short", "--save")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({row["verdict"] for row in self.rows()},
                         {"ran", "skipped"})

    def test_refuses_a_goal_that_does_not_exist(self):
        done = self.run_goals("A1")

        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no goal A1; expected A6 A7 B5", done.stderr)


if __name__ == "__main__":
    unittest.main()
