# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Random trainings by our class and by Spark's, in one session."""

import dataclasses
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
import pyspark.ml.classification as spark  # noqa: E402
from mlp.spark import MultilayerPerceptronClassifier  # noqa: E402

from spark.frames import make_frame  # noqa: E402

NUM_FITS = 200
FITS_PER_TEST = 20
# Recorded fits agree at least this long with Spark, in any order of summation.
TIGHT_ENTRIES, TIGHT = 8, 1e-9
LOOSE_ENTRIES, LOOSE = 15, 1e-6


@dataclasses.dataclass(frozen=True)
class Setting:
    """The data and the Params of a training."""

    num_rows: int
    num_features: int
    num_classes: int
    sizes: list[int]
    params: dict[str, Any]


def random_setting(number: int) -> Setting:
    random = np.random.default_rng(number)
    num_features, num_classes = (int(random.integers(1, 9)), int(random.integers(2, 6)))
    hidden = [int(size) for size in random.integers(1, 9, size=random.integers(0, 3))]
    sizes = [int(size) for size in random.integers(0, 60, size=random.integers(1, 6))]
    solver = "gd" if random.random() < 0.25 else "l-bfgs"
    params = {
        "layers": [num_features, *hidden, num_classes],
        "blockSize": int(random.choice([1, 2, 7, 30, 128])),
        "seed": int(random.integers(-(2**63), 2**63 - 1)),
        "maxIter": int(random.integers(0, 25)),
        "tol": float(random.choice([0.0, 1e-6, 1e-3])),
        "solver": solver,
    }
    sizes[0] += 2
    return Setting(sum(sizes), num_features, num_classes, sizes, params)


def make_data(session: Any, setting: Setting, number: int) -> Any:
    random = np.random.default_rng([number, 1])
    X = random.normal(size=(setting.num_rows, setting.num_features))
    y = random.integers(0, setting.num_classes, size=setting.num_rows)
    return make_frame(session, X, y, setting.sizes).cache()


def compare(number: int, session: Any) -> None:
    setting = random_setting(number)
    frame = make_data(session, setting, number)
    ours = MultilayerPerceptronClassifier(**setting.params).fit(frame)
    theirs = spark.MultilayerPerceptronClassifier(**setting.params).fit(frame)
    history, expected = ours.objectiveHistory, theirs.summary().objectiveHistory
    message = f"{number}: {setting}"
    for count, tolerance in ((TIGHT_ENTRIES, TIGHT), (LOOSE_ENTRIES, LOOSE)):
        np.testing.assert_allclose(
            history[:count], expected[:count], rtol=tolerance, err_msg=message
        )
    assert len(history) == len(expected), message
    if np.allclose(ours.weights.toArray(), theirs.weights.toArray(), rtol=1e-6):
        columns = [model.transform(frame).select("prediction") for model in (ours, theirs)]
        assert columns[0].collect() == columns[1].collect(), message
    frame.unpersist()


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, NUM_FITS, FITS_PER_TEST))
def test_random_trainings_take_the_steps_of_spark(first: int, session: Any) -> None:
    for number in range(first, first + FITS_PER_TEST):
        compare(number, session)


def test_a_random_training_takes_the_steps_of_spark(session: Any) -> None:
    compare(0, session)
