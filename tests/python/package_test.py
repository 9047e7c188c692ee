# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The installed package: its types, its examples, its program, its table."""

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

import mlp
from mlp._namesake import warn_of_namesake
from mlp._parameters import PARAMETERS

PACKAGE = pathlib.Path(mlp.__file__).parent
# The plugin is no module, and tests/python/spark has the examples of mlp.spark.
OTHERS = ("__main__", "._core", ".libmlp_gloo", ".spark")
MODULES = sorted(
    name for _, name, _ in pkgutil.walk_packages([str(PACKAGE)], "mlp.", onerror=lambda name: None)
    if not name.endswith(OTHERS) and not name.startswith("mlp.spark.")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_documentation_are_right(name) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_warns_of_the_unrelated_package_of_the_same_name(tmp_path) -> None:
    (tmp_path / "spark_mlp-1.0.dist-info").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_namesake(tmp_path)
    (tmp_path / "mlp-1.1.dist-info").mkdir()

    with pytest.warns(UserWarning, match="pip uninstall mlp"):
        warn_of_namesake(tmp_path)


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


def test_the_program_says_how_pip_adds_what_it_lacks() -> None:
    program = shutil.which("mlp")
    if program is None:
        pytest.skip("the program mlp is not installed")
    output = subprocess.run([program, "doctor"], capture_output=True, text=True, check=True).stdout
    assert "this build" not in output
    assert re.search(
        r"nccl: NCCL is not part of this Python package; install the CUDA Toolkit \S+ or later and "
        "build the package from its source code, with pip install -C "
        "cmake.define.MLP_WITH_CUDA=ON FOLDER\n",
        output,
    )


# What every Linux has; the wheel brings the rest with it.
OF_THE_SYSTEM = {"linux-vdso", "libc", "libm", "libpthread", "libdl", "librt", "libgcc_s",
                 "ld-linux-x86-64", "ld-linux-aarch64"}


@pytest.mark.parametrize("name", ["extension", "program"])
def test_links_the_c_library_alone(name) -> None:
    path = mlp._core.__file__ if name == "extension" else shutil.which("mlp")
    if path is None:
        pytest.skip("the program mlp is not installed")
    output = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    libraries = {pathlib.Path(line.split()[0]).name.split(".")[0] for line in output.splitlines()}
    if "libasan" in output:
        pytest.skip("sanitizers are linked")
    assert libraries <= OF_THE_SYSTEM


def test_works_with_numpy_alone_in_an_empty_environment(tmp_path, iris) -> None:
    if "LD_PRELOAD" in os.environ:
        pytest.skip("sanitizers are loaded first")
    site = tmp_path / "site"
    site.mkdir()
    numpy = pathlib.Path(np.__file__).parent
    for package in (numpy, numpy.parent / "numpy.libs", PACKAGE):
        if package.exists():
            (site / package.name).symlink_to(package)
    np.savez(tmp_path / "iris.npz", X=iris[0], y=iris[1])
    program = f"""
import sys
sys.path = [path for path in sys.path if "packages" not in path] + [{str(site)!r}]
import numpy as np, mlp
data = np.load({str(tmp_path / "iris.npz")!r})
estimator = mlp.MLPClassifier(layers=[4, 5, 3], seed=1).fit(data["X"], data["y"])
estimator.model_.save({str(tmp_path / "model.json")!r})
model = mlp.Model.load({str(tmp_path / "model.json")!r})
print((model.predict(data["X"]) == estimator.predict(data["X"])).all(),
      sorted(set(name.split(".")[0] for name in sys.modules) & {{"sklearn", "scipy", "pandas"}}))
"""
    output = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        capture_output=True, text=True, env={"PATH": "/nowhere"},
    )
    assert output.stdout.strip() == "True []", output.stderr


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
