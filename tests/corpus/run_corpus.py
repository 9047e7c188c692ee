#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the program on every case of the corpus of bad input.

usage: run_corpus.py [--emulated] PROGRAM [WORDS]

WORDS, where given, selects the cases whose name contains them. A program for
another processor, which is emulated, may take ten times as long. README.md says
what a case is.
"""

import gzip
import hashlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORPUS = Path(__file__).resolve().parent
SCHEMA = json.loads((CORPUS.parents[1] / "docs/model.schema.json").read_text())
LEAST_CASES = 150
MOST_SECONDS = 10
MOST_SECONDS_EMULATED = 100
MOST_MEMORY_KIB = 1 << 20
PARALLEL = 2
CASE_KEYS = {"name", "use", "files", "argv", "stdin", "exit", "stderr",
             "stdout_has", "creates", "not_as_root", "without_cuda"}


class TableError(Exception):
    """The table itself is wrong."""


def sign(text):
    """Gives a changed model file the sha256 of its new content."""
    lines = text[:text.rindex(b'  "sha256": ')]
    digest = hashlib.sha256(lines).hexdigest()
    return lines + b'  "sha256": "%s"\n}\n' % digest.encode()


def expand_names(sentence):
    """Puts the names of docs/model.schema.json, which are compared with the
    code, into the places {params} and {activations}."""
    members = SCHEMA["properties"]
    pattern = members["activation"]["pattern"]
    activations = re.match(r"\^\(\?:([^)]*)\)", pattern)[1].split("|")
    for place, names in (("{params}", members["params"]["properties"]),
                         ("{activations}", activations)):
        sentence = sentence.replace(place, ", ".join(names))
    return sentence


def replace_once(content, old, new):
    old = make_bytes(old)
    if content.count(old) != 1:
        raise TableError(f"{old!r} stands {content.count(old)} times, not once")
    return content.replace(old, make_bytes(new))


def mutate(spec):
    """Makes a bad file of a good one."""
    content = (CORPUS / "good" / spec["from"]).read_bytes()
    for old, new in spec.get("replace", []):
        content = replace_once(content, old, new)
    if "truncate" in spec:
        content = content[:spec["truncate"]]
    if "insert" in spec:
        offset, inserted = spec["insert"]
        content = content[:offset] + make_bytes(inserted) + content[offset:]
    content += make_bytes(spec.get("append", ""))
    return sign(content) if spec.get("sign") else content


def pack(layout, *values):
    """struct.pack() that takes the numbers that JSON lacks as strings."""
    return struct.pack(
        layout, *[float(v) if isinstance(v, str) else v for v in values])


def npy(header, values, version=1):
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return (b"\x93NUMPY" + bytes([version, 0]) + size + text +
            make_bytes(values))


def make_bytes(spec):
    """The bytes that a table describes."""
    if isinstance(spec, str):
        return spec.encode()
    if isinstance(spec, list):
        return b"".join(make_bytes(part) for part in spec)
    kind = next(iter(spec))
    makers = {
        "hex": lambda: bytes.fromhex(spec["hex"]),
        "repeat": lambda: make_bytes(spec["repeat"]) * spec["times"],
        "pack": lambda: pack(*spec["pack"]),
        "npy": lambda: npy(spec["npy"], spec["values"], spec.get("version", 1)),
        "gzip": lambda: gzip.compress(make_bytes(spec["gzip"]), mtime=0),
        "from": lambda: mutate(spec),
    }
    if kind not in makers:
        raise TableError(f"no file is made by {kind!r}")
    content = makers[kind]()
    return content[:spec["first"]] if "first" in spec else content


def make_folder(case, folder):
    """Writes the files of a case; returns their contents by name."""
    for name in case.get("use", []):
        shutil.copyfile(CORPUS / "good" / name, folder / name)
    for name, spec in case.get("files", {}).items():
        if spec == {"folder": True}:
            (folder / name).mkdir()
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        mode = spec.pop("mode", None) if isinstance(spec, dict) else None
        (folder / name).write_bytes(make_bytes(spec))
        if mode is not None:
            (folder / name).chmod(int(mode, 8))
    return contents(folder)


def contents(folder):
    """What a folder holds, by name; nothing for what cannot be read."""
    found = {}
    for path in folder.rglob("*"):
        readable = path.is_file() and os.access(path, os.R_OK)
        found[str(path.relative_to(folder))] = (
            path.read_bytes() if readable else None)
    return found


def run_program(program, case, folder, most_seconds):
    """Returns exit code, stdout, stderr and seconds."""
    argv = [word.replace("{dir}", str(folder)) for word in case["argv"]]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    environment.update({name: value for name, value in os.environ.items()
                        if name.endswith("SAN_OPTIONS")})
    start = time.monotonic()
    try:
        done = subprocess.run([program, *argv], cwd=folder, timeout=6 * most_seconds,
                              input=make_bytes(case.get("stdin", "")),
                              capture_output=True, env=environment)
    except subprocess.TimeoutExpired:
        return None, "", "", time.monotonic() - start
    seconds = time.monotonic() - start
    return (done.returncode, done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="backslashreplace"), seconds)


def differences(case, folder, before, result, most_seconds):
    """Lists what is not as the case says, as (what, expected, received)."""
    exit_code, out, err, seconds = result
    if exit_code is None or seconds > most_seconds:
        yield "seconds", f"at most {most_seconds}", f"{seconds:.1f}"
    if exit_code != case["exit"]:
        yield "exit code", case["exit"], exit_code
    expected = expand_names(case["stderr"]).replace("{dir}", str(folder))
    if err != (expected + "\n" if expected else ""):
        yield "stderr", expected, err.removesuffix("\n")
    if case["exit"] != 0 and "stdout_has" not in case and out:
        yield "stdout", "", out
    for part in case.get("stdout_has", []):
        if part not in out:
            yield "stdout", f"something with {part}", out
    after = contents(folder)
    for name in case.get("creates", []):
        if after.pop(name, None) is None:
            yield "file " + name, "made by the program", "no file"
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield "file " + name, "left as it was", "no file"
        elif name not in before:
            yield "file " + name, "no file", "made by the program"
        elif before[name] != after[name]:
            yield "file " + name, "left as it was", "changed"


def run_case(program, case, most_seconds):
    """Returns the differences of one case as text; empty where it passes."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as name:
        folder = Path(name).resolve()
        try:
            before = make_folder(case, folder)
        except (TableError, KeyError, ValueError, OSError, struct.error) as why:
            return f"  the case cannot be set up: {why!r}\n"
        result = run_program(program, case, folder, most_seconds)
        return "".join(
            f"  {what}\n    expected {expected}\n    received {received}\n"
            for what, expected, received in differences(
                case, folder, before, result, most_seconds))


