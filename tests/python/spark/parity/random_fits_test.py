# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Random trainings by our class and by Spark's, in one session."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from spark.frames import make_frame  # noqa: E402
from spark.parity.random_fits import FITS_PER_TABLE, Pair, random_table, train_pairs  # noqa: E402

# `python -m spark.parity.random_fits` trains any number.
NUM_FITS = 100
NUM_QUICK_FITS = 4
# Recorded fits agree at least this long with Spark, in any order of summation.
TIGHT_ENTRIES, TIGHT = 8, 1e-9
LOOSE_ENTRIES, LOOSE = 15, 1e-6


def check(pair: Pair) -> None:
    ours, theirs = pair.histories
    for count, tolerance in ((TIGHT_ENTRIES, TIGHT), (LOOSE_ENTRIES, LOOSE)):
        np.testing.assert_allclose(
            ours[:count], theirs[:count], rtol=tolerance, err_msg=str(pair)
        )
    # A chaotic path may end at another length.
    assert pair.has_same_length or pair.num_close < min(len(ours), len(theirs)), str(pair)


@pytest.mark.parametrize("first, count", [
    (0, NUM_QUICK_FITS),
    *(pytest.param(first, FITS_PER_TABLE, marks=pytest.mark.slow)
      for first in range(0, NUM_FITS, FITS_PER_TABLE)),
])
def test_random_trainings_take_the_steps_of_spark(first: int, count: int, session: Any) -> None:
    for pair in train_pairs(session, first, count):
        check(pair)


def test_a_model_of_a_random_training_predicts_as_that_of_spark(session: Any) -> None:
    (pair,) = train_pairs(session, 0, 1)
    table = random_table(0)
    frame = make_frame(session, table.X, table.y, table.partition_sizes)

    np.testing.assert_allclose(
        pair.ours.weights.toArray(), pair.theirs.weights.toArray(), rtol=1e-6
    )
    columns = [model.transform(frame).select("prediction") for model in (pair.ours, pair.theirs)]
    assert columns[0].collect() == columns[1].collect()
