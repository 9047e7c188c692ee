# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The memory that settings of Spark give a task, and what is left of it."""

from __future__ import annotations

import logging
from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp import ResourceError, _core  # noqa: E402
from mlp.spark.training import cluster  # noqa: E402
from mlp.spark.training.memory import task_memory  # noqa: E402
from mlp.spark.training.memory.task_memory import (  # noqa: E402
    MemoryLeft,
    TaskMemory,
    allowed_bytes,
    memory_left,
    naming_setting,
    read_task_memory,
    require_memory,
    trainings_at_once,
    warn_of_memory,
)
from mlp.spark.training.one_task import make_settings  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402

from spark.training.training_test import Session  # noqa: E402

MIB = 1 << 20
GIB = 1 << 30
PYSPARK = "spark.executor.pyspark.memory"
OVERHEAD = "spark.executor.memoryOverhead"
CORES = "spark.executor.cores"
CPUS = "spark.task.cpus"


@pytest.mark.parametrize("master, settings, expected", [
    ("local[8]", {}, TaskMemory(2)),
    ("local[8]", {PYSPARK: "512m"}, TaskMemory(2, 512 * MIB, PYSPARK)),
    ("spark://a:7077", {CORES: "4"}, TaskMemory(4)),
    ("spark://a:7077", {CORES: "4", CPUS: "2"}, TaskMemory(2)),
    ("spark://a:7077", {CORES: "4", CPUS: "2", PYSPARK: "2g"},
     TaskMemory(2, GIB / 2, PYSPARK, 4)),
    ("spark://a:7077", {}, TaskMemory(3)),
    ("spark://a:7077", {PYSPARK: "700"}, TaskMemory(3, 700 * MIB, PYSPARK)),
    ("yarn", {CORES: "4"}, TaskMemory(4, 96 * MIB, OVERHEAD, 4)),
    ("yarn", {CORES: "2", "spark.executor.memory": "10g"}, TaskMemory(2, GIB / 2, OVERHEAD, 2)),
    ("yarn", {CORES: "4", OVERHEAD: "2g"}, TaskMemory(4, GIB / 2, OVERHEAD, 4)),
    ("yarn", {CORES: "4", OVERHEAD: "2g", PYSPARK: "4g"}, TaskMemory(4, GIB, PYSPARK, 4)),
    ("k8s://b", {CORES: "1", "spark.kubernetes.memoryOverheadFactor": "0.4",
                 "spark.executor.memory": "5g"}, TaskMemory(1, 2 * GIB, OVERHEAD)),
    ("k8s://b", {CORES: "1", "spark.executor.memoryOverheadFactor": "0.5",
                 "spark.executor.memory": "5g"}, TaskMemory(1, 2.5 * GIB, OVERHEAD)),
])
def test_reads_the_settings_of_an_executor(
    master: str, settings: dict[str, str], expected: TaskMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_memory, "count_slots", lambda session: 12)
    monkeypatch.setattr(task_memory, "count_executors", lambda session: 5)
    session: Any = Session(master, False)
    session.conf.settings |= settings

    assert read_task_memory(session, 2) == expected


@pytest.mark.parametrize("master, num_tasks, expected", [
    ("local[8]", 1, TaskMemory(1, GIB, PYSPARK)),
    ("local[8]", 5, TaskMemory(5, GIB, PYSPARK)),
    ("local[8]", 20, TaskMemory(8, GIB, PYSPARK)),
    ("spark://a:7077", 1, TaskMemory(4, GIB / 4, PYSPARK, 4)),
    ("spark://a:7077", 20, TaskMemory(4, GIB / 4, PYSPARK, 4)),
    ("yarn", 20, TaskMemory(4, GIB / 4, PYSPARK, 4)),
])
def test_trainings_at_the_same_time_share_what_slots_share(
    master: str, num_tasks: int, expected: TaskMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_memory, "count_slots", lambda session: 8)
    session: Any = Session(master, False)
    session.conf.settings |= {PYSPARK: "1g"}
    if not master.startswith("local"):
        session.conf.settings |= {CORES: "4"}

    assert read_task_memory(session, num_tasks) == expected


def test_executors_of_one_machine_divide_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_memory, "executors_of_host", lambda session: 3)
    session: Any = Session("yarn", False)
    session.conf.settings |= {CORES: "2", OVERHEAD: "1g"}

    assert read_task_memory(session, 2) == TaskMemory(6, GIB / 2, OVERHEAD, 2)


def test_settings_that_are_no_sizes_say_nothing() -> None:
    session: Any = Session("yarn", False)
    session.conf.settings |= {CORES: "2", OVERHEAD: "much"}

    assert read_task_memory(session, 2) == TaskMemory(2)


@pytest.mark.parametrize("text, expected", [
    ("4g", 4 * GIB), ("512", 512 * MIB), ("1kb", 1024), ("100b", 100), ("1P", 1 << 50),
])
def test_reads_sizes_as_spark_does(text: str, expected: int) -> None:
    assert cluster.size_in_bytes(text) == expected