def refuse_duplicate_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise TableError(f"a key stands twice among {keys}")
    return dict(pairs)


def read_cases():
    """Reads the tables; refuses those that would test less than they seem."""
    cases = []
    for path in sorted(CORPUS.glob("*.json")):
        cases += json.loads(path.read_text(encoding="utf-8"),
                            object_pairs_hook=refuse_duplicate_keys)
    names = set()
    for case in cases:
        name = case.get("name", "")
        wrong_keys = case.keys() - CASE_KEYS
        lacking = {"name", "argv", "exit", "stderr"} - case.keys()
        if wrong_keys or lacking:
            raise TableError(f"case {name!r}: unknown keys {wrong_keys or ''}, "
                             f"missing keys {lacking or ''}")
        if " " not in name or name in names:
            raise TableError(f"case {name!r}: the name is no sentence, or not "
                             "the only one")
        if case["exit"] != 0 and not case["stderr"]:
            raise TableError(f"case {name!r}: an error needs a sentence")
        names.add(name)
    if len(cases) < LEAST_CASES:
        raise TableError(f"expected {LEAST_CASES} cases at least, got "
                         f"{len(cases)}")
    return cases


def doctor_of(program):
    """Returns what the program says about itself."""
    done = subprocess.run([program, "doctor", "--json"], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def of_package(case):
    """Returns a case as the program of the Python package answers it."""
    sentence = re.sub(
        r"this build; install (.+), configure with -D(\w+)=ON and build again",
        r"this Python package; install \1 and build the package from its source "
        r"code, with pip install -C cmake.define.\2=ON FOLDER", case["stderr"])
    return case | {"stderr": sentence}


def leave_out(cases, key, reason):
    """Returns the cases without a mark, and says how many have it."""
    rest = [case for case in cases if not case.get(key)]
    if len(rest) != len(cases):
        print(f"{len(cases) - len(rest)} skipped: {reason}")
    return rest


def main(argv):
    most_seconds = MOST_SECONDS
    if argv[1:2] == ["--emulated"]:
        most_seconds = MOST_SECONDS_EMULATED
        argv = argv[1:]
    if len(argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = str(Path(argv[1]).resolve())
    try:
        cases = read_cases()
    except (TableError, json.JSONDecodeError) as error:
        print(f"the table is wrong: {error}", file=sys.stderr)
        return 2
    if len(argv) == 3:
        cases = [case for case in cases if argv[2] in case["name"]]
    if os.geteuid() == 0:
        cases = leave_out(cases, "not_as_root", "root may read all")
    doctor = doctor_of(program)
    if doctor["pythonPackage"]:
        cases = [of_package(case) for case in cases]
    if doctor["parts"]["cuda"]:
        cases = leave_out(cases, "without_cuda", "the program has CUDA")
    with ThreadPoolExecutor(PARALLEL) as pool:
        reports = list(pool.map(
            lambda case: run_case(program, case, most_seconds), cases))
    for case, report in zip(cases, reports):
        if report:
            print(f"FAILED {case['name']}\n{report}", end="")
    num_failed = sum(1 for report in reports if report)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"the hungriest case took {memory // 1024} MiB")
    if memory > MOST_MEMORY_KIB:
        print(f"FAILED expected at most {MOST_MEMORY_KIB // 1024} MiB")
        num_failed += 1
    print(f"{len(cases) - num_failed} passed, {num_failed} failed")
    return 1 if num_failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
