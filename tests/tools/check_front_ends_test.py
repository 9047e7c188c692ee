#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""tools/check_front_ends.py finds documents that differ from the cases, and fixes them."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ("docs/architecture.md", "tests/front_ends/README.md")
OTHER_OUTCOME = ("| a negative weight | `data` |", "| a negative weight | `trains` |")


def check(root, *words):
    script = ROOT / "tools" / "check_front_ends.py"
    return subprocess.run([sys.executable, script, *words, root], capture_output=True, text=True)


def copy_documents(root):
    for name in DOCUMENTS:
        target = root / name
        target.parent.mkdir(parents=True)
        target.write_bytes((ROOT / name).read_bytes())


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        copy_documents(root)
        assert check(root).returncode == 0
        page = root / DOCUMENTS[1]
        page.write_text(page.read_text().replace(*OTHER_OUTCOME))

        found = check(root)

        assert found.returncode == 1
        assert found.stdout == (
            "tests/front_ends/README.md: differs from the cases; run "
            "tools/check_front_ends.py --fix\n"
        )
        assert check(root, "--fix").returncode == 0
        assert page.read_bytes() == (ROOT / DOCUMENTS[1]).read_bytes()


if __name__ == "__main__":
    main()
