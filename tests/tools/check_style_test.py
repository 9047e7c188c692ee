#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Seeds one finding at a time and reads what check_style.py says."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_style  # noqa: E402
from cpp_functions import find_functions  # noqa: E402

SPDX = "".join(f"// {line}\n" for line in check_style.SPDX)
SCRIPT_SPDX = SPDX.replace("//", "#")


class CheckStyle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("optim/lbfgs.hpp", SPDX)
        self.write("optim/CMakeLists.txt",
                   SCRIPT_SPDX + "mlp_add_headers(optim\n  lbfgs.hpp)\n")
        self.write("tests/optim/lbfgs_test.cpp",
                   SPDX + 'TEST_SUITE("optim/lbfgs") {}\n')
        self.write("tests/CMakeLists.txt",
                   SCRIPT_SPDX + "mlp_add_tests(optim\n  lbfgs)\n")
        self.write("README.md", "| `optim/` | minimises |\n")

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def findings(self):
        tree = check_style.Tree(self.root)
        for check in check_style.CHECKS:
            check(tree)
        return [f for f in tree.findings if "NO_TEST names" not in f]

    def test_accepts_a_clean_tree(self):
        self.assertEqual(self.findings(), [])

    def test_asks_for_the_licence(self):
        self.write("scripts/go", "#!/bin/sh\n" + check_style.SPDX[0] + "\n")

        self.assertEqual(self.findings(), [
            f"scripts/go:3: expected the line '{check_style.SPDX[1]}'"])

    def test_refuses_a_name_that_names_no_thing(self):
        self.write("cli/string_utils.cpp", SPDX)

        self.assertIn("'string_utils' names no thing", self.findings()[0])

    def test_refuses_a_long_file(self):
        self.write("optim/lbfgs.hpp", SPDX + "\n" * 449)

        self.assertEqual(self.findings(), [
            "optim/lbfgs.hpp:450: 451 lines; at most 450"])

    def test_refuses_a_long_function_and_says_where_it_starts(self):
        body = "  run();\n" * 60
        self.write("optim/lbfgs.hpp",
                   SPDX + "template <class T>\nvoid f(T) {\n" + body + "}\n")

        self.assertEqual(self.findings(), [
            "optim/lbfgs.hpp:4: a function of 62 lines; at most 60: name its "
            "steps"])

    def test_refuses_a_function_with_many_parameters(self):
        self.write("optim/lbfgs.hpp", SPDX + "void f(A a, B<C, D> b, int c = {}, "
                   "E (*d)(F, G), int e,\n       int f) {}\n"
                   "void g(int a, int b, int c, int d, int e, int f,\n"
                   "       int g) {}\n")

        self.assertEqual(self.findings(), [
            "optim/lbfgs.hpp:6: a function of 7 parameters; at most 6: group what "
            "travels together"])

    def test_refuses_a_long_test_case(self):
        body = "  CHECK(true);\n" * 26
        self.write("tests/optim/lbfgs_test.cpp",
                   SPDX + 'TEST_SUITE("optim/lbfgs") {\n\nTEST_CASE("is") {\n'
                   + body + "}\n}\n")

        self.assertIn("a function of 28 lines", self.findings()[0])

    def test_refuses_an_open_end(self):
        self.write("optim/lbfgs.hpp", SPDX + "// TO" + "DO later\n")

        self.assertIn("optim/lbfgs.hpp:3: an open end", self.findings()[0])

    def test_refuses_a_library_that_prints(self):
        self.write("optim/lbfgs.hpp", SPDX + 'f(); std::cout << "hi";\n')

        self.assertIn("optim/lbfgs.hpp:3: std::cout is for cli/",
                      self.findings()[0])

    def test_asks_for_test_and_listing_of_a_new_header(self):
        self.write("optim/summary.hpp", SPDX)

        self.assertEqual(self.findings(), [
            "optim/summary.hpp:1: has no test; expected "
            "tests/optim/summary_test.cpp",
            "optim/CMakeLists.txt:1: does not list summary.hpp"])

    def test_asks_for_the_line_of_a_new_sub_folder(self):
        self.write("optim/search/wolfe.hpp", SPDX)
        self.write("optim/CMakeLists.txt", SCRIPT_SPDX
                   + "mlp_add_headers(optim\n  lbfgs.hpp\n"
                   "  search/wolfe.hpp)\n")
        self.write("tests/optim/search/wolfe_test.cpp",
                   SPDX + 'TEST_SUITE("optim/search/wolfe") {}\n')
        self.write("tests/CMakeLists.txt", SCRIPT_SPDX
                   + "mlp_add_tests(optim\n  search/wolfe\n  lbfgs)\n")

        self.assertEqual(self.findings(), [
            "README.md:1: the row on `optim/` does not name `search/`"])

    def test_refuses_a_folder_of_many_sources(self):
        for i in range(21):
            self.write(f"bench/task_{i}.cpp", SPDX)
            self.write(f"bench/task_{i}.hpp", SPDX)

        self.assertEqual(self.findings(), [
            "bench:1: 21 sources at one level; at most 20: make sub-folders"])

    def test_counts_python_sources_too(self):
        for i in range(11):
            self.write(f"bench/task_{i}.cpp", SPDX)
            self.write(f"bench/goal_{i}.py", SCRIPT_SPDX)

        self.assertEqual(self.findings(), [
            "bench:1: 22 sources at one level; at most 20: make sub-folders"])

    def test_asks_for_the_listing_of_a_new_test(self):
        self.write("tests/optim/parity_test.cpp", SPDX)

        self.assertEqual(self.findings(), [
            "tests/CMakeLists.txt:1: does not list parity of optim"])

    def test_refuses_dead_links_and_paths(self):
        self.write("docs/guide.md", "[map](../README.md) [gone](gone.md)\n"
                   "run `optim/gone.hpp`, see `optim/lbfgs.hpp`\n")

        self.assertEqual(self.findings(), [
            "docs/guide.md:1: names docs/gone.md, which is not there",
            "docs/guide.md:2: names optim/gone.hpp, which is not there"])


class FindFunctions(unittest.TestCase):
    def test_sees_functions_and_nothing_else(self):
        text = ('namespace a {\nclass B {\n  B() : c_{1} {\n  }\n};\n'
                'int f(const char* s = "{") {\n  if (s) {\n  }\n'
                '  auto g = [](int i) {\n    return i;\n  };\n}\n}\n')

        spans = list(find_functions(text))

        self.assertEqual([s for s in spans if s[1] > 1], [(3, 2, 0), (6, 7, 1)])


if __name__ == "__main__":
    unittest.main()
