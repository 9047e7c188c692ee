#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the inputs with which each fuzz target starts.

usage: make_seeds.py FOLDER

The inputs are the files and command lines of tests/corpus, the good files there
and the small files of data/. FOLDER/TARGET/seeds gets those of each target.
"""

import gzip
import hashlib
import re
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/corpus"))
import run_corpus  # noqa: E402

MOST_BYTES = 4096


def corpus_files():
    """Yields name and bytes of every file of the corpus."""
    for case in run_corpus.read_cases():
        for name, spec in case.get("files", {}).items():
            if spec != {"folder": True}:
                yield name, run_corpus.make_bytes(spec)
        if "stdin" in case:
            yield "stdin.csv", run_corpus.make_bytes(case["stdin"])


def shared_files():
    """Yields name and bytes of the good files; of long text, the start."""
    for path in sorted((ROOT / "tests/corpus/good").iterdir()):
        yield path.name, path.read_bytes()
    for name in ("iris.csv", "sample_multiclass_classification_data.txt"):
        lines = (ROOT / "data" / name).read_bytes().splitlines(True)
        yield name, b"".join(lines[:12])


def made_files():
    """Yields small files of every number type."""
    for code, layout in ((8, "B"), (9, "b"), (11, "h"), (12, "i"), (13, "f"),
                         (14, "d")):
        yield "a.idx", (struct.pack(">BBBBII", 0, 0, code, 2, 3, 2) +
                        struct.pack(f">6{layout}", *range(6)))
        yield "labels.idx", (struct.pack(">BBBBI", 0, 0, code, 1, 3) +
                             struct.pack(f">3{layout}", *range(3)))
    for letter, layout in (("u1", "B"), ("i2", "h"), ("u4", "I"), ("i8", "q"),
                           ("f4", "f"), ("f8", "d")):
        for order in "<>":
            for fortran in (True, False):
                header = (f"{{'descr': '{order}{letter}', 'fortran_order': "
                          f"{fortran}, 'shape': (3, 2), }}")
                yield "a.npy", run_corpus.npy(header, "") + struct.pack(
                    f"{order}6{layout}", *range(6))


def rank_messages():
    """Yields what ranks send to each other: target and bytes."""
    hello = (b"mlp gloo 4 hello\n" + struct.pack("<3i", 1, 0, 3) + b"n" * 32)
    yield "handshake", hello
    yield "handshake", hello + b"p" * 32
    yield "rank_messages", hello
    for rank in range(4):
        yield "rank_messages", b"0123456789abcdef0123456789abcdef\n" * rank
    start = b"mlp gloo 4 "
    yield "rank_messages", start + b"identity\nmachine\n\n10.0.0.1\n"
    yield "rank_messages", start + b"identity\nm\n::1\n\n" + b"s" * 32
    yield "rank_messages", start + b"excuse\nthere is no Gloo"
    yield "rank_messages", start + b"endpoint\n10.0.0.1\n4711"
    texts = (b"mlp rank report 1", b"solver l-bfgs\nseed 1\n", b"no rows")
    name, facts, refusal = (struct.pack("<Q", len(t)) + t for t in texts)
    yield "rank_messages", name + facts + struct.pack("<q", 7) + refusal
    yield "rank_messages", b"bucketBytes=1048576 wire=asComputed threads=0"


def targets_of(name, content):
    """Returns the byte parsers that a file is for."""
    if content[:2] == b"\x1f\x8b":
        return ["gzip"]
    if content[:6] == b"\x93NUMPY" or name.endswith(".npy"):
        return ["npy", "binary_threads"]
    if content[:2] == b"\0\0" or name.endswith((".idx", "ubyte")):
        return ["idx", "binary_threads"]
    if name.endswith(".json"):
        return ["model", "signed_model", "initial_weights"]
    if name.endswith((".svm", ".libsvm")) or b":" in content[:20]:
        return ["libsvm", "libsvm_threads"]
    return ["csv", "csv_threads"]


def write_words(folder):
    """Writes the names and values of model files, which few mutations make."""
    text = b"".join(content for name, content in shared_files()
                    if name.endswith(".json"))
    words = sorted(set(re.findall(rb'"[A-Za-z0-9-]+"', text)))
    for target in ("model", "signed_model"):
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / "words.dict").write_bytes(b"".join(
            b'"\\"%s\\""\n' % word.strip(b'"') for word in words))


def write(folder, target, content):
    """Writes a seed under a name made of its content."""
    if len(content) > MOST_BYTES:
        return
    seeds = folder / target / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    (seeds / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def main(argv):
    if len(argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = Path(argv[1])
    write_words(folder)
    for files in (corpus_files(), shared_files(), made_files()):
        for name, content in files:
            for target in targets_of(name, content):
                is_csv = target.startswith("csv")
                write(folder, target, content + b"\0\0" * is_csv)
            if len(content) <= MOST_BYTES and content[:2] != b"\x1f\x8b":
                write(folder, "gzip", gzip.compress(content, mtime=0))
    for target, content in rank_messages():
        write(folder, target, content)
    for case in run_corpus.read_cases():
        words = "\n".join(case["argv"]).replace("{dir}", "folder")
        write(folder, "arguments", words.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
