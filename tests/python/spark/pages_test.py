# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of the pages about Spark print what their comments say."""

import contextlib
import doctest
import importlib
import io
import pathlib
import pkgutil
import re
import runpy
from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp.spark  # noqa: E402
import numpy as np  # noqa: E402
from conftest import ROOT, read_iris  # noqa: E402
from mlp import MLPClassifier  # noqa: E402
from pyspark.ml.classification import (  # noqa: E402
    MultilayerPerceptronClassificationModel as SparkModel,
)

from spark.frames import iris_frame  # noqa: E402

BLOCK = re.compile(r"(?<!-->\n)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARKED_BLOCK = re.compile(r"(?<=-->\n)^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)


def test_the_page_prints_what_it_shows(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    # Spark stores where the tests started.
    text = (ROOT / "docs" / "spark.md").read_text()
    for folder in ("iris_pipeline", "store_models"):
        text = text.replace(f'"{folder}"', f'"file://{tmp_path}/{folder}"')
    text = text.replace('read.csv("data/', f'read.csv("file://{ROOT}/data/')
    blocks = BLOCK.findall(text)
    assert len(blocks) == 7
    namespace: dict[str, Any] = {"__name__": "page", "spark": session}
    for block in blocks:
        check_block(block, namespace)


def test_the_readme_prints_what_it_shows(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = read_iris()
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    (tmp_path / "build").mkdir()
    MLPClassifier(layers=[4, 5, 4, 3], seed=1234).fit(X, names).model_.save(
        tmp_path / "build" / "iris.json"
    )
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text().partition("\n## In Spark\n")[2].partition("\n## ")[0]
    text = text.replace('"iris_model"', f'"file://{tmp_path}/iris_model"')
    blocks = MARKED_BLOCK.findall(text)
    assert len(blocks) == 2
    namespace: dict[str, Any] = {
        "__name__": "page", "spark": session, "dataset": iris_frame(session)
    }
    for block in blocks:
        check_block(block, namespace)

    loaded = SparkModel.load(f"file://{tmp_path}/iris_model")
    assert loaded.weights == namespace["model"].weights


def check_block(block: str, namespace: dict[str, Any]) -> None:
    """Runs a block, which must print what its comments say."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, "page", "exec"), namespace)
    assert output.getvalue().splitlines() == PRINTS.findall(block)


MODULES = sorted(
    name for _, name, _ in pkgutil.walk_packages(mlp.spark.__path__, "mlp.spark.")
    if not name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_documentation_are_right(
    name: str, session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    MLPClassifier(seed=1, max_iter=2, effort="quick").fit(*read_iris()).model_.save("iris.json")
    frame = iris_frame(session)
    names = {name: getattr(mlp.spark, name) for name in mlp.spark.__all__}

    result = doctest.testmod(
        importlib.import_module(name),
        extraglobs=names | {"spark": session, "dataset": frame, "flowers": frame},
    )

    assert result.failed == 0


def test_a_stream_is_scored_as_a_table(session: Any) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "python" / "spark_scoring.py"))

    batch, streamed = example["main"](session)

    assert len(batch) == 150 and len(set(batch)) == 3
    assert sorted(streamed) == sorted(batch)
