# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of groups, and the tasks that they are divided into."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.by_group import keys  # noqa: E402
from mlp.spark.by_group.keys import key_fields, key_names, key_text, num_tasks  # noqa: E402


def test_takes_one_name_or_several() -> None:
    assert key_names("store") == ["store"]
    assert key_names(("store", "product")) == ["store", "product"]


@pytest.mark.parametrize("names", [["store", "store"], ["store", "Store"], ["Model"]])
def test_refuses_a_name_twice_in_any_case(names: list[str]) -> None:
    with pytest.raises(mlp.ParamError, match=f"must have different names.* got '{names[0]}'"):
        key_names(names)


def test_fields_have_the_names_and_types_of_the_dataset(session: Any) -> None:
    frame = session.range(1).selectExpr("id AS `a.b`", "date '2026-01-01' AS day")

    fields = key_fields(frame, ["a.b", "day"])

    assert [(f.name, f.dataType.simpleString()) for f in fields] == [("a.b", "bigint"), ("day", "date")]


def test_refuses_columns_without_a_type(session: Any) -> None:
    with pytest.raises(mlp.ParamError, match="got store of type void"):
        key_fields(session.range(1).selectExpr("null AS store"), ["store"])


def test_refuses_collations_that_do_not_compare_bytes(session: Any) -> None:
    if session.version.startswith("3."):
        pytest.skip("Spark 3 has no collations")
    frame = session.range(1).selectExpr("collate('a', 'UTF8_LCASE') AS store")
    with pytest.raises(mlp.ParamError, match="collation UTF8_BINARY; got store of UTF8_LCASE"):
        key_fields(frame, ["store"])


def texts_of(frame: Any) -> list[Any]:
    field = key_fields(frame, ["key"])[0]
    return [row[0] for row in frame.coalesce(1).select(key_text("key", field.dataType)).collect()]


@pytest.mark.parametrize("kind", ["float", "double"])
def test_texts_of_numbers_are_equal_where_groups_are(session: Any, kind: str) -> None:
    numbers = "VALUES '-0.0', '0.0', 'NaN', '1.5', null AS numbers(key)"

    texts = texts_of(session.sql(f"SELECT {kind}(key) AS key FROM {numbers}"))

    assert texts == ["0.0", "0.0", "NaN", "1.5", None]


def test_texts_of_bytes_and_times_are_different(session: Any) -> None:
    assert texts_of(session.sql("SELECT explode(array(X'FF', X'FE')) AS key")) == ["FF", "FE"]
    # Both are 2024-10-27 02:00 in Berlin.
    session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        hours = "VALUES 1729987200, 1729990800 AS hours(second)"
        times = session.sql(f"SELECT timestamp_seconds(second) AS key FROM {hours}")
        assert texts_of(times) == ["1729987200000000", "1729990800000000"]
    finally:
        session.conf.unset("spark.sql.session.timeZone")


class FakeSession:
    """The settings of a session."""

    def __init__(self, **settings: str) -> None:
        self.conf = {name.replace("_", "."): value for name, value in settings.items()}


@pytest.mark.parametrize("slots, expected", [(0, 200), (4, 200), (100, 400), (None, None)])
def test_a_cluster_may_still_start(
    monkeypatch: pytest.MonkeyPatch, slots: int | None, expected: int | None
) -> None:
    monkeypatch.setattr(keys, "count_slots", lambda session: slots)

    assert num_tasks(FakeSession(spark_master="yarn")) == expected


def test_dynamic_allocation_starts_without_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "count_slots", lambda session: None)
    settings = {"spark_dynamicAllocation_enabled": "true", "spark_sql_shuffle_partitions": "30"}

    assert num_tasks(FakeSession(**settings)) == 30


def test_there_are_four_tasks_for_each_slot(session: Any) -> None:
    assert num_tasks(session) == 8
