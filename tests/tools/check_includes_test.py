#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Seeds one violation at a time and reads what check_includes.py says."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_includes.py"


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("core/error.hpp", "#include <string>\n")
        self.write("mlp/network/topology.hpp",
                   '#include "../../core/error.hpp"\n')

    def write(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self):
        return subprocess.run([sys.executable, TOOL, self.root], text=True,
                              capture_output=True, check=False)

    def assert_refused(self, *parts):
        run = self.run_tool()

        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("1 forbidden", run.stdout)
        for part in parts:
            self.assertIn(part, run.stdout)

    def test_accepts_a_clean_tree(self):
        run = self.run_tool()

        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stdout, "2 includes in 2 files: 0 forbidden\n")

    def test_names_file_line_and_edge_of_an_upward_include(self):
        self.write("optim/lbfgs.hpp", '#pragma once\n\n'
                   '#include "../mlp/network/topology.hpp"\n')

        self.assert_refused("optim/lbfgs.hpp:3: forbidden edge optim -> mlp: "
                            "mlp/network/topology.hpp; optim/ may include core")

    def test_counts_the_lines_of_comments(self):
        self.write("optim/lbfgs.hpp", '/* #include "none.hpp"\n*/\n'
                   '#include "../mlp/network/topology.hpp"\n')

        self.assert_refused("optim/lbfgs.hpp:3: forbidden edge optim -> mlp")

    def test_refuses_a_header_that_is_not_the_allowed_one(self):
        self.write("datasets/dataset.hpp", "")
        self.write("datasets/csv.hpp", "")
        self.write("mlp/fit.hpp", '#include "../datasets/dataset.hpp"\n'
                   '#include "../datasets/csv.hpp"\n')

        self.assert_refused("mlp/fit.hpp:2: forbidden edge mlp -> datasets")

    def test_lets_kernels_include_what_the_backend_includes(self):
        self.write("mlp/backend/backend.hpp",
                   '#include "../network/topology.hpp"\n')
        self.write("mlp/model.hpp", "")
        self.write("cpu/kernels.hpp", '#include "../mlp/network/topology.hpp"\n'
                   '#include "../mlp/model.hpp"\n')

        self.assert_refused("cpu/kernels.hpp:2: forbidden edge cpu -> mlp")

    def test_lets_a_folder_include_the_sub_folder_of_a_rule(self):
        self.write("cuda/device_backend.hpp",
                   '#include "../mlp/network/topology.hpp"\n')

        run = self.run_tool()

        self.assertEqual(run.returncode, 0, run.stdout)

    def test_takes_a_header_and_its_definitions_for_one(self):
        self.write("mlp/train.hpp", '#include "train.ipp"\n')
        self.write("mlp/train.ipp", '#include "train.hpp"\n'
                   '#include "fit.hpp"\n')
        self.write("mlp/fit.hpp", '#include "train.ipp"\n')

        self.assert_refused("mlp/train.ipp:2: cycle mlp/fit.hpp -> "
                            "mlp/train.ipp -> mlp/fit.hpp")

    def test_names_the_edge_of_an_upward_include_between_sub_folders(self):
        self.write("mlp/training/train.hpp", "")
        self.write("mlp/network/layer.hpp",
                   '\n#include "../training/train.hpp"\n')

        self.assert_refused(
            "mlp/network/layer.hpp:2: forbidden edge mlp/network -> "
            "mlp/training: mlp/training/train.hpp; mlp/network may include "
            "nothing else of its folder")

    def test_refuses_the_root_of_a_folder_below_it(self):
        self.write("mlp/classifier.hpp", "")
        self.write("mlp/model/scorer.hpp", '#include "../classifier.hpp"\n')

        self.assert_refused("mlp/model/scorer.hpp:1: forbidden edge mlp/model "
                            "-> mlp/.: mlp/classifier.hpp; mlp/model may "
                            "include network, params, backend")

    def test_lets_a_sub_folder_include_the_root_and_not_a_higher_one(self):
        self.write("datasets/dataset.hpp", "")
        self.write("datasets/load/load.hpp", "")
        self.write("datasets/csv/csv.hpp", '#include "../dataset.hpp"\n'
                   '#include "../load/load.hpp"\n')

        self.assert_refused("datasets/csv/csv.hpp:2: forbidden edge "
                            "datasets/csv -> datasets/load: "
                            "datasets/load/load.hpp")

    def test_refuses_the_root_of_a_sub_folder_below_it(self):
        self.write("datasets/csv/csv_scanner.hpp", "")
        self.write("datasets/csv/csv_rows.hpp", "")
        self.write("datasets/csv/layout/csv_layout.hpp",
                   '#include "../csv_scanner.hpp"\n'
                   '#include "../csv_rows.hpp"\n')

        self.assert_refused("datasets/csv/layout/csv_layout.hpp:2: forbidden "
                            "edge datasets/csv/layout -> datasets/csv/.: "
                            "datasets/csv/csv_rows.hpp")

    def test_refuses_a_sub_folder_without_a_rule(self):
        self.write("mlp/extras/thing.hpp",
                   '#include "../network/topology.hpp"\n')

        self.assert_refused("mlp/extras/thing.hpp:1: mlp/extras/ has no line "
                            "in SUBFOLDERS")

    def test_refuses_a_rooted_include_of_a_header(self):
        self.write("mlp/fit.hpp", '#include "core/error.hpp"\n')

        self.assert_refused("mlp/fit.hpp:1: forbidden edge mlp -> core: "
                            "core/error.hpp is rooted")

    def test_refuses_a_test_that_is_included(self):
        self.write("tests/data.hpp", "")
        self.write("mlp/fit.hpp", '#include "../tests/data.hpp"\n')

        self.assert_refused("mlp/fit.hpp:1: forbidden edge mlp -> tests")

    def test_refuses_the_library_of_another_file(self):
        self.write("mlp/fit.hpp", "\n#include <nlohmann/json.hpp>\n")

        self.assert_refused(
            "mlp/fit.hpp:2: forbidden edge mlp -> nlohmann/json")

    def test_refuses_json_behind_the_umbrella(self):
        self.write("mlp/model_json.hpp", "#include <nlohmann/json.hpp>\n")
        self.write("mlp/mlp.hpp", '#include "model_json.hpp"\n')

        self.assert_refused("mlp/model_json.hpp:1: forbidden edge mlp/mlp.hpp "
                            "-> nlohmann/json")

    def test_refuses_an_unknown_library(self):
        self.write("mlp/fit.hpp", "#include <fmt/core.h>\n")

        self.assert_refused("mlp/fit.hpp:1: forbidden edge mlp -> <fmt/core.h>")

    def test_refuses_a_header_that_is_not_there(self):
        self.write("mlp/fit.hpp", '#include "gone.hpp"\n')

        self.assert_refused('mlp/fit.hpp:1: "gone.hpp" is not found')

    def test_shows_a_cycle(self):
        self.write("mlp/a.hpp", '#include "b.hpp"\n')
        self.write("mlp/b.hpp", '\n#include "a.hpp"\n')

        self.assert_refused(
            "mlp/b.hpp:2: cycle mlp/a.hpp -> mlp/b.hpp -> mlp/a.hpp")

    def test_refuses_an_example_that_includes_a_private_header(self):
        self.write("mlp/fit.hpp", "")
        self.write("mlp/plan.hpp", "")
        self.write("docs/library.md", "| `mlp/fit.hpp` | how to fit |\n")
        self.write("examples/fit.cpp",
                   '#include "../mlp/fit.hpp"\n#include "../mlp/plan.hpp"\n')

        self.assert_refused("examples/fit.cpp:2: mlp/plan.hpp is private")

    def test_refuses_a_public_header_that_is_not_there(self):
        self.write("docs/library.md", "| `mlp/gone.hpp` | how to fit |\n")

        self.assert_refused("public header mlp/gone.hpp, which is gone")


if __name__ == "__main__":
    unittest.main()
