# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The instances that an estimator trains on or scores."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import as_rows
from ._base import check_names, check_rows
from ._columns import read_columns, take_inputs
from .errors import DataError, ShapeError

if TYPE_CHECKING:
    from ._estimator import Estimator, FitCall


def rows_to_train(
    estimator: Estimator, X: Any, sample_weight: Any, call: FitCall
) -> tuple[NDArray[Any], FitCall]:
    """Returns the features of X, and the call with their encoding.

    Without `layers`, columns of texts or with missing values become features, as those of the
    model that the training starts from, if it has such columns.
    """
    is_modern = estimator._preset()[0] == "modern"
    start = call.start._core if call.start is not None else None
    if is_modern and start is not None and start.has_columns:
        check_names(estimator, X, reset=True)
        rows = as_rows(take_inputs(start, X))
        return rows, call._replace(encoding=start.column_encoding)
    columns = read_columns(X) if is_modern else None
    if columns is None:
        return check_rows(estimator, X, reset=True), call
    check_names(estimator, X, reset=True)
    weights = estimator._weights(sample_weight, len(columns.values[0]))
    fitted = _core.fit_encoding(columns.names, columns.values, weights)
    for sentence in fitted.left_out:
        warnings.warn(f"{sentence}, and is left out", stacklevel=4)
    return fitted.features, call._replace(encoding=fitted.encoding)


def rows_like_model(estimator: Estimator, X: Any) -> NDArray[Any]:
    """Returns the features that the model of a fitted estimator takes."""
    model = estimator.model_._core
    if not model.has_columns:
        return check_rows(estimator, X, reset=False)
    check_names(estimator, X, reset=False)
    return as_rows(take_inputs(model, X))


def check_partitions(sizes: Sequence[int] | None, size: int) -> list[int]:
    """Returns the numbers of instances in Spark's partitions; empty for one partition."""
    if sizes is None:
        return []
    numbers = [int(number) for number in sizes]
    if any(number < 0 for number in numbers) or sum(numbers) != size:
        raise ShapeError(f"partition_sizes must be >= 0 and sum to {size}; got {numbers}")
    return numbers


def check_groups(groups: Any, size: int) -> NDArray[np.float64] | None:
    """Numbers the groups of instances in the order in which they occur."""
    if groups is None:
        return None
    names = np.asarray(groups, dtype=object)
    if names.shape != (size,):
        raise ShapeError(
            f"groups must have the shape ({size},), one group per row; got {names.shape}"
        )
    numbers: dict[Any, int] = {}
    for instance, name in enumerate(names.tolist()):
        if name is None or name != name:
            raise DataError(f"groups must be known; instance {instance} has {name!r}")
        numbers.setdefault(name, len(numbers))
    return np.array([numbers[name] for name in names.tolist()], dtype=np.float64)


def split_eval_set(eval_set: Any) -> tuple[Any, Any, Any]:
    """Returns the features, labels and weights of an evaluation set."""
    if not isinstance(eval_set, (tuple, list)) or len(eval_set) not in (2, 3):
        raise ShapeError("eval_set must be (X, y) or (X, y, sample_weight)")
    X, y, *rest = eval_set
    return X, y, rest[0] if rest else None
