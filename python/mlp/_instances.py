# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments of a fit, and the instances that an estimator trains on or scores."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import as_rows, as_sparse, exceeds_memory
from ._base import check_names, check_rows, check_width_and_names, is_plain, refuse_empty
from ._columns import (
    as_feature_table,
    as_numbers_of,
    encode_values,
    fill_in,
    is_text,
    may_need_encoding,
    needs_encoding,
    read_numbers,
    read_numbers_like,
    read_to_fit,
    require_columns,
    select_columns,
    table_columns,
    take_inputs,
    text_names,
    warn_of_columns,
)
from ._values import refuse_surrogates
from .errors import DataError, ShapeError
from .model import Model
from .tables.coded_values import code_objects, is_missing

# An identifier differs in the first rows too, so that most features are not looked at as a whole.
ROWS_OF_SAMPLE = 1024


class FitCall(NamedTuple):
    """The arguments of ``fit`` besides the instances."""

    eval_set: Any = None
    partition_sizes: Sequence[int] | None = None
    on_iteration: Callable[..., object] | None = None
    start: Model | None = None
    on_interrupt: str = "raise"
    changes: dict[str, Any] = {}
    """Hyper-parameters that replace those of the estimator."""
    groups: NDArray[np.float64] | None = None
    """The number of each instance's group."""
    encoding: _core.ColumnEncoding | None = None
    """How columns of texts or with missing values become features."""
    feature_names: list[str] | None = None
    """Of the features that the columns become; None for those of X."""
    taken: list[int] | None = None
    """The columns of X that are features, if some are left out or encoded."""
    is_partial: bool = False
    """True for a call of ``partial_fit``, which does not warn about convergence."""


def rows_to_train(
    estimator: Any, X: Any, sample_weight: Any, call: FitCall
) -> tuple[NDArray[Any] | _core.StoredFeatures, FitCall]:
    """Returns the features of X, and the call with their encoding.

    A sparse matrix that does not fit into memory with its zeros stays sparse. Without `layers`, columns of texts or with missing values become features, as those of the
    model that the training starts from, if it has such columns.
    """
    X = as_feature_table(X)
    refuse_empty(X)
    if exceeds_memory(X):
        check_width_and_names(estimator, X.shape[1], None, reset=True)
        return as_sparse(X), call
    start = call.start._core if call.start is not None else None
    if start is not None:
        return rows_of_start(estimator, X, start, call)
    table = table_columns(X) if is_modern(estimator) and not is_whole(X) else None
    if table is None or not table.arrays or not may_need_encoding(table):
        return rows_of_numbers(estimator, X, read_numbers(X), reset=True), call
    check_names(estimator, X, reset=True)
    values, are_chosen = read_to_fit(table)
    weights = estimator._weights(sample_weight, table.num_rows)
    fitted = _core.fit_encoding(table.names, values, are_chosen, weights)
    warn_of_columns(f"{sentence}, and is left out" for sentence in fitted.left_out)
    warn_of_columns(f"X: {sentence}" for sentence in fitted.warnings)
    return fitted.features, call._replace(
        encoding=fitted.encoding, feature_names=fitted.feature_names, taken=fitted.taken
    )


def match_start(
    estimator: Any, X: Any, names: list[str], call: FitCall
) -> tuple[Any, list[str]]:
    """Returns the features of batches in the order of the model that a training starts from.

    Parameters
    ----------
    names
        Of the columns of the array X; empty for what is no batches, which stays as it is.
    """
    if not names or call.start is None or not call.start.feature_names:
        return X, names
    if estimator._taken is not None and call.start is getattr(estimator, "model_", None):
        check_width_and_names(estimator, len(names), names, reset=False)
        return X, names
    places = call.start._core.match_columns(names)[0]
    if places == list(range(len(names))):
        return X, names
    return X[:, places], [names[at] for at in places]


def is_whole(X: Any) -> bool:
    """True for an array of numbers without a missing value."""
    return is_plain(X) and not np.isnan(X.min())


