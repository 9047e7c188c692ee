#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Seeds one mistake of a page at a time and reads what run_blocks.py says."""

import pathlib
import sys
import tempfile
import unittest

from blocks import first_difference, read_blocks
from command_check import CommandCheck
from run_blocks import Page, Scratch

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Stands for the program: its help, its errors, and two commands that print.
PROGRAM = """#!/bin/sh
case "$*" in
"help") printf 'Commands:\\n  train DATA  Trains.\\n\\n  --json  x\\n' ;;
"help train") echo "  --max-iter <integer>  --layers <sizes>" ;;
"doctor --json") echo '{"kernels": ["KERNELS"]}' ;;
"train data/iris.csv --layers 4,3")
  echo "mlp: note" >&2
  echo "objective       0.25"
  echo "seconds         0.0017" ;;
*"--max-iter x"*) echo "mlp: error: --max-iter must be an integer" >&2; exit 2 ;;
*) echo "mlp: error: no such file" >&2; exit 3 ;;
esac
"""


class Pages(unittest.TestCase):
    kernels = "AVX2"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        program = self.folder / "mlp"
        program.write_text(PROGRAM.replace("KERNELS", self.kernels),
                           encoding="utf-8")
        program.chmod(0o755)

    def findings(self, text):
        path = self.folder / "page.md"
        path.write_text(text, encoding="utf-8")
        scratch = self.folder / "scratch"
        scratch.mkdir()
        page = Page(path, Scratch(scratch, self.folder),
                    CommandCheck(ROOT, self.folder / "mlp"), "false")
        page.run()
        return page.findings


class Sessions(Pages):
    def session(self, *output):
        return self.findings("# Page\n\n```\n$ mlp train data/iris.csv \\\n"
                             "    --layers 4,3\n" + "\n".join(output) + "\n```\n")

    def test_accepts_what_is_printed_at_another_speed(self):
        self.assertEqual(self.session(
            "mlp: note", "objective       0.25", "seconds         2e-05"), [])

    def test_names_the_first_line_that_differs(self):
        self.assertEqual(self.session(
            "mlp: note", "objective       0.26", "seconds         1"), [
            "page.md:7: the page shows 'objective       0.26', the program "
            "prints 'objective       0.25'"])

    def test_names_a_line_that_is_missing(self):
        self.assertEqual(self.session("mlp: note", "objective       0.25"), [
            "page.md:8: the page shows nothing more, the program prints "
            "'seconds         0.0017'"])


class SessionsOfOtherKernels(Pages):
    kernels = "SSE4"

    def test_masks_what_rounding_changes(self):
        self.assertEqual(self.findings(
            "```\n$ mlp train data/iris.csv --layers 4,3\nmlp: note\n"
            "objective       0.26\nseconds         1\n```\n"), [])


class OtherBlocks(Pages):
    def test_refuses_a_block_of_no_kind(self):
        self.assertIn("page.md:2: the block is of no kind that is tested",
                      self.findings("```\nmlp train\n```\n")[0])

    def test_refuses_text_with_commands(self):
        self.assertEqual(len(self.findings(
            "<!-- block: text -->\n```\n$ mlp train\n```\n")), 1)

    def test_names_a_flag_that_the_program_lacks(self):
        self.assertEqual(self.findings(
            "<!-- block: parsed only, long -->\n```\nmlp train DATA --maxIter 3"
            " --json\nmlp train DATA --engine cpu\n```\n"),
            ["page.md:4: mlp train has no flag '--engine'"])

    def test_names_a_value_that_the_program_refuses(self):
        self.assertEqual(self.findings(
            "<!-- block: parsed only, long -->\n```\n"
            "mpirun -n 2 mlp train x.csv --max-iter x\n```\n"),
            ["page.md:3: mlp: error: --max-iter must be an integer"])

    def test_names_commands_presets_and_scripts_that_are_not_there(self):
        self.assertEqual(self.findings(
            "<!-- block: parsed only, long -->\n```\nmlp fly x\n"
            "cmake --workflow --preset swift\nscripts/gone\n"
            "bench/goals.py --slow   # a comment\n```\n"), [
            "page.md:3: mlp has no command 'fly'",
            "page.md:4: CMakePresets.json has no preset 'swift'",
            "page.md:5: 'scripts/gone' is no program or script that is known",
            "page.md:6: bench/goals.py has no flag '--slow'"])

    def test_names_flags_that_a_command_of_the_package_lacks(self):
        self.assertEqual(self.findings(
            "<!-- block: parsed only, long -->\n```\n"
            "python -m mlp convert m.json -o m --to spark\n"
            "python -m mlp convert m.json --fast\npython -m mlp fly\n```\n"), [
            "page.md:4: python -m mlp convert has no flag '--fast'",
            "page.md:5: python -m mlp has no command 'fly'"])

    def test_checks_flags_in_the_text(self):
        self.assertEqual(self.findings(
            "Say `--max-iter 3` or `--engine`, `mlp train DATA --fast`.\n"), [
            "page.md:1: no program of this project has the flag '--engine'",
            "page.md:1: mlp train has no flag '--fast'"])

    def test_runs_commands_whose_output_is_left_out(self):
        self.assertEqual(self.findings(
            "<!-- block: output left out -->\n```\n$ mlp train gone.csv\n```\n"),
            ["page.md:3: the command ends with code 3: mlp: error: no such file"])

    def test_compares_the_end_of_a_script(self):
        self.assertEqual(self.findings(
            "<!-- block: the end of echo 1; echo 2 -->\n```\n3\n```\n"),
            ["page.md:3: the page shows '3', the program prints '2'"])

    def test_gives_a_file_to_later_commands(self):
        self.assertEqual(self.findings(
            "<!-- block: the file list.json -->\n```json\n[1]\n```\n\n"
            "```\n$ cat list.json\n[1]\n```\n"), [])

    def test_names_json_and_models_that_are_not_right(self):
        self.assertEqual(self.findings(
            '```json\n{"a": }\n```\n\n```json\n{"format": "mlp-model"}\n```\n'), [
            "page.md:2: the JSON text does not parse: Expecting value: line 1 "
            "column 7 (char 6)",
            "page.md:6: the program refuses the model: mlp: error: no such file"])

    def test_compares_a_program_with_its_file(self):
        self.assertIn("page.md:3: the page shows 'int main() {}'", self.findings(
            "<!-- block: tests/consumers/train_xor.cpp -->\n```cpp\n"
            "int main() {}\n```\n")[0])

    def test_compiles_a_source(self):
        self.assertEqual(self.findings(
            "<!-- block: compiled -->\n```cpp\nint i = x;\n```\n"),
            ["page.md:3: the C++ text does not compile: no output"])


class Blocks(unittest.TestCase):
    def test_forgets_a_marker_that_is_not_on_the_line_before(self):
        text = "<!-- block: text -->\nwords\n```\na\n```\n"

        self.assertEqual(read_blocks(text)[0].marker, "")

    def test_masks_rates_and_remaining_time(self):
        self.assertIsNone(first_difference(
            ["at most 2 s left, 2.75e+06 instances/s"],
            ["at most 0.1 s left, 3e+06 instances/s"], True))

    def test_does_not_mask_results(self):
        self.assertIsNotNone(first_difference(
            ["iterations 3"], ["iterations 4"], False))


if __name__ == "__main__":
    unittest.main()
