# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of groups, and the tasks that they are divided into."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.by_group.keys import key_fields, key_names, num_tasks  # noqa: E402


def test_takes_one_name_or_several() -> None:
    assert key_names("store") == ["store"]
    assert key_names(("store", "product")) == ["store", "product"]


def test_refuses_a_name_twice() -> None:
    with pytest.raises(mlp.ParamError, match="must have different names"):
        key_names(["store", "store"])


def test_fields_have_the_names_and_types_of_the_dataset(session: Any) -> None:
    frame = session.range(1).selectExpr("id AS `a.b`", "date '2026-01-01' AS day")

    fields = key_fields(frame, ["a.b", "day"])

    assert [(f.name, f.dataType.simpleString()) for f in fields] == [("a.b", "bigint"), ("day", "date")]


def test_there_are_four_tasks_for_each_slot(session: Any) -> None:
    assert num_tasks(session) == 8
