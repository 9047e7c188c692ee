# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""What Spark knows of the rows of a frame."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.plan import cached_size, is_cached  # noqa: E402
from mlp.spark.training.rows import training_rows  # noqa: E402

from spark.frames import iris_frame  # noqa: E402


def is_frame_cached(frame: Any) -> bool:
    return is_cached(training_rows(frame, "features", "label"))


def test_rows_of_an_rdd_are_not_cached(session: Any) -> None:
    assert not is_frame_cached(iris_frame(session))


def test_rows_are_cached_once_an_action_has_computed_them(session: Any) -> None:
    frame = iris_frame(session, [70, 80]).cache()

    before = is_frame_cached(frame)
    frame.count()
    after = is_frame_cached(frame)
    derived = is_frame_cached(frame.where("label > 0"))
    frame.unpersist()

    assert (before, after, derived) == (False, True, False)


def test_the_size_of_cached_rows_is_known(session: Any) -> None:
    frame = iris_frame(session, [70, 0, 80]).cache()

    before = cached_size(training_rows(frame, "features", "label"))
    frame.count()
    after = cached_size(training_rows(frame, "features", "label"))
    frame.unpersist()

    assert (before, after) == (None, (150, 3))
