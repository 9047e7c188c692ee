# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of the pages, and the notebooks, print what their comments say.

``print(x)  # TEXT`` must print TEXT. The blocks of a page run in order, in one folder
that has ``data/``.
"""

import contextlib
import io
import re

import pytest
from conftest import ROOT

NOTEBOOKS = ("examples/python/transfer.py", "examples/python/wine.py")
PAGES = ("README.md", "docs/python.md", "docs/formats.md")
# A block after a comment is none of these: tests/python/spark runs those about Spark.
BLOCK = re.compile(r"(?<!-->\n)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)


def blocks_of(page: str) -> list[str]:
    text = (ROOT / page).read_text()
    return [text] if page in NOTEBOOKS else BLOCK.findall(text)


@pytest.mark.parametrize("page", PAGES + NOTEBOOKS)
def test_a_page_prints_what_it_shows(page, tmp_path, monkeypatch) -> None:
    for name in ("sklearn", "pandas", "pyarrow", "onnx", "onnxruntime"):
        pytest.importorskip(name)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(page)
    assert blocks
    namespace: dict = {"__name__": "__main__", "__file__": str(ROOT / page)}
    for block in blocks:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, page, "exec"), namespace)
        assert output.getvalue().splitlines() == PRINTS.findall(block)