def test_the_least_of_all_limits_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_memory, "resident_bytes", lambda: 1e8)
    monkeypatch.setattr(_core, "share_memory", lambda count: (8e9 / count, "the machine", False))

    of_machine = memory_left(TaskMemory(4))
    of_setting = memory_left(TaskMemory(4, 5e8, OVERHEAD, 4))
    of_both = memory_left(TaskMemory(4, 9e9, OVERHEAD, 4))

    assert (of_machine.num_bytes, of_machine.limit) == (2e9, "the machine")
    assert (of_setting.num_bytes, of_setting.hint) == (4e8, f"raise {OVERHEAD}")
    assert of_both == of_machine and not of_setting.is_enforced


def test_a_limit_of_the_address_space_is_named_by_its_setting(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "share_memory", lambda count: (3e8, "ulimit -v", True))

    left = memory_left(TaskMemory(4, 1e12, PYSPARK, 4))

    assert left == MemoryLeft(3e8, f"limit by {PYSPARK}", True, f"raise {PYSPARK}")


@pytest.mark.parametrize("num_bytes, is_enforced, expected", [
    (1e9, False, 6e8), (1e9, True, 6e8), (1e7, False, 64e6), (1e7, True, 6e6),
])
def test_rows_may_take_most_of_what_is_left(
    num_bytes: float, is_enforced: bool, expected: float
) -> None:
    left = MemoryLeft(num_bytes, "", is_enforced, "")

    assert allowed_bytes(left) == pytest.approx(expected)


def settings_of(layers: str) -> list[_core.Settings]:
    request = FitRequest("classification", {"layers": layers, "maxIter": "100"})
    return [make_settings(request, [])]


def test_a_training_above_an_enforced_limit_is_refused_with_the_setting() -> None:
    left = MemoryLeft(2e8, f"limit by {PYSPARK}", True, f"raise {PYSPARK}")

    require_memory(settings_of("784,32,10"), left._replace(num_bytes=1.0))
    require_memory(settings_of("784,32,10"), left, 1000)
    with pytest.raises(ResourceError) as caught:
        require_memory(settings_of("784,2000,10"), left, 1000)

    sentence = str(caught.value)
    assert sentence.startswith("training needs ") and "for solver l-bfgs" in sentence
    assert sentence.endswith(f"200 MB are left (limit by {PYSPARK}); raise {PYSPARK}")


@pytest.mark.parametrize("layers, num_bytes, copied, expected", [
    ("4,3", 1.0, 1e3, 3),  # nothing is asked below 64 MB
    ("784,2000,10", 1e12, 1e6, 3),
    ("784,2000,10", 1.0, 1e6, 1),
    ("4,3", 2.5e9, 1e9, 2),
    ("4,3", 9e9, 1e9, 3),
])
def test_trainings_of_a_task_share_its_memory(
    layers: str, num_bytes: float, copied: float, expected: int
) -> None:
    left = MemoryLeft(num_bytes, "", False, "")

    assert trainings_at_once(3 * settings_of(layers), left, copied) == expected


def test_a_setting_that_gives_too_little_is_named_before_the_job(
    caplog: pytest.LogCaptureFixture
) -> None:
    memory = TaskMemory(4, 1e8, OVERHEAD, 4)

    with caplog.at_level(logging.WARNING, "mlp.spark"):
        warn_of_memory(settings_of("784,32,10"), memory)
        assert not caplog.records
        warn_of_memory(settings_of("784,2000,10"), memory._replace(num_bytes=8e9))
        assert not caplog.records
        warn_of_memory(settings_of("784,2000,10"), memory)

    (record,) = caplog.records
    assert f"{OVERHEAD} gives each task of an executor 100 MB" in record.getMessage()
    assert "set it to at least " in record.getMessage()


def test_tasks_of_an_executor_divide_the_memory_of_the_machine() -> None:
    alone, _, is_own = _core.share_memory(1)
    shared, _, _ = _core.share_memory(4)

    assert is_own or shared == pytest.approx(alone / 4, rel=0.2)
    with pytest.raises(ValueError, match="num_processes must be >= 1; got 0"):
        _core.share_memory(0)


def test_memory_that_ends_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "share_memory", lambda count: (3e8, "ulimit -v", True))

    with pytest.raises(ResourceError) as caught:
        with naming_setting(TaskMemory(1, 1e12, PYSPARK)):
            raise MemoryError("realloc of size 80000000 failed")

    sentence = str(caught.value)
    assert sentence.startswith(f"the memory of a task ended (limit by {PYSPARK}): realloc of size ")
    assert f"raise {PYSPARK}, or make the batches of rows smaller by " in sentence


def test_slots_are_cores_divided_by_those_of_a_task() -> None:
    session: Any = Session("yarn", False)
    session.conf.settings |= {CORES: "8", CPUS: "3"}

    assert cluster.slots_of_executor(session, 100) == 2
