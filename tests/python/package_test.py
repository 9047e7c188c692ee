# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The installed package: its types, its examples, its program, its table."""
from __future__ import annotations

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import shutil
import subprocess
import sys

import pytest

import mlp
from mlp._parameters import PARAMETERS

PACKAGE = pathlib.Path(mlp.__file__).parent
MODULES = sorted(
    name for _, name, _ in pkgutil.walk_packages([str(PACKAGE)], "mlp.")
    if not name.endswith(("__main__", "._core"))
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_documentation_are_right(name) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_every_public_class_has_an_example() -> None:
    for estimator in (mlp.MLPClassifier, mlp.MLPRegressor, mlp.Model):
        assert ">>>" in (inspect.getdoc(estimator) or "")


def test_the_types_are_complete() -> None:
    pytest.importorskip("mypy")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "-p", "mlp"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout


def test_the_package_declares_its_types() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_core.pyi").exists()


def test_the_program_has_the_version_of_the_package() -> None:
    program = shutil.which("mlp")
    if program is None:
        pytest.skip("the program mlp is not installed")
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert mlp.__version__ in output.stdout


def test_the_estimators_have_every_hyper_parameter_of_the_library() -> None:
    signature = inspect.signature(mlp.MLPClassifier).parameters
    names = [parameter.name for parameter in PARAMETERS]
    assert len(names) >= 25
    assert [name for name in signature if name in names] == names
    text = " ".join((mlp.MLPClassifier.__doc__ or "").split())
    for parameter in PARAMETERS:
        assert " ".join(parameter.sentence.split()) in text.replace("xavier- normal", "xavier-normal")
        if parameter.is_set_by_preset:
            assert signature[parameter.name].default is None
        else:
            assert signature[parameter.name].default == parameter.spark
