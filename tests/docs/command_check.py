# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a command line without doing what it asks: its flags and its files."""

import functools
import json
import re
import shlex
import subprocess
import sys
import tempfile

FLAG = re.compile(r"--?[A-Za-z][\w-]*")
USAGE = 2  # the program's exit code for a command line it cannot understand
# Words before a command that do not change what it means.
LAUNCHERS = {"sudo", "srun", "mpirun", "time", "nice"}
# Programs of others, whose flags are not checked.
OTHERS = {"python3", "venv/bin/pip", "g++", "apt-get", "sha256sum", "head", "tail", "cd", "./a.out"}
PLACEHOLDER = re.compile(r"\b[A-Z]{1,}\b|\.\.\.|\{rank\}|[\[\]]")


def plain(flag):
    """A flag as the program compares it: --maxIter as --max-iter."""
    return re.sub(r"[-_]", "", flag).lower() if flag.startswith("--") else flag


def flags_in(text):
    return {plain(flag) for flag in FLAG.findall(text)}


class CommandCheck:
    """What is known of the commands that the pages name."""

    def __init__(self, root, program):
        self.root, self.program = root, program

    def complaints(self, text):
        """Yields what is wrong with a command line."""
        words = shlex.split(text, comments=True)
        for command in split_at(words, {"&&", "|", ";", "&"}):
            yield from self.check_one(command)

    def check_one(self, words):
        """Yields what is wrong with one command of a line."""
        words = without_launcher(words)
        if not words:
            return
        name = words[0].removeprefix("build/")
        # scripts/device-kit copies it.
        name = name.replace("build-device-kit/", "packaging/device-kit/")
        if name == "mlp":
            yield from self.check_program(words[1:])
        elif words[1:3] == ["-m", "mlp"]:
            yield from self.check_module(words[3:])
        elif name == "cmake":
            yield from self.check_preset(words)
        elif (self.root / name).is_file():
            yield from self.check_script(name, words[1:])
        elif name not in OTHERS:
            yield f"'{name}' is no program or script that is known"

    def check_program(self, words):
        """The command and each flag must be in the program's help."""
        known = self.help_of("")
        is_command = bool(words) and not words[0].startswith("-")
        if is_command and words[0] not in ("help", "COMMAND"):
            known |= self.help_of(words[0])
            if not self.help_of(words[0]):
                yield f"mlp has no command '{words[0]}'"
                return
        for word in words:
            for flag in FLAG.findall(word.strip("[]").split("=")[0]) \
                    if word.strip("[]").startswith("-") else ():
                if plain(flag) not in known:
                    yield f"mlp {words[0]} has no flag '{flag}'"
        # A command alone is a name in a sentence.
        if len(words) > 1 and not PLACEHOLDER.search(" ".join(words)):
            yield from self.dry_run(words)

    def dry_run(self, words):
        """Runs the program where no file is: it must understand the line."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [self.program, *words], cwd=folder, capture_output=True,
                text=True, check=False, stdin=subprocess.DEVNULL, timeout=60)
        if done.returncode == USAGE:
            yield (done.stderr.strip().splitlines() or ["a usage error"])[-1]

    @functools.lru_cache(maxsize=None)
    def help_of(self, command):
        """The flags that the program's help on a command names."""
        done = subprocess.run([self.program, "help", *command.split()],
                              capture_output=True, text=True, check=False)
        return frozenset(flags_in(done.stdout)) if done.returncode == 0 \
            else frozenset()

    def flag_complaints(self, text):
        """Yields the flags of a text that no program of this project has."""
        for flag in FLAG.findall(re.sub(r"[^\s]*://[^\s]*", "", text)):
            if flag.startswith("--") and plain(flag) not in self.all_flags():
                yield f"no program of this project has the flag '{flag}'"

    @functools.lru_cache(maxsize=None)
    def all_flags(self):
        """The flags of the program's commands and of the benchmarks."""
        listed = subprocess.run([self.program, "help"], capture_output=True,
                                text=True, check=True).stdout
        section = listed.split("Commands:\n")[1].split("\n\n")[0]
        known = self.help_of("")
        for command in re.findall(r"(?m)^  (\w+)", section):
            known |= self.help_of(command)
        known |= self.module_flags("convert")
        for script in sorted((self.root / "bench").glob("*.py")):
            known |= self.script_flags(script)
        return known

    @functools.lru_cache(maxsize=None)
    def script_flags(self, path):
        """The flags that a script's help, or its text, names."""
        if path.suffix != ".py":
            return frozenset(flags_in(path.read_text(encoding="utf-8")))
        done = subprocess.run([sys.executable, path, "--help"],
                              capture_output=True, text=True, check=False)
        return frozenset(flags_in(done.stdout))

    def module_flags(self, command):
        """The flags of a command of the Python package, by its source."""
        path = self.root / "python/mlp" / f"{command}.py"
        return flags_in(path.read_text(encoding="utf-8")) if path.is_file() else set()

    def check_module(self, words):
        """Each flag of python -m mlp COMMAND must be in the command's source."""
        if not words or not self.module_flags(words[0]):
            yield f"python -m mlp has no command '{' '.join(words[:1])}'"
            return
        for flag in (w for w in words if FLAG.fullmatch(w)):
            if plain(flag) not in self.module_flags(words[0]):
                yield f"python -m mlp {words[0]} has no flag '{flag}'"

    def check_preset(self, words):
        presets = json.loads((self.root / "CMakePresets.json").read_text(
            encoding="utf-8"))
        names = {entry["name"] for entry in presets["configurePresets"]}
        for before, after in zip(words, words[1:]):
            if before == "--preset" and after not in names | {"NAME"}:
                yield f"CMakePresets.json has no preset '{after}'"

    def check_script(self, name, words):
        """Each flag must be in the script's help."""
        for flag in (w.split("=")[0] for w in words if w.startswith("--")):
            if plain(flag) not in self.script_flags(self.root / name):
                yield f"{name} has no flag '{flag}'"


def split_at(words, separators):
    """Cuts a list of words at the separators."""
    part = []
    for word in words:
        if word in separators:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def without_launcher(words):
    """The words from the program on that a launcher starts."""
    if not words or words[0] not in LAUNCHERS:
        return words
    for i, word in enumerate(words[1:], 1):
        if "/" in word or word == "mlp":
            return words[i:]
    return words[1:]
