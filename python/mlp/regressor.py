# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A regressor: a multilayer perceptron that predicts numbers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import as_numbers
from ._base import RegressorMixin, keeps_fit
from ._estimator import Estimator, EvalSet, OnIteration
from ._instances import (
    FitCall,
    check_groups,
    check_partitions,
    first_rows,
    match_start,
    rows_like_model,
    rows_to_train,
    warn_of_identifiers,
)
from ._parameters import RegressorParameters
from ._values import refuse_vector
from .batches import gather, note_names
from .classifier import check_labels
from .errors import DataError, ShapeError
from .model import as_intervals

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MLPRegressor"]


class BaseRegressor(RegressorMixin, Estimator):
    """The base class of the regressors. It does not declare their hyper-parameters."""

    _task = "regression"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | str | None = None,
        *,
        groups: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
        partition_sizes: Sequence[int] | None = None,
        on_iteration: OnIteration | None = None,
        init_model: Any = None,
        on_interrupt: str = "raise",
    ) -> Self:
        """Trains a network; see ``MLPClassifier.fit``.

        Parameters
        ----------
        y : array-like of shape (instances,) or (instances, targets)
            The numbers to predict.
        """
        call = self._call(eval_set, partition_sizes, on_iteration, init_model, on_interrupt)
        X, y, sample_weight, names = gather(X, y, sample_weight)
        with keeps_fit(self):
            X, names = match_start(self, X, names, call)
            rows, call = rows_to_train(self, X, sample_weight, call)
            note_names(self, names)
            warn_of_identifiers(self, rows, call)
            call = call._replace(groups=check_groups(groups, len(rows)))
            return self._fit(rows, y, sample_weight, call)

    def _fit(self, rows: NDArray[Any] | _core.StoredFeatures, y: Any, sample_weight: Any, call: FitCall) -> Self:
        targets = check_targets(y, len(rows))
        weights = self._weights(sample_weight, len(rows))
        num_targets = targets.shape[1] if targets.ndim == 2 else 1
        settings = self._settings(rows, num_targets, weights, call.changes)
        if settings.params.layers[-1] != num_targets:
            raise ShapeError(
                f"layers must end with the number of targets, {num_targets}; "
                f"got {settings.params.layers}"
            )
        settings.partition_sizes = check_partitions(call.partition_sizes, len(rows))
        instances = _core.Instances(rows, targets, weights, call.groups)
        self._train(settings, instances, self._eval_instances(call, instances), call)
        return self

    def _to_labels(self, y: Any, size: int) -> NDArray[np.float64]:
        return check_targets(y, size)

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        with keeps_fit(self):
            is_first = not self._is_fitted()
            rows = first_rows(self, X) if is_first else rows_like_model(self, X)
            return self._fit(rows, y, sample_weight, self._partial_call(len(rows)))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicts the numbers of each row of X [instances], or [instances x targets]."""
        return self._score(X, predict_targets)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return super()._more_tags() | {"multioutput": True}


class MLPRegressor(RegressorParameters, BaseRegressor):
    __doc__ = f"""A multilayer perceptron that predicts numbers.

    The loss is half the squared error. Without `layers`, the features and the targets
    are standardised and a network is chosen for the table.

    {(RegressorParameters.__doc__ or "").split(chr(10), 2)[2].strip()}

    Attributes
    ----------
    model_ : mlp.Model
        The trained network.
    objective_history_ : array
        The objective at the start and after each iteration.
    total_iterations_ : int
        The number of iterations.
    convergence_reason_ : str
        Why the training stopped, such as ``maxIter``.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (features,)
        The names of the features, if X had names.

    Examples
    --------
    >>> import mlp
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 1000).reshape(-1, 1)
    >>> estimator = mlp.MLPRegressor().fit(X, X.ravel() ** 2)
    >>> bool(estimator.score(X, X.ravel() ** 2) > 0.99)
    True
    """

    _coverage_name = "interval"

    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """Predicts the interval of each row of X, if `interval` was set.

        Returns
        -------
        array of shape (instances, 2) or (instances, 2, targets)
            The lower and the upper ends, as the intervals that ``predict_interval`` of
            MAPIE returns for one level, and ``predict_int`` of crepes. The intervals of a target have one
            width. Nothing guarantees how often they contain the label;
            ``model_.selection["unseen_coverage"]`` has what was measured.

        Raises
        ------
        ParamError
            If the regressor was trained without `interval`.
        """
        return as_intervals(self._score(X, _core.Model.predict_interval))


def predict_targets(core: _core.Model, rows: NDArray[Any], threads: int) -> NDArray[np.float64]:
    has_several = core.layers[-1] > 1
    return core.predict_raw(rows, threads) if has_several else core.predict_index(rows, threads)


def check_targets(y: Any, size: int) -> NDArray[np.float64]:
    """Returns targets of one dimension, or of two if there are several."""
    if y is not None:
        refuse_vector(y, "y")
    targets = np.asarray(y)
    if targets.ndim != 2 or targets.shape[1] < 2:
        return as_numbers(check_labels(y, size), "y", size)
    columns = [as_numbers(column, "y", size) for column in targets.T]
    if not np.isfinite(columns).all():
        raise DataError("Input y contains NaN or infinity; targets must be known")
    return np.ascontiguousarray(np.column_stack(columns))
