#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the conventions of CONTRIBUTING.md that compilers do not see.

Usage: check_style.py [ROOT]
Prints file, line and sentence of each finding; exits 1 on any.
"""

import pathlib
import re
import sys

from cpp_functions import find_functions

LIBRARY = ("core", "activations", "optim", "datasets", "distributed", "mlp",
           "cpu", "openblas", "cuda", "capi")
CODE = {".hpp", ".ipp", ".h", ".cpp", ".cc", ".cu", ".cuh"}
SCRIPT = {".py", ".sh", ".cmake", ".in"}
SKIPPED = re.compile(r"(\.git|\.cache|build.*|__pycache__)")
SPDX = ("SPDX-FileCopyrightText: The mlp authors",
        "SPDX-License-Identifier: Apache-2.0")

# A file that was joined because it is one thing may be longer than most.
MOST_LIBRARY_LINES, MAX_LIBRARY_LINES, MAX_TEST_LINES = 350, 450, 500
MAX_SOURCES = 20  # of one folder, without its sub-folders
MAX_FUNCTION_LINES, MAX_TEST_CASE_LINES = 60, 27  # 25 and the braces' lines
MAX_PARAMETERS = 6  # of a function
# Interfaces for C, whose signatures others call: extern "C", JNI, cuBLAS.
FOR_C = ("capi/", "jvm/jni/", "tests/cuda_host/")

BANNED_STEM = re.compile(r"(^|_)(utils?|helpers?|common|misc|managers?)(_|$)")
OPEN_END = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
# The library never prints, stops the process or reads the environment.
SIDE_EFFECT = re.compile(
    r"\bstd::(cout|cerr|clog|puts|printf|exit|abort|quick_exit|terminate"
    r"|getenv)\b"
    r"|(?<![\w:.>])(printf|fprintf|puts|getenv|secure_getenv|abort|exit)\s*\(")

# Headers without a test file of their own name, and why.
NO_TEST = {
    "capi/guard.hpp": "c_api_test.c tests it through the interface",
    "capi/objects.hpp": "c_api_test.c tests it through the interface",
    "cuda/cuda_backend.hpp": "an interface; the tests of cli cover a build "
                             "without CUDA",
    "cuda/kernels/output/instance_loss.hpp": "device code, which the tests of output_delta and "
    "narrow_output run",
    "cuda/kernels/pack.hpp": "device code, which the tests of the kernels run",
    "cuda/kernels/slices.hpp": "device code, which the tests of the kernels run",
    "cuda/runtime/device_code.hpp": "device code, which the tests of the kernels "
                                    "run",
    "cuda/nccl/nccl_options.hpp": "a plain struct, which the tests of NCCL set",
    "cuda/network/device_objective.hpp": "an interface without code",
    "core/plugin/plugin_file.hpp": "the tests of load_plugin load plugins with it",
    "datasets/arrow/arrow_interface.hpp": "structures without code",
    "datasets/arrow/arrow_opener.hpp": "plain structs, which the tests of "
                                       "folder_load fill",
    "datasets/arrow/arrow_plugin.hpp": "an interface without code",
    "datasets/arrow/plugin/number_batches.hpp": "a part of the plugin, which "
                                                "parquet_test.py runs",
    "datasets/csv/csv_reader.hpp": "the tests of csv and arrow_reader run it",
    "datasets/csv/row_parts.hpp": "an interface without code",
    "datasets/csv/csv_table.hpp": "a plain struct, which the tests of csv read",
    "cuda/steps/lbfgs_memory.hpp": "plain structs, which the tests of the "
                                   "kernels fill",
    "cuda/steps/partial_sums.hpp": "device code, which the tests of "
                                   "vector_sums run",
    "cuda/steps/weight_kind.hpp": "names kinds and holds no code",
    "core/types.hpp": "names types of Eigen and holds no code",
    "core/version.hpp": "holds one constant, which the program's tests print",
    "datasets/csv/csv_options.hpp": "plain structs, which the tests of csv "
                                    "fill",
    "datasets/csv/layout/csv_guesses.hpp": "a plain struct, which the tests of "
                                           "csv cover",
    "datasets/dataset.hpp": "a plain struct, which every reader's test fills",
    "distributed/gloo/gloo_group.hpp": "a part of the plugin, which the tests "
                                       "of gloo_allreduce load",
    "distributed/gloo/gloo_mesh.hpp": "a part of the plugin, which the tests "
                                      "of gloo_allreduce load",
    "mlp/backend/backend.hpp": "an interface without code",
    "mlp/backend/gradient_evaluator.hpp": "interfaces without code",
    "mlp/backend/penalty.hpp": "a plain struct, which the tests of "
                               "penalized_objective fill",
    "mlp/backend/resident_training.hpp": "interfaces without code",
    "optim/gradient_descent/gradient_descent_vectors.hpp": "an interface without code",
    "optim/lbfgs/lbfgs_vectors.hpp": "an interface without code",
    "mlp/backend/scoring_plan.hpp": "an interface without code",
    "mlp/training/training_run.hpp": "a plain struct, which the tests of "
                                     "trainings fill",
    "mlp/mlp.hpp": "the umbrella, which tests/consumers builds and runs",
    "mlp/model.hpp": "includes mlp/model/model.hpp and nothing else",
}


class Tree:
    """The files below a root folder and what was found wrong with them."""

    def __init__(self, root):
        self.root = root
        self.findings = []
        self.num_long_files = 0
        self.files = sorted(
            path.relative_to(root).as_posix() for path in root.rglob("*")
            if path.is_file() and not any(
                SKIPPED.fullmatch(part)
                for part in path.relative_to(root).parts[:-1]))
        self.code = [f for f in self.files if pathlib.Path(f).suffix in CODE]
        self.scripts = [f for f in self.files if self.is_script(f)]
        self.headers = [f for f in self.code if f.endswith(".hpp")
                        and f.split("/")[0] in LIBRARY]
        # An -inl header is one part of the source that includes it.
        self.public_headers = [f for f in self.headers
                               if not f.endswith("-inl.hpp")]

    def read(self, file):
        return (self.root / file).read_text(encoding="utf-8")

    def is_script(self, file):
        path = pathlib.Path(file)
        if path.suffix in SCRIPT or path.name == "CMakeLists.txt":
            return True
        if path.suffix or file.startswith("data/"):
            return False
        with open(self.root / file, "rb") as stream:
            return stream.read(2) == b"#!"

    def say(self, file, line, sentence):
        self.findings.append(f"{file}:{line}: {sentence}")


def check_spdx(tree):
    for file in tree.code + tree.scripts:
        head = tree.read(file).splitlines()[:3]
        start = 1 if head and head[0].startswith("#!") else 0
        for number, wanted in enumerate(SPDX, start):
            if number >= len(head) or not head[number].endswith(wanted):
                tree.say(file, number + 1, f"expected the line '{wanted}'")


def check_names(tree):
    for file in tree.code + tree.scripts:
        stem = pathlib.Path(file).stem
        if BANNED_STEM.search(stem):
            tree.say(file, 1, f"a file is named after the one thing inside; "
                      f"'{stem}' names no thing")


def check_lengths(tree):
    for file in tree.code + tree.scripts:
        text = tree.read(file)
        is_test = file.startswith(("tests/", "bench/"))
        limit = MAX_TEST_LINES if is_test else MAX_LIBRARY_LINES
        num_lines = text.count("\n")
        tree.num_long_files += not is_test and num_lines > MOST_LIBRARY_LINES
        if num_lines > limit:
            tree.say(file, limit, f"{num_lines} lines; at most {limit}")
    for file in tree.code:
        text = tree.read(file)
        lines = text.splitlines()
        for first, num_lines, _ in find_functions(text):
            is_case = "TEST_CASE" in "".join(lines[max(first - 4, 0):first])
            limit = MAX_TEST_CASE_LINES if is_case else MAX_FUNCTION_LINES
            if num_lines > limit:
                tree.say(file, first, f"a function of {num_lines} lines; at "
                          f"most {limit}: name its steps")


def check_parameters(tree):
    for file in tree.code:
        if file.startswith(FOR_C):
            continue
        for first, _, number in find_functions(tree.read(file)):
            if number > MAX_PARAMETERS:
                tree.say(file, first, f"a function of {number} parameters; at "
                         f"most {MAX_PARAMETERS}: group what travels together")


def check_lines(tree):
    prose = [f for f in tree.files if f.endswith(".md")]
    for file in tree.code + tree.scripts + prose:
        in_library = file in tree.code and file.split("/")[0] in LIBRARY
        for number, line in enumerate(tree.read(file).splitlines(), 1):
            if OPEN_END.search(line):
                tree.say(file, number, "an open end; finish it or open an "
                          "issue")
            found = SIDE_EFFECT.search(line.split("//")[0])
            if in_library and found:
                tree.say(file, number, f"{found[0].strip('(')} is for cli/; "
                          "the library throws or returns")


def check_tests(tree):
    for file in tree.public_headers:
        test = f"tests/{file[:-len('.hpp')]}_test.cpp"
        if test in tree.files:
            if file in NO_TEST:
                tree.say(file, 1, f"has {test}; remove it from NO_TEST in "
                          "tools/check_style.py")
            if f'TEST_SUITE("{file[:-4]}")' not in tree.read(test):
                tree.say(test, 1, f'expected TEST_SUITE("{file[:-4]}")')
        elif file not in NO_TEST:
            tree.say(file, 1, f"has no test; expected {test}")
    for file in sorted(set(NO_TEST) - set(tree.headers)):
        tree.say("tools/check_style.py", 1, f"NO_TEST names {file}, which is "
                  "gone")


def check_lists(tree):
    """Every header and every test must be built: the lists are explicit."""
    for file in tree.headers:
        folder, name = file.split("/", 1)
        listing = f"{folder}/CMakeLists.txt"
        if listing not in tree.files:
            tree.say(file, 1, f"expected {listing}")
        elif not re.search(rf"(?m)^\s*{re.escape(name)}\)?$",
                           tree.read(listing)):
            tree.say(listing, 1, f"does not list {name}")
    tests = "".join(tree.read(file) for file in sorted(tree.files)
                    if file == "tests/CMakeLists.txt"
                    or re.fullmatch(r"tests/\w+/\w+_tests\.cmake", file))
    for file in tree.code:
        match = re.fullmatch(r"tests/(\w+)/([\w/]+)_test\.cpp", file)
        if match and not re.search(
                rf"mlp_add_tests\({match[1]}\s[^)]*(?<![\w/]){match[2]}\b",
                tests):
            tree.say("tests/CMakeLists.txt", 1,
                      f"does not list {match[2]} of {match[1]}")


def check_map(tree):
    """The README has a row for each folder of code, which names its sub-folders."""
    if "README.md" not in tree.files:
        tree.say("README.md", 1, "is missing")
        return
    rows = {found[1]: line for line in tree.read("README.md").splitlines()
            if (found := re.match(r"\| `(\w+)/` \|", line))}
    for folder in sorted({file.rsplit("/", 1)[0] for file in tree.headers}):
        top, _, below = folder.partition("/")
        if top not in rows:
            tree.say("README.md", 1, f"the map has no row on `{top}/`")
        elif below and f"`{below}/`" not in rows[top]:
            tree.say("README.md", 1, f"the row on `{top}/` does not name "
                     f"`{below}/`")


def check_folders(tree):
    """A folder of many sources has sub-folders."""
    count = {}
    for file in tree.code + [f for f in tree.scripts if f.endswith(".py")]:
        folder, stem = file.rsplit("/", 1)
        # A header and its source are one concept.
        count.setdefault(folder, set()).add(stem.split(".")[0])
    for folder, stems in sorted(count.items()):
        if len(stems) > MAX_SOURCES:
            tree.say(folder, 1, f"{len(stems)} sources at one level; at most "
                     f"{MAX_SOURCES}: make sub-folders")


def check_paths(tree):
    """Every link, and every path in code style, must lead somewhere."""
    tops = {f.split("/")[0] for f in tree.files if "/" in f} | set(LIBRARY)
    tops |= {"bench", "examples", "python"}
    known = set(tree.files)
    for file in tree.files:
        known.update(p.as_posix() for p in pathlib.PurePosixPath(file).parents)
    names = "|".join(map(re.escape, sorted(tops)))
    token = re.compile(rf"(?<![\w./<-])({names})/[\w./-]*")
    for file in (f for f in tree.files if f.endswith(".md")):
        is_fenced = False
        for number, line in enumerate(tree.read(file).splitlines(), 1):
            if line.lstrip().startswith("```"):
                is_fenced = not is_fenced
            spans = [line] if is_fenced else re.findall(r"`([^`]+)`", line)
            paths = [m[0] for span in spans for m in token.finditer(span)]
            links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", line)
            folder = pathlib.PurePosixPath(file).parent
            paths += [normal(folder / link) for link in links
                      if "://" not in link and not link.startswith("mailto:")]
            for path in paths:
                if not any(normal(at / path.rstrip(".")) in known for at in
                           (folder, *folder.parents)):
                    tree.say(file, number, f"names {path}, which is not there")


def normal(path):
    """The path's text with its .. parts resolved."""
    parts = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


CHECKS = (check_spdx, check_names, check_lengths, check_parameters, check_lines,
          check_tests, check_lists, check_map, check_folders, check_paths)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    tree = Tree(pathlib.Path(sys.argv[1]).resolve()
                  if len(sys.argv) > 1 else here)
    for check in CHECKS:
        check(tree)
    for finding in tree.findings:
        print(finding)
    print(f"{len(tree.files)} files: {len(tree.findings)} findings; "
          f"{tree.num_long_files} files of the library have more than "
          f"{MOST_LIBRARY_LINES} lines")
    return 1 if tree.findings or not tree.code else 0


if __name__ == "__main__":
    sys.exit(main())
