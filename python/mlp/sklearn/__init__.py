# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators with the hyper-parameters of scikit-learn's.

A script that imports them instead of ``sklearn.neural_network`` works as before. The
documentation of the package lists what differs.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._instances import FitCall
from ._names import ConvergenceWarning, SklearnNames
from ..classifier import BaseClassifier
from ..errors import ParamError
from ..regressor import BaseRegressor, check_targets

if TYPE_CHECKING:
    from typing import Self

__all__ = ["ConvergenceWarning", "MLPClassifier", "MLPRegressor"]


class MLPClassifier(SklearnNames, BaseClassifier):
    """scikit-learn's MLPClassifier, trained by this library.

    Examples
    --------
    >>> from mlp.sklearn import MLPClassifier
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> clf = MLPClassifier((8,), solver="lbfgs", random_state=1).fit(X, [0, 1, 1, 0])
    >>> clf.predict(X)
    array([0, 1, 1, 0])
    """

    _min_classes = 1

    @property
    def out_activation_(self) -> str:
        """The function of the outputs of scikit-learn's network."""
        self._check_attribute("out_activation_")
        return "logistic" if self._has_one_output() else "softmax"

    def _has_one_output(self) -> bool:
        return len(self.classes_) <= 2

    def _num_outputs(self) -> int:
        return max(2, len(self.classes_))

    def _label_names(self) -> list[str]:
        names = super()._label_names()
        return names if len(names) > 1 else [*names, f"not {names[0]}"]

    def _fit(
        self, rows: NDArray[Any] | _core.StoredFeatures, labels: NDArray[np.float64], sample_weight: Any, call: FitCall
    ) -> Self:
        return self._fit_as_theirs(rows, labels, sample_weight, call, self._num_outputs())

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicts the label of each row of X."""
        self._check_fitted()
        if len(self.classes_) > 1:
            return super().predict(X)
        return self._score(X, lambda _, rows, __: np.repeat(self.classes_, len(rows)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Computes the probability of each class [instances x classes]."""
        self._check_fitted()
        if len(self.classes_) > 1:
            return super().predict_proba(X)
        return self._score(X, lambda _, rows, __: np.ones((len(rows), 1)))


class MLPRegressor(SklearnNames, BaseRegressor):
    """scikit-learn's MLPRegressor, trained by this library.

    Examples
    --------
    >>> import numpy as np
    >>> from mlp.sklearn import MLPRegressor
    >>> X = np.linspace(0, 1, 20).reshape(-1, 1)
    >>> estimator = MLPRegressor("squared_error", (8,), solver="lbfgs", random_state=1)
    >>> bool(estimator.fit(X, 2 * X.ravel()).score(X, 2 * X.ravel()) > 0.99)
    True
    """

    def __init__(
        self,
        loss: str = "squared_error",
        hidden_layer_sizes: int | Sequence[int] = (100,),
        activation: str = "relu",
        *,
        solver: str = "adam",
        alpha: float = 0.0001,
        batch_size: int | str = "auto",
        learning_rate: str = "constant",
        learning_rate_init: float = 0.001,
        power_t: float = 0.5,
        max_iter: int = 200,
        shuffle: bool = True,
        random_state: Any = None,
        tol: float = 1e-4,
        verbose: bool = False,
        warm_start: bool = False,
        momentum: float = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        n_iter_no_change: int = 10,
        max_fun: int = 15000,
    ) -> None:
        super().__init__(
            hidden_layer_sizes,
            activation,
            solver=solver,
            alpha=alpha,
            batch_size=batch_size,
            learning_rate=learning_rate,
            learning_rate_init=learning_rate_init,
            power_t=power_t,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            tol=tol,
            verbose=verbose,
            warm_start=warm_start,
            momentum=momentum,
            nesterovs_momentum=nesterovs_momentum,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            beta_1=beta_1,
            beta_2=beta_2,
            epsilon=epsilon,
            n_iter_no_change=n_iter_no_change,
            max_fun=max_fun,
        )
        self.loss = loss

    @property
    def out_activation_(self) -> str:
        """The function of the outputs of scikit-learn's network."""
        self._check_attribute("out_activation_")
        return "identity"

    @property
    def loss_curve_(self) -> list[float]:
        """The objective at the start and after each iteration, as the mean of the targets."""
        return [value / self.n_outputs_ for value in super().loss_curve_]

    @property
    def loss_(self) -> float:
        """The last objective, as the mean of the targets."""
        return self.loss_curve_[-1]

    def _check_own(self) -> None:
        super()._check_own()
        if not isinstance(self.loss, str):
            raise ParamError(
                f"loss must be 'squared_error' with mlp; got {self.loss!r}. As in scikit-learn "
                "since 1.7, loss comes before hidden_layer_sizes: name hidden_layer_sizes"
            )
        if self.loss != "squared_error":
            raise ParamError(f"loss must be 'squared_error' with mlp; got {self.loss!r}")

    def _fit(
        self, rows: NDArray[Any] | _core.StoredFeatures, y: Any, sample_weight: Any, call: FitCall
    ) -> Self:
        targets = check_targets(y, len(rows))
        num_outputs = targets.shape[1] if targets.ndim == 2 else 1
        return self._fit_as_theirs(rows, targets, sample_weight, call, num_outputs)
