# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on a standalone cluster of two workers, each case in a session of its own."""

import pathlib
import shutil
import sys
import tarfile
from typing import Any

import pytest

from spark.training.clusters.programs import run_program

ROUNDING = 1e-9
# A fit of one task takes half a second, one of two tasks one, and an executor starts in about
# five. A fit waits ten seconds for a taken slot. On a machine with much other load all of
# that takes ten times as long.
FIT_SECONDS = 20.0
WAIT_SECONDS = 10.0
START_SECONDS = 60.0
# A connection that closes is noticed in milliseconds, and Ctrl-C is: far before a fit gives
# up waiting.
NOTICE_SECONDS = 8.0
# Spark ends the process of a cancelled task after spark.python.task.killTimeout, which is 2 s.
CANCEL_SECONDS = 15.0
# A case takes half a minute, and its session starts in ten seconds of it.
CASE_SECONDS = 400.0


def run_case(name: str, *arguments: str) -> Any:
    return run_program("standalone_program.py", name, *arguments, timeout=CASE_SECONDS)


def test_a_slot_that_another_job_holds_does_not_stall_a_fit(master: str) -> None:
    held = run_case("held", master)

    assert held["is_held"]
    assert held["chosen"] < FIT_SECONDS
    assert held["pair"] < FIT_SECONDS + WAIT_SECONDS
    assert "1 of the 2 slots of a job are free" in held["log"]


def test_an_executor_that_is_killed_during_the_iterations_starts_the_fit_again(
    master: str
) -> None:
    killed = run_case("killed", master)

    assert "attempt 1 of 3 to train on 2 tasks failed" in killed["log"][0]
    assert "lost its process or its executor" in killed["log"][0]
    assert "starts again from the beginning" in killed["log"][0]
    assert sum("starts again" in line for line in killed["log"]) == 1
    assert killed["seconds_to_notice"] < NOTICE_SECONDS
    assert killed["difference"] < ROUNDING


@pytest.mark.slow
def test_ctrl_c_ends_the_tasks_and_leaves_the_session(master: str) -> None:
    interrupted = run_case("interrupted", master)

    assert interrupted["raised"] == "KeyboardInterrupt"
    assert interrupted["seconds_to_raise"] < NOTICE_SECONDS
    assert interrupted["seconds_to_cancel"] < CANCEL_SECONDS
    assert interrupted["next_seconds"] < START_SECONDS


@pytest.mark.slow
def test_tasks_of_two_cores_in_fair_pools_have_one_slot_a_worker(master: str) -> None:
    report = run_case("two_cores", master)

    (first, size), (second, _) = report["processes"]
    assert size == 2 and first != second
    assert report["num_tasks"] == 8
    assert report["pair"]["size"] == 21
    assert report["pair"]["difference"] < ROUNDING
    assert report["pools"]["count"] == 2
    assert report["pools"]["seconds"] < 2 * FIT_SECONDS
    assert report["shared"] == 5


@pytest.mark.slow
def test_fits_under_dynamic_allocation_wait_for_their_executors_alone(master: str) -> None:
    report = run_case("allocation", master)

    assert report["log"][0].startswith("1 of at most 2 tasks train, in about ")
    assert report["small_seconds"] < FIT_SECONDS
    assert report["first_seconds"] < START_SECONDS
    assert report["pair_seconds"] < FIT_SECONDS
    assert report["two_fits"]["count"] == 2
    assert report["two_fits"]["seconds"] < 2 * FIT_SECONDS
    assert report["pair"]["size"] == report["adam"]["size"] == 21
    assert report["pair"]["difference"] < ROUNDING
    assert not [line for line in report["log"] if "again" in line]


@pytest.mark.slow
def test_a_copy_of_a_rank_that_spark_starts_leaves_at_once(master: str) -> None:
    report = run_case("speculation", master)

    assert report["ranks"] == [0, 1]
    assert [line for line in report["log"] if "is a copy of one that trains" in line]
    assert report["pair"]["difference"] < ROUNDING


def make_archive(folder: pathlib.Path) -> pathlib.Path:
    """Packs the environment of this Python, without what tasks do not need."""
    packages = ["mlp", "numpy", "numpy.libs", "pyarrow"]
    library = pathlib.Path(f"lib/python{sys.version_info.major}.{sys.version_info.minor}")
    path = folder / "environment.tar.gz"

    def choose(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        parts = pathlib.PurePath(member.name).parts
        return None if {"tests", "include", "jars", "__pycache__"} & set(parts) else member

    # Spark unpacks a tar without gzip by code that refuses links; to compress takes long.
    with tarfile.open(path, "w:gz", compresslevel=0) as archive:
        for name in ["pyvenv.cfg", "bin", "bin/python", "bin/python3"]:
            archive.add(pathlib.Path(sys.prefix) / name, name, recursive=False)
        for package in packages:
            name = str(library / "site-packages" / package)
            archive.add(pathlib.Path(sys.prefix) / name, name, filter=choose)
    return path


@pytest.mark.slow
def test_an_archive_brings_python_and_the_package_to_the_tasks(
    master: str, tmp_path: pathlib.Path
) -> None:
    path = make_archive(tmp_path)

    report = run_case("archive", master, str(path))

    shutil.rmtree(tmp_path)
    assert len(report["places"]) == 2
    for python, package in report["places"]:
        assert "/environment/bin/python" in python
        assert "/environment/lib/" in package
    assert report["pair"]["difference"] < ROUNDING
