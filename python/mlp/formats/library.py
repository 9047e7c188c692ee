# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that a converter needs and that mlp itself does not."""
from __future__ import annotations

import importlib
from typing import Any

__all__ = ["import_library"]


def import_library(name: str, extra: str) -> Any:
    """Imports a module, or names the extra of the package that has it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"this format needs {package}, which cannot be imported ({error}); install it "
            f"with: python -m pip install 'spark-mlp[{extra}]'",
            name=package,
        ) from error
