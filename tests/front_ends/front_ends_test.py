# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""All front ends but those in Spark answer each case as its rule asks for."""
from __future__ import annotations

import importlib
import pathlib
from types import ModuleType

import pytest

from front_ends.case import CODES, DONE, PREDICTS_NAN, Case
from front_ends.cases import CASES
from front_ends.front_ends import FRONT_ENDS, IN_SPARK, expected, reason_against
from front_ends.result import difference

LEAST_CASES = 120
# A case shows that front ends agree only if more than one has it.
LEAST_FRONT_ENDS = 2

RUNS = [
    (name, case)
    for name in FRONT_ENDS if name not in IN_SPARK
    for case in CASES if not reason_against(name, case)
]


def runner_of(name: str) -> ModuleType:
    """Returns a runner. One that cannot run fails, because a skip would hide its cases."""
    runner = importlib.import_module(f"front_ends.{name}_runner")
    reason = runner.is_available()
    assert not reason, f"{name}: {reason}"
    return runner


@pytest.mark.parametrize("name, case", RUNS, ids=[f"{name}-{case.name}" for name, case in RUNS])
def test_answers_as_the_rule_asks(name: str, case: Case, tmp_path: pathlib.Path) -> None:
    result = runner_of(name).run(case, tmp_path)

    told = difference(name, case, result)

    assert not told, told


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= LEAST_CASES
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_front_ends_have_a_case_or_say_why_not(case: Case) -> None:
    have_it = [name for name in FRONT_ENDS if not reason_against(name, case)]

    assert have_it
    assert len(have_it) >= LEAST_FRONT_ENDS or case.only
    assert not (case.only and len(have_it) >= LEAST_FRONT_ENDS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_has_an_outcome_that_front_ends_know(case: Case) -> None:
    for name in FRONT_ENDS:
        outcome = expected(name, case)
        known = (*CODES, DONE[case.action], *((PREDICTS_NAN,) if case.action == "predict" else ()))
        assert outcome in known or outcome.startswith("warns ")
    assert all(not reason_against(name, case) for name in case.differs)
    assert all(reason for _, reason in case.differs.values())


def test_each_front_end_has_many_cases() -> None:
    for name in FRONT_ENDS:
        own = [case for case in CASES if not reason_against(name, case)]
        assert len(own) >= LEAST_CASES // 3, name
