# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A fit warns of a column that is probably an identifier, as the program does."""
import warnings
from typing import Any

import mlp
import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

QUICK = {"effort": "quick", "max_iter": 20, "seed": 1}


@pytest.mark.parametrize("params", [{"layers": [2, 3, 2], "max_iter": 5}, QUICK])
def test_warns_of_a_column_that_is_probably_an_identifier(params: Any) -> None:
    X = np.random.default_rng(5).normal(size=(60, 2))
    frame = pandas.DataFrame({"number": np.arange(60)[::-1], "b": X[:, 1]})
    y = (X[:, 1] > 0).astype(int)
    sentence = (
        "column 'number' has a different integer in each row, sorted or without gaps, so it is "
        "probably an identifier, which says nothing about new rows; leave it out of X"
    )

    with pytest.warns(mlp.ColumnWarning, match=f"^{sentence}$") as caught:
        mlp.MLPClassifier(**params).fit(frame, y)
    assert [entry.filename for entry in caught if entry.category is mlp.ColumnWarning] == [__file__]
    with pytest.warns(mlp.ColumnWarning, match=f"^{sentence}$"):
        mlp.MLPClassifier(**params).fit(iter([frame.assign(y=y)]), "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error", mlp.ColumnWarning)
        mlp.MLPClassifier(**params).fit(frame.to_numpy(dtype=float), y)
        mlp.MLPClassifier(**params).fit(frame.assign(number=np.arange(60) // 2), y)
