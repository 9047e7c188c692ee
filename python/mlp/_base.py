# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The base classes of the estimators: scikit-learn's if it is installed."""
from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import (
    FLOATS,
    as_readable,
    as_rows,
    column_names,
    densify,
    has_whole_strides,
    is_sparse,
    is_table,
)
from ._columns import as_feature_table
from ._values import refuse_surrogates, refuse_values
from .errors import ShapeError

try:
    import sklearn.base as _sklearn
except ImportError:
    _sklearn = None

HAS_SKLEARN = _sklearn is not None


class PlainEstimator:
    """Replaces scikit-learn's BaseEstimator on systems without it."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the hyper-parameters by name."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> Any:
        """Sets hyper-parameters by name; an unknown name raises ValueError."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}; "
                    f"expected one of {sorted(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


class PlainClassifier:
    """Replaces scikit-learn's ClassifierMixin."""

    _estimator_type = "classifier"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns the accuracy."""
        is_right = np.asarray(self.predict(X)) == np.asarray(y)  # type: ignore[attr-defined]
        return float(np.average(is_right, weights=sample_weight))


class PlainRegressor:
    """Replaces scikit-learn's RegressorMixin."""

    _estimator_type = "regressor"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Returns R2, the mean over the targets."""
        y = np.asarray(y, dtype=np.float64)
        mean = np.average(y, axis=0, weights=sample_weight)
        errors = (y - self.predict(X)) ** 2  # type: ignore[attr-defined]
        residual = np.average(errors, axis=0, weights=sample_weight)
        total = np.average((y - mean) ** 2, axis=0, weights=sample_weight)
        return float(np.mean(1 - residual / total))


if TYPE_CHECKING or not HAS_SKLEARN:
    BaseEstimator = PlainEstimator
    ClassifierMixin = PlainClassifier
    RegressorMixin = PlainRegressor
else:
    BaseEstimator = _sklearn.BaseEstimator
    ClassifierMixin = _sklearn.ClassifierMixin
    RegressorMixin = _sklearn.RegressorMixin


@contextlib.contextmanager
def keeps_fit(estimator: Any) -> Iterator[None]:
    """Restores the last fit if a training ends with an exception and without a new model.

    An interrupted training that has a model keeps it.
    """
    before = fitted_attributes(estimator)
    try:
        yield
    except BaseException:
        if vars(estimator).get("model_") is before.get("model_"):
            for name in fitted_attributes(estimator):
                del vars(estimator)[name]
            vars(estimator).update(before)
        raise


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """Returns what a fit sets."""
    return {
        name: value
        for name, value in vars(estimator).items()
        if name == "_taken" or (name.endswith("_") and not name.startswith("_"))
    }


def is_plain(X: Any) -> bool:
    """True for what needs no conversion and no check of names."""
    return (
        type(X) is np.ndarray
        and X.dtype in FLOATS
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] > 0
        and has_whole_strides(X)
    )


def check_rows(estimator: Any, X: Any, reset: bool) -> NDArray[Any]:
    """Returns the features of X, and notes or compares their number and names.

    Parameters
    ----------
    reset : bool
        True in ``fit``, which sets ``n_features_in_`` and ``feature_names_in_``.
    """
    if is_plain(X) and not hasattr(estimator, "feature_names_in_"):
        if reset:
            estimator.n_features_in_ = X.shape[1]
        elif X.shape[1] != estimator.n_features_in_:
            refuse_width(estimator, X.shape[1])
        rows: NDArray[Any] = X
        return rows
    X = as_feature_table(X)
    refuse_empty(X)
    refuse_values(X)
    is_theirs = HAS_SKLEARN and not has_repeated_names(X)
    rows = as_readable((check_with_sklearn if is_theirs else check_alone)(estimator, X, reset))
    names = [str(name) for name in column_names(X) or []]
    refuse_surrogates(names, lambda number: f"the name of column {number}")
    _core.check_finite(rows, names)
    return rows


def refuse_empty(X: Any) -> None:
    """Refuses data without rows or without columns."""
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, (list, tuple)):
        is_row = bool(X) and isinstance(X[0], (list, tuple))
        shape = (len(X), len(X[0])) if is_row else (len(X),)
    if shape is None or 0 not in shape[:2]:
        return
    # scikit-learn's checks of estimators look for these words.
    missing, advice = (
        ("0 sample(s)", "check how its rows are chosen")
        if shape[0] == 0
        else ("0 feature(s)", "choose at least one column")
    )
    raise ShapeError(
        f"X is empty: {missing} (shape={tuple(shape)}) while a minimum of 1 is required; {advice}"
    )


def check_names(estimator: Any, X: Any, reset: bool) -> None:
    """Notes or compares the number and names of the columns of X, whatever they hold."""
    if not HAS_SKLEARN or has_repeated_names(X):
        names = column_names(X)
        check_width_and_names(estimator, len(names or np.asarray(X).T), names, reset)
        return
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn before 1.6
        estimator._check_n_features(X, reset=reset)
        estimator._check_feature_names(X, reset=reset)
    else:
        validate_data(estimator, X, reset=reset, skip_check_array=True)


def has_repeated_names(X: Any) -> bool:
    """True for a table with columns of one name, which newer scikit-learn refuses in words of
    its own. They are features, as in a file, told apart by their order."""
    names = (column_names(X) if is_table(X) else None) or []
    return len(set(names)) < len(names)


def refuse_width(estimator: Any, width: int) -> None:
    raise ShapeError(
        f"X has {width} features, but {type(estimator).__name__} is expecting "
        f"{estimator.n_features_in_} features as input"
    )


def check_with_sklearn(estimator: Any, X: Any, reset: bool) -> NDArray[Any]:
    options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "reset": reset}
    # NaN and infinity are refused by check_rows().
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn before 1.6
        rows = estimator._validate_data(X, force_all_finite=False, **options)
    else:
        rows = validate_data(estimator, X, ensure_all_finite=False, **options)
    if is_sparse(rows):
        rows = densify(rows)
    result: NDArray[Any] = rows
    return result


def check_alone(estimator: Any, X: Any, reset: bool) -> NDArray[Any]:
    rows = as_rows(X)
    check_width_and_names(estimator, rows.shape[1], column_names(X), reset)
    return rows


def check_width_and_names(
    estimator: Any, width: int, names: list[Any] | None, reset: bool
) -> None:
    has_names = names is not None and all(isinstance(name, str) for name in names)
    if reset:
        estimator.n_features_in_ = width
        if has_names:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif width != estimator.n_features_in_:
        refuse_width(estimator, width)
    elif has_names and hasattr(estimator, "feature_names_in_"):
        if list(estimator.feature_names_in_) != names:
            raise ShapeError(
                "The feature names should match those that were passed during fit; expected "
                f"{list(estimator.feature_names_in_)}, got {names}"
            )
