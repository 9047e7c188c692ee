# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The native functions of the jar, from a test in Java that is in their package."""

import pathlib
import shutil
import subprocess

import pytest

pytest.importorskip("pyspark")
import pyspark  # noqa: E402
from conftest import ROOT  # noqa: E402
from mlp import NotCompiled  # noqa: E402
from mlp.spark import jar_path  # noqa: E402

SOURCE = ROOT / "tests" / "jvm" / "io" / "mlp" / "spark" / "NativeTest.java"
MAX_SECONDS = 120


def run(*command: object) -> str:
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True, timeout=MAX_SECONDS)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_native_functions_refuse_what_they_cannot_use(tmp_path: pathlib.Path) -> None:
    try:
        jar = jar_path()
    except NotCompiled as error:
        pytest.skip(str(error))
    if shutil.which("javac") is None:
        pytest.skip("needs javac; install openjdk-17-jdk-headless")
    jars = pathlib.Path(pyspark.__file__).parent / "jars"
    classes = f"{jar}:{jars}/*"

    run("javac", "-cp", classes, "-d", tmp_path, SOURCE)
    printed = run("java", "-Xcheck:jni", "-cp", f"{tmp_path}:{classes}", "io.mlp.spark.NativeTest")

    assert "the native functions refuse what they cannot use" in printed
    assert "WARNING" not in printed and "FATAL" not in printed


def test_the_documentation_of_the_classes_has_no_warnings(tmp_path: pathlib.Path) -> None:
    if shutil.which("javadoc") is None:
        pytest.skip("needs javadoc; install openjdk-17-jdk-headless")
    jars = pathlib.Path(pyspark.__file__).parent / "jars"
    sources = sorted((ROOT / "jvm" / "io" / "mlp" / "spark").glob("*.java"))

    run("javadoc", "-quiet", "-Xdoclint:all,-missing", "-Werror", "-public", "-cp", f"{jars}/*",
        "-d", tmp_path, *sources)

    assert "setThresholds" in (tmp_path / "io/mlp/spark/NativeMlpModel.html").read_text()