def rows_of_start(
    estimator: Any, X: Any, start: _core.Model, call: FitCall
) -> tuple[NDArray[Any], FitCall]:
    """Returns the features of X for a training that starts from a model."""
    taken = estimator._taken if call.start is getattr(estimator, "model_", None) else None
    if taken is not None:
        rows = rows_like_model(estimator, X)
    elif start.has_columns:
        check_names(estimator, X, reset=True)
        rows = as_rows(take_inputs(start, X))
    else:
        taken = places_of_features(start, X)
        rows = numbers_of_start(estimator, X, taken)
    has_names = start.has_columns or taken is not None
    return rows, call._replace(
        encoding=start.column_encoding if is_modern(estimator) or has_names else None,
        feature_names=start.feature_names if has_names else None,
        taken=taken,
    )


def is_modern(estimator: Any) -> bool:
    preset: str = estimator._preset()[0]
    return preset == "modern"


def numbers_of_start(estimator: Any, X: Any, places: list[int] | None) -> NDArray[Any]:
    """Returns the features of X for a start that was trained on numbers.

    Parameters
    ----------
    places
        Of the columns that are features; None for all in their order.

    Raises
    ------
    DataError
        If a value is missing or is no number.
    """
    features = X if places is None else select_columns(X, places)
    numbers = read_numbers(features)
    table = table_columns(numbers) if is_modern(estimator) else None
    if table is not None and any(map(needs_encoding, table.columns, table.arrays)):
        raise DataError(
            "X must have numbers and no missing values, because the model that the training "
            "starts from was trained on such; replace the missing values, or train anew"
        )
    if places is None:
        return rows_of_numbers(estimator, X, numbers, reset=True)
    check_names(estimator, X, reset=True)
    rows = as_rows(numbers)
    _core.check_finite(rows, text_names(features) or [])
    return rows


def places_of_features(start: _core.Model, X: Any) -> list[int] | None:
    """Returns where a table has the features of the model that a training starts from.

    None if they are in the same order, or the table or the model has no names.

    Raises
    ------
    DataError
        If a feature is missing or ambiguous.
    """
    names = text_names(X) if start.feature_names else None
    if names is None:
        return None
    places = start.match_columns(names)[0]
    return None if places == list(range(len(names))) else places


def rows_like_model(estimator: Any, X: Any) -> NDArray[Any]:
    """Returns the features that a fitted estimator has been trained on."""
    X = as_feature_table(X)
    refuse_empty(X)
    model = estimator.model_._core
    if estimator._taken is not None:
        return rows_of_columns(estimator, X, estimator._taken, model.scoring_encoding)
    if model.has_columns:
        check_names(estimator, X, reset=False)
        return as_rows(take_inputs(model, X))
    if is_whole(X):
        return check_rows(estimator, X, reset=False)
    numbers = read_numbers_like(model, X)
    return rows_or(fill_in(model, numbers), estimator, X, numbers)


def rows_or(
    filled: NDArray[Any] | None, estimator: Any, X: Any, numbers: Any
) -> NDArray[Any]:
    """Returns features with missing values replaced, or without any the checked features."""
    if filled is None:
        return rows_of_numbers(estimator, X, numbers, reset=False)
    check_names(estimator, X, reset=False)
    return filled


def rows_of_numbers(estimator: Any, X: Any, numbers: Any, reset: bool) -> NDArray[Any]:
    """Returns the checked features of X.

    Parameters
    ----------
    numbers
        What read_numbers() makes of X.
    """
    if numbers is X:
        return check_rows(estimator, X, reset)
    check_names(estimator, X, reset)
    _core.check_finite(numbers, text_names(X) or [])
    return as_rows(numbers)


def first_rows(estimator: Any, X: Any) -> NDArray[Any]:
    """Returns the features of the first call of ``partial_fit``."""
    X = as_feature_table(X)
    refuse_empty(X)
    return rows_of_numbers(estimator, X, read_numbers(X), reset=True)


