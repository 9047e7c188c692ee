# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of vectors pass through the tasks as they are."""

from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from mlp.spark.scoring import score_columns  # noqa: E402
from pyspark.ml.linalg import Vectors  # noqa: E402

from formats.networks import random_model  # noqa: E402

MODEL = random_model((3, 4, 2))
DENSE = Vectors.dense([1.0, 2.0, 3.0])
SPARSE = Vectors.sparse(3, {0: 5.0, 2: -1.0})
NOTHING = Vectors.sparse(3, {})


def test_keeps_dense_and_sparse_vectors_and_nulls(session: Any) -> None:
    vectors = [DENSE, SPARSE, NOTHING, None, Vectors.dense([]), DENSE]
    rows = [(vector, number, DENSE) for number, vector in enumerate(vectors)]
    frame = session.createDataFrame(rows, ["a.`column`", "number", "features"]).coalesce(1)

    scored = score_columns(frame, MODEL, "features", "prediction")

    found = scored.collect()
    assert [row[0] for row in found] == vectors
    assert [type(row[0]) for row in found] == [type(vector) for vector in vectors]
    # Spark compares vectors by what it stores.
    assert scored.select("features").distinct().count() == 1


@pytest.mark.parametrize("vectors", [
    [DENSE], [SPARSE], [NOTHING], [DENSE, SPARSE, NOTHING, SPARSE, DENSE],
], ids=str)
def test_reads_features_of_both_kinds(vectors: list[Any], session: Any) -> None:
    frame = session.createDataFrame([(vector,) for vector in vectors], ["features"]).coalesce(1)

    scored = score_columns(frame, MODEL, "features", "", "raw").collect()

    expected = MODEL.decision_function([vector.toArray() for vector in vectors], 1)
    assert [row.raw.toArray().tolist() for row in scored] == expected.tolist()


@pytest.mark.parametrize("vector, sentence", [
    (Vectors.sparse(4, {0: 1.0}), "features must have 3 values; got 4"),
    (Vectors.dense([1.0]), "features must have 3 values.*; got 1"),
    (None, "Vectors MUST NOT be Null"),
], ids=str)
def test_refuses_other_vectors(vector: Any, sentence: str, session: Any) -> None:
    frame = session.createDataFrame([(SPARSE,), (vector,)], ["features"]).coalesce(1)

    with pytest.raises(Exception, match=sentence):
        score_columns(frame, MODEL, "features", "prediction").collect()
