#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a Markdown page and compares what they print.

Usage: run_blocks.py PAGE BUILD [--compile COMMAND]
    PAGE     a Markdown file of this repository
    BUILD    the folder of the program mlp
    COMMAND  compiles one C++ file that follows as the last word

Prints file, line and first difference of each finding; exits 1 on any. Times
and rates are masked, see TIMES in blocks.py. Every fenced block must be of a
kind below. The kind of a block is its language, the "$ " of its first line, or
a comment on the line before it, <!-- block: KIND -->, where KIND is one of

    parsed only, REASON       the flags and files of its commands must exist
    output left out           its commands run and must succeed
    the end of COMMAND        what COMMAND prints ends with this block
    the file NAME             later commands of the page find it under that name
    text                      no commands: a formula, a drawing or a message
    compiled                  C++ that compiles as it is
    FILE                      the C++ program in FILE, from its first include on

All sessions ("$ ") of a page run in one folder, so that later blocks can use
the files of earlier ones.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from blocks import code_spans, first_difference, read_blocks
from command_check import CommandCheck

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120
# A command line in the text: mlp and a command, perhaps behind a launcher.
COMMAND_SPAN = re.compile(r"^((sudo|mpirun|srun) [^`]*)?(build/)?mlp [a-z]+\b")
# What the scripts call that must not happen in a test.
STUBS = ("bin/cmake", "scripts/install-deps")


class Scratch:
    """A folder that looks like the repository with a built program."""

    def __init__(self, folder, build):
        self.folder = folder
        for name in ("data", "tests", "examples"):
            (folder / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        (folder / "build").mkdir()
        (folder / "build" / "mlp").symlink_to(build / "mlp")
        (folder / "bin").mkdir()
        for stub in STUBS:
            (folder / stub).write_text("#!/bin/sh\n", encoding="utf-8")
            (folder / stub).chmod(0o755)
        self.environment = {
            **os.environ, "LC_ALL": "C.UTF-8",
            "PATH": f"{folder}/bin:{folder}/build:{os.environ['PATH']}"}

    def run(self, command):
        """The exit code and the lines of both outputs, in their order."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
            timeout=TIMEOUT_SECONDS)
        return done.returncode, done.stdout.splitlines()


class Page:
    """One page, its blocks and what is wrong with them."""

    def __init__(self, path, scratch, check, compile_command):
        self.path, self.scratch, self.check = path, scratch, check
        self.compile_command = compile_command
        self.findings = []
        self.text = path.read_text(encoding="utf-8")
        _, doctor = scratch.run("mlp doctor --json")
        # AVX2 and AVX-512 give the same bits (docs/kernels.md).
        self.is_exact = json.loads("\n".join(doctor))["kernels"][0] in (
            "AVX-512", "AVX2")

    def say(self, line, sentence):
        self.findings.append(f"{self.path.name}:{line}: {sentence}")

    def run(self):
        """Tests all blocks; returns their number."""
        blocks = read_blocks(self.text)
        for block in blocks:
            self.test(block)
        for line, span in code_spans(self.text):
            if COMMAND_SPAN.search(span):
                self.parse(line, span)
            elif span.startswith("--"):
                for sentence in self.check.flag_complaints(span):
                    self.say(line, sentence)
        return len(blocks)

    def test(self, block):
        """Tests a block by its kind."""
        if block.marker.startswith("parsed only, "):
            for line, command in block.command_lines():
                self.parse(line, command)
        elif block.marker == "output left out":
            self.run_silently(block)
        elif block.marker.startswith("the end of "):
            self.test_end(block, block.marker.removeprefix("the end of "))
        elif block.marker.startswith("the file "):
            name = block.marker.removeprefix("the file ")
            (self.scratch.folder / name).write_text(block.text,
                                                    encoding="utf-8")
            if block.language == "json":
                self.test_json(block)
        elif block.marker == "compiled":
            self.test_source(block)
        elif block.marker.endswith(".cpp"):
            self.test_program(block)
        elif block.language == "json":
            self.test_json(block)
        elif block.language == "python":
            self.test_python(block)
        elif block.marker == "" and block.lines[:1] and \
                block.lines[0].startswith("$ "):
            self.test_session(block)
        elif block.marker != "text" or any(
                line.startswith("$ ") for line in block.lines):
            self.say(block.line, "the block is of no kind that is tested; "
                     "expected '$ ' or a comment <!-- block: KIND -->, see "
                     "tests/docs/run_blocks.py")

    def parse(self, line, command):
        for sentence in self.check.complaints(command):
            self.say(line, sentence)

    def compare(self, line, expected, got):
        found = first_difference(expected, got, self.is_exact)
        if found:
            at, shown, printed = found
            self.say(line + at, f"the page shows {shown}, the program prints "
                     f"{printed}")

    def test_session(self, block):
        """Each command must print what stands below it."""
        for line, command, output in block.commands():
            while output and not output[-1]:
                output.pop()
            _, got = self.scratch.run(command)
            self.compare(line + command.count("\n") + 1, output, got)

    def run_silently(self, block):
        for line, command in block.command_lines():
            code, got = self.scratch.run(command)
            if code != 0:
                self.say(line, f"the command ends with code {code}: "
                         + (got or ["no output"])[-1])

    def test_end(self, block, command):
        _, got = self.scratch.run(command)
        self.compare(block.line, block.lines, got[-len(block.lines):])

    def test_json(self, block):
        """JSON must parse, and a model must be one."""
        try:
            document = json.loads(block.text)
        except ValueError as error:
            self.say(block.line, f"the JSON text does not parse: {error}")
            return
        if isinstance(document, dict) and document.get("format") == "mlp-model":
            name = f"model-{block.line}.json"
            (self.scratch.folder / name).write_text(block.text,
                                                    encoding="utf-8")
            code, got = self.scratch.run(f"mlp inspect {name} --verify")
            if code != 0:
                self.say(block.line, f"the program refuses the model: "
                         + (got or ["no output"])[-1])

    def test_python(self, block):
        try:
            compile(block.text, self.path.name, "exec")
        except SyntaxError as error:
            self.say(block.line, f"the Python text does not parse: {error}")

    def test_program(self, block):
        """The text must be that of a program that other tests build."""
        source = (ROOT / block.marker).read_text(encoding="utf-8").splitlines()
        first = next(i for i, text in enumerate(source)
                     if text.startswith("#include"))
        self.compare(block.line, block.lines, source[first:])

    def test_source(self, block):
        """The text must compile as it is."""
        source = self.scratch.folder / "block.cpp"
        source.write_text(block.text, encoding="utf-8")
        code, got = self.scratch.run(f"{self.compile_command} {source}")
        if code != 0:
            error = next((text for text in got if "error" in text),
                         (got or ["no output"])[-1])
            self.say(block.line, f"the C++ text does not compile: {error}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--compile", default="g++ -std=c++20 -fsyntax-only "
                        f"-I{ROOT} -I/usr/include/eigen3")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not (build / "mlp").exists():
        sys.exit(f"run_blocks.py: {build} has no mlp; build it, or name "
                 "another folder")
    with tempfile.TemporaryDirectory() as name:
        scratch = Scratch(pathlib.Path(name), build)
        page = Page(arguments.page.resolve(), scratch,
                    CommandCheck(ROOT, build / "mlp"), arguments.compile)
        num_blocks = page.run()
    for finding in page.findings:
        print(finding)
    print(f"{num_blocks} blocks: {len(page.findings)} findings")
    return 1 if page.findings else 0


if __name__ == "__main__":
    sys.exit(main())
