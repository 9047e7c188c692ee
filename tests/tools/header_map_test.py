#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Changes one header at a time and reads what header_map.py says."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import header_map  # noqa: E402

LINE = "| [lbfgs.hpp](../optim/lbfgs.hpp) | "


class Sentences(unittest.TestCase):
    def of(self, text, name="step_rule.hpp"):
        return header_map.summary(pathlib.PurePath("optim", name), text)

    def test_takes_the_comment_of_the_file_first(self):
        self.assertEqual(self.of(
            "#pragma once\n\n// What steps do. More of it.\n\n"
            "/// A rule.\nclass StepRule {};\n"), "What steps do")

    def test_takes_the_class_that_has_the_name_of_the_file(self):
        self.assertEqual(self.of(
            "#pragma once\n\n/// A part.\nstruct Part {};\n\n"
            "/// Moves the weights by 0.5 at\n/// most.\n///\n/// More.\n"
            "template <typename T>\nclass StepRule final : Rule {};\n"),
            "Moves the weights by 0.5 at most")

    def test_takes_the_function_that_has_the_name_of_the_file(self):
        self.assertEqual(self.of(
            "/// A part.\nstruct Part {};\n"
            "/// Chooses a rule.\n/// \\param x  y\n"
            "[[nodiscard]] inline Rule<T> step_rule(int x);\n"),
            "Chooses a rule")

    def test_takes_the_first_comment_otherwise(self):
        self.assertEqual(self.of(
            "/// From -limit .. limit.\nvoid clip();\n/// B.\nvoid b();\n"),
            "From -limit .. limit")

    def test_takes_the_comment_in_front_of_the_namespace(self):
        self.assertEqual(self.of(
            "#include <cmath>\n\n/// Rules of steps.\nnamespace mlp {\n\n"
            "/// Chooses a rule.\nint step_rule();\n"), "Rules of steps")

    def test_leaves_out_what_every_inl_header_says(self):
        text = ("// SPDX-License-Identifier: Apache-2.0\n\n{}"
                "// Included once per instruction set, so the guard toggles.\n"
                "/// Adds.\nvoid add();\n")
        own = "// Sums of vectors.\n//\n"

        self.assertEqual(self.of(text.format(""), "sum-inl.hpp"), "Adds")
        self.assertEqual(self.of(text.format(own), "sum-inl.hpp"),
                         "Sums of vectors")

    def test_escapes_bars_for_the_table(self):
        self.assertEqual(self.of("/// Where |x| < 1.\nint x();\n"),
                         r"Where \|x\| < 1")


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        self.write("lbfgs.hpp", "/// Minimises.\nclass Lbfgs {};\n")
        self.page = "\n".join(header_map.page_lines(self.root)[0]) + "\n"

    def write(self, name, text):
        (self.root / "optim").mkdir(exist_ok=True)
        (self.root / "optim" / name).write_text(text, encoding="utf-8")

    def complaints(self):
        return list(header_map.stale(
            self.page, *header_map.page_lines(self.root)))

    def test_accepts_what_it_wrote(self):
        self.assertIn(LINE + "Minimises |", self.page)
        self.assertEqual(self.complaints(), [])

    def test_names_the_header_whose_sentence_changed(self):
        self.write("lbfgs.hpp", "/// Maximises.\nclass Lbfgs {};\n")

        self.assertEqual(self.complaints(), [
            "optim/lbfgs.hpp: its line in docs/headers.md is stale; expected "
            f"'{LINE}Maximises |', got '{LINE}Minimises |'"])

    def test_names_a_header_that_is_new_or_says_nothing(self):
        self.write("adam.hpp", "/// Steps.\nclass Adam {};\n")
        self.write("sgd.hpp", "class Sgd {};\n")

        self.assertEqual(self.complaints(), [
            "optim/adam.hpp: has no line in docs/headers.md",
            "optim/sgd.hpp: has no comment that says what it is"])

    def test_names_a_header_that_is_gone(self):
        (self.root / "optim" / "lbfgs.hpp").unlink()

        self.assertEqual(self.complaints(), [
            "docs/headers.md: names optim/lbfgs.hpp, which is not there"])

    def test_names_a_page_whose_headings_changed(self):
        self.page = self.page.replace("## optim/", "## Optimisers")

        self.assertEqual(self.complaints(), [
            "docs/headers.md: its headings, order or first lines are stale"])


if __name__ == "__main__":
    unittest.main()
