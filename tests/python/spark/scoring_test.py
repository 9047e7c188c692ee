# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Scores that the C++ library computes in tasks of Spark."""
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
from spark.frames import iris_frame  # noqa: E402

TOLERANCE = 1e-12  # of outputs from equal weights
MODEL = random_model((4, 5, 3), thresholds=(0.5, 0.0, 0.2))


def test_columns_are_those_of_sparks_model(session: Any) -> None:
    frame = iris_frame(session, [100, 0, 50]).selectExpr("*", "array(label) AS more")
    expected = MultilayerPerceptronClassificationModel(MODEL).to_spark().transform(frame)

    scored = score_columns(frame, MODEL, "features", "prediction", "rawPrediction", "probability")

    assert scored.schema.json() == expected.schema.json()
    for ours, theirs in zip(scored.collect(), expected.collect()):
        assert ours[:3] == theirs[:3] and ours.prediction == theirs.prediction
        for name in ("rawPrediction", "probability"):
            assert abs(ours[name].toArray() - theirs[name].toArray()).max() <= TOLERANCE


def test_scores_sparse_vectors(session: Any) -> None:
    frame = session.createDataFrame([(Vectors.sparse(4, {1: 2.0}),)], ["features"])

    (row,) = score_columns(frame, MODEL, "features", "", "raw", "").collect()

    expected = MODEL.decision_function([[0.0, 2.0, 0.0, 0.0]])[0]
    assert abs(row.raw.toArray() - expected).max() <= TOLERANCE


BAD_ROWS = {
    "features must have 4 values.*; got 2": Vectors.dense([1.0, 2.0]),
    "features must be finite": Vectors.dense([1.0, 2.0, np.nan, 3.0]),
}


@pytest.mark.parametrize("sentence", BAD_ROWS)
def test_refuses_features(sentence: str, session: Any) -> None:
    frame = session.createDataFrame([(BAD_ROWS[sentence],)], ["features"])

    with pytest.raises(Exception, match=sentence):
        score_columns(frame, MODEL, "features", "prediction").collect()


def test_refuses_an_existing_column(session: Any) -> None:
    with pytest.raises(Exception, match="requirement failed: Column label already exists."):
        score_columns(iris_frame(session), MODEL, "features", "label")


def test_without_a_column_the_dataset_stays(session: Any) -> None:
    frame = iris_frame(session)

    assert score_columns(frame, MODEL, "features", "") is frame
