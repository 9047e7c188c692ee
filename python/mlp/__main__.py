# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m mlp convert``: the commands that need libraries of Python."""
from __future__ import annotations

import sys

from .convert import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
