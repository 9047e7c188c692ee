# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The JVM and mlp.spark answer each case of tests/front_ends as its rule asks for."""

import importlib
import pathlib
from typing import Any

import pytest

pytest.importorskip("pyspark")
from front_ends.case import Case  # noqa: E402
from front_ends.cases import CASES  # noqa: E402
from front_ends.front_ends import IN_SPARK, reason_against  # noqa: E402
from front_ends.result import difference  # noqa: E402
from front_ends.spark_frames import Frames  # noqa: E402
from mlp import NotCompiled  # noqa: E402
from mlp.spark import jar_path  # noqa: E402

RUNS = [
    (name, case) for name in IN_SPARK for case in CASES if not reason_against(name, case)
]


@pytest.fixture(scope="module")
def frames(session: Any) -> Frames:
    return Frames(session)


@pytest.mark.parametrize("name, case", RUNS, ids=[f"{name}-{case.name}" for name, case in RUNS])
def test_answers_as_the_rule_asks(
    name: str, case: Case, frames: Frames, tmp_path: pathlib.Path
) -> None:
    if name == "jvm":
        try:
            jar_path()
        except NotCompiled as error:
            pytest.skip(str(error))
    runner = importlib.import_module(f"front_ends.{name}_runner")

    told = difference(name, case, runner.run(case, tmp_path, frames))

    assert not told, told
