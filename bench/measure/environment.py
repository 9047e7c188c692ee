# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The Python environment in which the peers run, made on request."""
import subprocess
import sys
import venv

GROUPS = {"core": "requirements.txt", "torch": "requirements-torch.txt",
          "spark": "requirements-spark.txt",
          "package": "requirements-package.txt"}


def install(folder, group, sources):
    """Makes the environment where it is missing and installs pinned versions.

    group  one of GROUPS, or "all"
    """
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    for name in (GROUPS if group == "all" else [group]):
        print(f"installing {GROUPS[name]} into {folder}", flush=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet",
                               "--disable-pip-version-check",
                               "-r", sources / GROUPS[name]], check=False,
                              cwd=sources.parent.parent)
        if done.returncode != 0:
            sys.exit(f"bench/goals.py: could not install {GROUPS[name]}")
