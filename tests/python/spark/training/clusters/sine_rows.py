# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Many rows of two classes, made as batches of Arrow without an object for each number."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

SCHEMA = "id long, features array<double>, label double"
ROWS_AT_ONCE = 1000


def sine_features(ids: NDArray[np.int64], num_features: int) -> NDArray[np.float64]:
    """Returns the features of rows   [ids x num_features]"""
    features: NDArray[np.float64] = np.sin(np.multiply.outer(ids, np.arange(1.0, num_features + 1)))
    return features


def sine_frame(session: Any, num_rows: int, num_features: int, num_partitions: int) -> Any:
    """Makes a frame with the columns id, features and label."""

    # The Python of an executor gets a function of a function by value, and has no tests.
    def fill(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            ids = batch.column("id").to_numpy()
            for begin in range(0, len(ids), ROWS_AT_ONCE):
                some = ids[begin : begin + ROWS_AT_ONCE]
                X = np.sin(np.multiply.outer(some, np.arange(1.0, num_features + 1)))
                offsets = np.arange(0, X.size + 1, num_features, dtype=np.int32)
                features = pyarrow.ListArray.from_arrays(offsets, X.ravel())
                labels = pyarrow.array((some % 2).astype(np.float64))
                columns = [pyarrow.array(some), features, labels]
                yield pyarrow.RecordBatch.from_arrays(columns, ["id", "features", "label"])

    return session.range(0, num_rows, 1, num_partitions).mapInArrow(fill, SCHEMA)
