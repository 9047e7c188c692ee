# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The unrelated package ``mlp`` of PyPI, which has the import name of this one."""
from __future__ import annotations

import pathlib
import warnings


def warn_of_namesake(site: pathlib.Path) -> None:
    """Warns if the package mlp of PyPI is installed in a folder of packages.

    pip writes the files of both packages into one folder, and removes files of this
    one with the other.
    """
    if any(site.glob("mlp-*.*-info")):
        warnings.warn(
            "an unrelated package named mlp is installed in the same folder, and pip "
            "mixes its files with those of spark-mlp; run 'pip uninstall mlp', then "
            "install the wheel of spark-mlp again, with --force-reinstall --no-deps", stacklevel=3)
