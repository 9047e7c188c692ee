# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scripts of PySpark that run with our classes."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

SCRIPT = '''
import pickle
import sys

import pyspark.ml.classification
import pyspark.ml.classification as short
from pyspark import cloudpickle
from pyspark.ml import Pipeline, PipelineModel, classification
from pyspark.ml.classification import *
from pyspark.ml.classification import MultilayerPerceptronClassifier as Named
from pyspark.ml.linalg import Vectors
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
forms = [
    Named, MultilayerPerceptronClassifier, classification.MultilayerPerceptronClassifier,
    short.MultilayerPerceptronClassifier,
    pyspark.ml.classification.MultilayerPerceptronClassifier,
]
print("forms", {form.__module__ for form in forms})
rows = [(Vectors.dense([x, z]), float(x != z)) for x in (0.0, 1.0) for z in (0.0, 1.0)]
frame = spark.createDataFrame(rows, ["features", "label"])
fitted = Pipeline(stages=[Named(layers=[2, 5, 2], seed=1, maxIter=3)]).fit(frame)
fitted.save(sys.argv[1] + "/python")
model = PipelineModel.load(sys.argv[1] + "/python").stages[0]
print("loaded", type(model).__module__, model.weights == fitted.stages[0].weights)
theirs = model.to_spark()
print("to_spark", type(theirs).__module__, theirs.predict(Vectors.dense([0.0, 1.0])))
PipelineModel([theirs]).save(sys.argv[1] + "/java")
again = PipelineModel.load(sys.argv[1] + "/java").stages[0]
print("java", type(again).__module__, again.weights == model.weights)
print("pickle", pickle.loads(pickle.dumps(type(theirs))) is type(theirs))
print("ours", pickle.loads(pickle.dumps(model)).weights == model.weights)
print("cloudpickle", cloudpickle.loads(cloudpickle.dumps(type(theirs))).__name__)
print("arguments", sys.argv[2:], __name__)
'''
EXPECTED = """forms {'mlp.spark.classification'}
loaded mlp.spark.classification True
to_spark pyspark.ml.classification 1.0
java mlp.spark.classification True
pickle True
ours True
cloudpickle MultilayerPerceptronClassificationModel
arguments ['--flag'] __main__
"""
SECONDS = 300


def run(*arguments: str, cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        [sys.executable, "-m", "mlp.spark", *arguments],
        capture_output=True, text=True, timeout=SECONDS, cwd=cwd, env=environment,
    )


def test_all_imports_give_our_classes(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    result = run(str(script), str(tmp_path), "--flag")

    assert result.returncode == 0, result.stderr
    assert result.stdout == EXPECTED


def test_runs_a_module(tmp_path: pathlib.Path) -> None:
    (tmp_path / "tool.py").write_text(
        "import sys\nfrom pyspark.ml.classification import MultilayerPerceptronClassifier as C\n"
        "print(C.__module__, sys.argv[1:], __name__)\n"
    )

    result = run("-m", "tool", "x", cwd=tmp_path)

    assert result.stdout == "mlp.spark.classification ['x'] __main__\n", result.stderr


@pytest.mark.parametrize("arguments, status", [(["--help"], 0), ([], 2), (["-x"], 2), (["-m"], 2)])
def test_explains_its_arguments(arguments: list[str], status: int) -> None:
    result = run(*arguments)

    assert result.returncode == status
    assert "usage: python -m mlp.spark SCRIPT" in (result.stderr if status else result.stdout)
