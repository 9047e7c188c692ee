# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A copy of the library that a test extends, compiles and asks."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import jsonschema
except ImportError:  # the schema is then not compared with the model file
    jsonschema = None

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = ("core", "activations", "optim", "datasets", "distributed", "mlp",
           "cpu", "openblas", "cli", "docs")


class ExtendedTree:
    """A copy of the tree in a scratch folder."""

    def __init__(self, source, folder, compiler, includes):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in FOLDERS:
            shutil.copytree(source / name, folder / name)
        for name in ("README.md", "tests/facts", "tools/check_facts.py"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (source / name).is_dir() else shutil.copy
            copy(source / name, target)
        for name in ("main.cpp", "kernels.cpp"):
            shutil.copy(HERE / name, folder)
        self.options = [compiler, "-std=c++20", f"-I{folder}"]
        self.options += [f"-I{include}" for include in includes]

    def replace_once(self, file, pattern, replacement):
        """Changes the one place of a file that a pattern matches."""
        path = self.folder / file
        text, count = re.subn(pattern, replacement,
                              path.read_text(encoding="utf-8"))
        if count != 1:
            sys.exit(f"expected one match of {pattern} in {file}; got {count}")
        path.write_text(text, encoding="utf-8")

    def build(self, name, sources, *options):
        program = self.folder / name
        subprocess.run([*self.options, *options,
                        *(self.folder / source for source in sources), "-o",
                        program], check=True)
        return program

    def check_documents(self):
        """The documents lack what is new, until --fix writes it."""
        facts = self.build("facts", ["tests/facts/write_facts.cpp"], "-O0")
        check = [sys.executable, self.folder / "tools/check_facts.py", facts]
        before = subprocess.run(check, capture_output=True, text=True)
        if before.returncode != 1 or "model.schema.json" not in before.stdout:
            sys.exit("expected that check_facts.py misses what is new; got "
                     + before.stdout + before.stderr)
        subprocess.run([*check, "--fix"], check=True, capture_output=True)
        subprocess.run(check, check=True)

    def check_library(self, param, value, word):
        """Help, completion, sentences, fingerprint and model files know a
        value of a hyper-parameter."""
        program = self.build("main", ["main.cpp"], "-O0")
        model = self.folder / "model.json"
        subprocess.run([program, param, value, word, model], check=True)
        schema = self.folder / "docs/model.schema.json"
        if jsonschema is not None:
            jsonschema.Draft202012Validator(
                json.loads(schema.read_text("utf-8"))).validate(
                    json.loads(model.read_text("utf-8")))
