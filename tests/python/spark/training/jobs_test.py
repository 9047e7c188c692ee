# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings by one job of Spark for each evaluation."""

import logging
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
import mlp  # noqa: E402
from mlp.spark.training.jobs import can_train_by_jobs, train_jobs  # noqa: E402
from mlp.spark.training.request import FitRequest  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402
from mlp.spark.training import train  # noqa: E402

from spark.frames import iris_frame  # noqa: E402

ROUNDING = 1e-11
REQUEST = FitRequest("classification", {"layers": "4,5,3", "maxIter": "4", "seed": "1"})


def check_same(rows: Any, request: FitRequest) -> mlp.Model:
    """Compares a training by jobs with the one in one task."""
    alone = mlp.Model.from_json(train(rows, request).model)
    model = mlp.Model.from_json(train_jobs(rows, request).model)
    np.testing.assert_allclose(model.objective_history, alone.objective_history, rtol=ROUNDING)
    assert model._core.num_instances == alone._core.num_instances
    return model


@pytest.mark.parametrize("sizes", [[70, 80], [3, 0, 130, 17]])
def test_gives_the_model_of_one_task_and_says_that_it_is_slow(
    sizes: list[int], session: Any, caplog: pytest.LogCaptureFixture
) -> None:
    rows = training_rows(iris_frame(session, sizes), "features", "label")

    with caplog.at_level(logging.WARNING):
        check_same(rows, REQUEST)

    assert "runs one job for each evaluation" in caplog.text


def test_weights_and_rows_that_only_validate_give_the_model_of_one_task(session: Any) -> None:
    frame = iris_frame(session, [40, 80, 30]).selectExpr(
        "*", "1 + label as weight", "abs(hash(features)) % 4 = 0 as held_out"
    )
    rows = training_rows(frame, "features", "label", "weight", "held_out")

    model = check_same(rows, REQUEST)

    assert len(model._core.validation_history) > 1


def test_a_regression_starts_at_the_mean_as_in_one_task(session: Any) -> None:
    frame = iris_frame(session, [40, 0, 110]).selectExpr(
        "features", "100 + 3 * label as label", "1 + label / 3 as weight",
        "abs(hash(features)) % 4 = 0 as held_out",
    )
    rows = training_rows(frame, "features", "label", "weight", "held_out")
    request = FitRequest("regression", {"layers": "4,5,1", "maxIter": "4", "seed": "1"})

    model = check_same(rows, request)

    # Half the mean of 100^2 would be 5000.
    assert model.objective_history[0] < 100.0


def test_a_wrong_row_is_the_error_of_the_library(session: Any) -> None:
    frame = iris_frame(session, [50, 50, 50]).selectExpr("features", "label + 1 as label")

    with pytest.raises(mlp.DataError, match="Labels MUST be in"):
        train_jobs(training_rows(frame, "features", "label"), REQUEST)


def test_no_rows_are_refused(session: Any) -> None:
    rows = training_rows(iris_frame(session).where("label > 5"), "features", "label")

    with pytest.raises(mlp.DataError, match="at least 1 instance"):
        train_jobs(rows, REQUEST)


@pytest.mark.parametrize("params, can", [
    ({}, True), ({"solver": "gd"}, True), ({"solver": "adam"}, False), ({"batchNorm": "true"}, False)
])
def test_knows_which_trainings_are_sums_over_rows(params: dict[str, str], can: bool) -> None:
    assert can_train_by_jobs(replace(REQUEST, params=REQUEST.params | params)) == can
