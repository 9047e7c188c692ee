# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A Scala user needs the jar alone."""

import os
import pathlib
import subprocess
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pyspark  # noqa: E402
from conftest import ROOT, read_iris  # noqa: E402
from mlp import MLPClassifier, NotCompiled  # noqa: E402
from mlp.spark import jar_path  # noqa: E402

MAX_SECONDS = 300

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the script of examples/scala prints in spark-shell."""
    try:
        jar = jar_path()
    except NotCompiled as error:
        pytest.skip(str(error))
    home = pathlib.Path(pyspark.__file__).parent
    shell = home / "bin" / "spark-shell"
    if not shell.exists():
        pytest.skip("this PySpark has no spark-shell")
    path = tmp_path_factory.mktemp("model") / "model.json"
    MLPClassifier(layers=[4, 3], max_iter=50, seed=1).fit(*read_iris()).model_.save(path)
    settings = ["spark.ui.enabled=false", "spark.driver.host=127.0.0.1"]
    options = [word for setting in settings for word in ("--conf", setting)]
    result = subprocess.run(
        [shell, "--master", "local[2]", *options, "--jars", jar],
        cwd=ROOT, capture_output=True, text=True, timeout=MAX_SECONDS,
        input=(ROOT / "examples" / "scala" / "iris.scala").read_text(),
        env=os.environ | {"SPARK_HOME": str(home), "MLP_MODEL": str(path)},
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout


def test_the_example_trains_and_saves(output: str) -> None:
    assert "right 149 of 150" in output
    assert "loaded 3 stages" in output
    assert "Spark predicts the same: true" in output


def test_the_example_scores_a_model_file(output: str) -> None:
    X, y = read_iris()
    expected = MLPClassifier(layers=[4, 3], max_iter=50, seed=1).fit(X, y).predict(X).sum()

    assert f"scored {float(expected)}" in output
