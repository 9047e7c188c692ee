# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The list of the software inside the wheel."""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
from conftest import ROOT

from mlp import _core

SCRIPT = ROOT / "packaging" / "wheels" / "write_sbom.py"


def read_installed() -> str:
    """Returns the document of the installed wheel."""
    try:
        files = importlib.metadata.files("spark-mlp") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed from a wheel")
    found = [file for file in files if file.match("*.dist-info/sboms/spark-mlp.cdx.json")]
    assert len(found) == 1
    return found[0].read_text()


def check_schema(text: str) -> None:
    """Checks a document with the official schema."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error


def write(folder: pathlib.Path, *arguments: str) -> Any:
    file = folder / "spark-mlp.cdx.json"
    subprocess.run([sys.executable, SCRIPT, file, *arguments], check=True)
    text = file.read_text()
    check_schema(text)
    return json.loads(text)


def test_the_wheel_lists_what_is_compiled_into_it() -> None:
    text = read_installed()
    check_schema(text)
    document = json.loads(text)

    component = document["metadata"]["component"]
    versions = {entry["name"]: entry["version"] for entry in document["components"]}
    assert component["purl"] == f"pkg:pypi/spark-mlp@{_core.__version__}"
    assert {
        "eigen", "glibc", "highway", "libgcc", "libstdc++", "nanobind", "nlohmann-json",
        "robin-map", "zlib",
    } <= versions.keys() <= {*versions, "gloo"}
    assert all(re.match(r"\d+[.]\d+", version) for version in versions.values())
    assert not {"serialNumber", "timestamp"} & {*document, *document["metadata"]}


def test_names_the_source_of_gloo_by_its_hash(tmp_path: pathlib.Path) -> None:
    document = write(tmp_path, "spark-mlp=1.0.0", "gloo=")

    [gloo] = document["components"]
    [source] = gloo["externalReferences"]
    name = SCRIPT.with_name("gloo").read_text()
    assert source["url"] in name
    assert source["hashes"][0]["content"] in name
    assert document["dependencies"][0] == {"ref": "spark-mlp", "dependsOn": ["gloo"]}


def test_names_no_package_of_debian_for_other_files(tmp_path: pathlib.Path) -> None:
    for path in (tmp_path / "libz.a", "", "/root"):
        document = write(tmp_path, "spark-mlp=1.0.0", f"zlib=1.3,{path}")

        [zlib] = document["components"]
        assert (zlib["version"], zlib["purl"]) == ("1.3", "pkg:github/madler/zlib@v1.3")


@pytest.mark.parametrize("arguments", [["zlib=1.3,"], ["spark-mlp=1.0.0", "bzip2=1.0,"]])
def test_refuses_a_component_without_a_licence(
    arguments: list[str], tmp_path: pathlib.Path
) -> None:
    result = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "file", *arguments], capture_output=True, text=True
    )

    assert result.returncode == 1
    assert result.stderr.startswith("Writes the list of all software")