def warn_of_identifiers(
    estimator: Any, rows: NDArray[Any] | _core.StoredFeatures, call: FitCall
) -> None:
    """Warns of named features that are probably identifiers, as the program does."""
    names: Sequence[Any] = call.feature_names or getattr(estimator, "feature_names_in_", [])
    if len(names) == 0 or not isinstance(rows, np.ndarray):
        return
    first = rows[:ROWS_OF_SAMPLE]
    notes = [
        _core.note_identifier(str(names[at]), np.ascontiguousarray(rows[:, at], dtype=np.float64))
        for at in np.flatnonzero((first == np.floor(first)).all(axis=0)).tolist()
        if len(np.unique(first[:, at])) == len(first)
    ]
    warn_of_columns(f"{note}; leave it out of X" for note in notes if note)


def rows_to_evaluate(
    estimator: Any, X: Any, call: FitCall, instances: _core.Instances
) -> NDArray[Any]:
    """Returns features that a training evaluates, before there is a model.

    A missing value has the mean of its column if the training subtracts means, as in rows
    that its model scores.
    """
    X = as_feature_table(X)
    refuse_empty(X)
    if call.taken is not None and call.encoding is not None:
        return rows_of_columns(estimator, X, call.taken, call.encoding)
    if call.start is not None and call.start._core.has_columns:
        check_names(estimator, X, reset=False)
        return as_rows(take_inputs(call.start._core, X))
    if is_whole(X):
        return check_rows(estimator, X, reset=False)
    numbers = read_numbers(X)
    return rows_or(fill_with_means(estimator, numbers, call, instances), estimator, X, numbers)


def fill_with_means(
    estimator: Any, X: Any, call: FitCall, instances: _core.Instances
) -> NDArray[np.float64] | None:
    """Returns features in which the means of a training replace missing values.

    None if no value is missing, or the training subtracts no means.
    """
    if call.start is not None and call.start._core.scaler is not None:
        return fill_in(call.start._core, X)
    table = table_columns(X)
    if table is None or not estimator._preset()[1]:
        return None
    if not any(map(needs_encoding, table.columns, table.arrays)):
        return None
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
    encoding = _core.scoring_encoding(instances, names)
    has_other_columns = len(table.arrays) != len(encoding.are_categories)
    if has_other_columns or any(map(is_text, table.columns)):
        return None
    return encode_values(encoding, table)


def rows_of_columns(
    estimator: Any, X: Any, taken: list[int], encoding: _core.ColumnEncoding
) -> NDArray[np.float64]:
    """Returns the features of the columns at some places, which are encoded if that is needed."""
    check_names(estimator, X, reset=False)
    table = require_columns(X).take(taken)
    return encode_values(encoding, table) if encoding.are_categories else as_numbers_of(table)


def check_partitions(sizes: Sequence[int] | None, size: int) -> list[int]:
    """Returns the numbers of instances in Spark's partitions; empty for one partition."""
    if sizes is None:
        return []
    numbers = [int(number) for number in sizes]
    if any(number < 0 for number in numbers) or sum(numbers) != size:
        raise ShapeError(f"partition_sizes must be >= 0 and sum to {size}; got {numbers}")
    return numbers


def check_groups(groups: Any, size: int) -> NDArray[np.float64] | None:
    """Numbers the groups of instances in the order in which they occur.

    Texts that are the same number are one group, such as 3 and 3.0, as in a data file.

    Raises
    ------
    DataError
        If a group is missing.
    """
    if groups is None:
        return None
    names = np.asarray(groups, dtype=object)
    if names.shape != (size,):
        raise ShapeError(
            f"groups must have the shape ({size},), one group per row; got {names.shape}"
        )
    texts, codes, rows = code_objects(names.tolist())
    for name, row in zip(texts, rows):
        if is_missing(name):
            raise DataError(f"groups must be known; instance {row} has {name!r}")
    texts = list(map(str, texts))
    refuse_surrogates(texts, lambda at: f"the group of instance {rows[at]}")
    of_rows = [texts[code] for code in codes]
    return np.array(_core.number_groups(of_rows), dtype=np.float64)


def split_eval_set(eval_set: Any) -> tuple[Any, Any, Any]:
    """Returns the features, labels and weights of an evaluation set."""
    if not isinstance(eval_set, (tuple, list)) or len(eval_set) not in (2, 3):
        raise ShapeError("eval_set must be (X, y) or (X, y, sample_weight)")
    X, y, *rest = eval_set
    return X, y, rest[0] if rest else None
