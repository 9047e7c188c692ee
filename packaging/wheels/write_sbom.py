#!/usr/bin/env python3
# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of all software inside a wheel, as CycloneDX 1.6 in JSON.

Usage: write_sbom.py FILE spark-mlp=VERSION NAME=VERSION,PATH...
  FILE      spark-mlp.cdx.json, which PEP 770 expects in *.dist-info/sboms/
  NAME      of COMPONENTS below; what is not named is not in the wheel
  VERSION   as the build found it
  PATH      a file of the component: if a package of Debian has it, the list names
            that package, whose version counts the security fixes of Debian

The document has no date and no random number: the same build gives the same bytes.
"""

import json
import pathlib
import re
import subprocess
import sys
from urllib.parse import quote

GLOO_SCRIPT = pathlib.Path(__file__).with_name("gloo")

# What may be inside: description, licence, and the address of the source where no
# package of Debian has it; {} stands for the version.
COMPONENTS = {
    "eigen": ("matrices; headers", "MPL-2.0", "pkg:gitlab/libeigen/eigen@{}"),
    "nlohmann-json": ("reads JSON; headers", "MIT", "pkg:github/nlohmann/json@v{}"),
    "highway": ("vector instructions; headers", "Apache-2.0", "pkg:github/google/highway@{}"),
    "zlib": ("static library", "Zlib", "pkg:github/madler/zlib@v{}"),
    "libstdc++": (
        "static C++ library of GCC", "GPL-3.0-or-later WITH GCC-exception-3.1",
        "pkg:generic/gcc@{}",
    ),
    "libgcc": (
        "static run-time library of GCC", "GPL-3.0-or-later WITH GCC-exception-3.1",
        "pkg:generic/gcc@{}",
    ),
    "glibc": (
        "start files of the GNU C library", "LGPL-2.1-or-later WITH GCC-exception-2.0-note",
        "pkg:generic/glibc@{}",
    ),
    "gloo": ("sums between processes; static library", "BSD-3-Clause",
             "pkg:github/pytorch/gloo@{}"),
    "nanobind": ("binding of C++ and Python", "BSD-3-Clause", "pkg:pypi/nanobind@{}"),
    "robin-map": ("hash tables, inside nanobind", "MIT", "pkg:github/Tessil/robin-map@v{}"),
}


def run(*command):
    """Returns what a command prints; an empty text if it fails or is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def debian_address(path):
    """Returns the package URL of the package of Debian that has a file, or none."""
    if not path or not pathlib.Path(path).is_file():
        return ""
    owner = run("dpkg-query", "--search", str(pathlib.Path(path).resolve()))
    if not owner:
        return ""
    fields = r"${binary:Package}\n${Version}\n${Architecture}\n${source:Package}\n"
    name, version, architecture, source = run(
        "dpkg-query", "--show", f"--showformat={fields}", owner.rpartition(": ")[0]
    ).splitlines()
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', read("/etc/os-release"), re.MULTILINE))
    distribution = release.get("ID", "debian")
    return (
        f"pkg:deb/{distribution}/{quote(name.partition(':')[0], safe='')}"
        f"@{quote(version, safe='')}"
        f"?arch={architecture}&distro={distribution}-{release.get('VERSION_ID', 'unknown')}"
        f"&upstream={quote(source, safe='')}"
    )


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def component(name, version, path):
    """Returns the entry of a component."""
    description, license_id, address = COMPONENTS[name]
    purl = debian_address(path) or address.format(version)
    choice = {"expression": license_id}
    if " " not in license_id:
        choice = {"license": {"id": license_id}}
    return {
        "type": "library", "bom-ref": name, "name": name, "version": version,
        "description": description, "licenses": [choice], "purl": purl,
    }


def gloo():
    """Returns the entry of the Gloo that packaging/wheels/gloo builds."""
    settings = dict(re.findall(r"^(name|sha256)=(\S+)$", read(GLOO_SCRIPT), re.MULTILINE))
    version = re.search(r"_(.+)\.orig\.", settings["name"]).group(1)
    entry = component("gloo", version, "")
    entry["purl"] = COMPONENTS["gloo"][2].format(version.rpartition(".")[2])
    entry["externalReferences"] = [{
        "type": "source-distribution",
        "url": quote(settings["name"]),
        "hashes": [{"alg": "SHA-256", "content": settings["sha256"]}],
    }]
    return entry


def robin_map(folder):
    """Returns the entry of the copy inside nanobind."""
    header = "ext/robin_map/include/tsl/robin_growth_policy.h"
    numbers = re.findall(r"define TSL_RH_VERSION_\w+ (\d+)", read(pathlib.Path(folder, header)))
    return component("robin-map", ".".join(numbers), "")


def entries(given):
    """Yields the entries of what the command line names."""
    for name, value in given.items():
        version, _, path = value.partition(",")
        yield gloo() if name == "gloo" else component(name, version, path)
        if name == "nanobind":
            yield robin_map(path)


def document(package, components):
    """Returns the document of a package and its components."""
    names = [entry["name"] for entry in components]
    inside = {"nanobind": ["robin-map"]}
    outer = [name for name in names if name != "robin-map"]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {
            "type": "library", "bom-ref": "spark-mlp", "name": "spark-mlp", "version": package,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "purl": f"pkg:pypi/spark-mlp@{package}",
        }},
        "components": components,
        "dependencies": [
            {"ref": "spark-mlp", "dependsOn": outer},
            *({"ref": name, "dependsOn": inside.get(name, [])} for name in names),
        ],
    }


def main():
    given = dict(argument.split("=", 1) for argument in sys.argv[2:])
    package = given.pop("spark-mlp", "")
    if not package or given.keys() - COMPONENTS.keys():
        sys.exit(__doc__)
    text = json.dumps(document(package, list(entries(given))), indent=2)
    pathlib.Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
