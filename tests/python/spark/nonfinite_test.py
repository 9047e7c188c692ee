# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Features that are NaN or infinite are scored as Spark scores them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from mlp.spark import MultilayerPerceptronClassificationModel  # noqa: E402
from mlp.spark.scoring import score_columns  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from formats.networks import random_model  # noqa: E402

TOLERANCE = 1e-12
NAN, INFINITY = np.nan, np.inf
ROWS = [
    [1.0, 2.0, 3.0],
    [1.0, NAN, 3.0],
    [INFINITY, 0.0, 0.0],
    [-INFINITY, 1.0, INFINITY],
    [NAN, NAN, NAN],
    [0.5, -1.0, 2.0],
]


@pytest.mark.parametrize("layers", [(3, 4, 3), (3, 2), (3, 5, 4, 2)], ids=str)
@pytest.mark.parametrize("has_thresholds", [False, True])
def test_columns_are_those_of_sparks_model(
    layers: tuple[int, ...], has_thresholds: bool, session: Any
) -> None:
    thresholds = tuple(np.linspace(0.2, 0.9, layers[-1])) if has_thresholds else ()
    network = random_model(layers, thresholds=thresholds)
    frame = session.createDataFrame([(Vectors.dense(row),) for row in ROWS], ["features"])
    model = MultilayerPerceptronClassificationModel(network)

    names = ("prediction", "rawPrediction", "probability")
    ours = score_columns(frame, network, "features", *names).collect()
    theirs = model.to_spark().transform(frame).collect()

    assert [row.prediction for row in ours] == [row.prediction for row in theirs]
    for name in names[1:]:
        own, expected = (np.array([row[name].toArray() for row in rows]) for rows in (ours, theirs))
        np.testing.assert_allclose(own, expected, atol=TOLERANCE)
