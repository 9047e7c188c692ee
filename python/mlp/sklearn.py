# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators with the hyper-parameters of scikit-learn's.

A script that imports them instead of ``sklearn.neural_network`` works as before. The
documentation of the package lists what differs.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ._estimator import Computing, EvalSet, OnIteration, TableFacts
from ._values import refuse_vector
from .classifier import BaseClassifier
from .errors import ParamError
from .model import Model
from .regressor import BaseRegressor, check_targets

__all__ = ["MLPClassifier", "MLPRegressor"]

ACTIVATIONS = {"logistic": "sigmoid", "tanh": "tanh", "relu": "relu"}
SOLVERS = {"lbfgs": "l-bfgs", "sgd": "sgd", "adam": "adam"}
# What the solvers of the library cannot change.
FIXED = {
    "learning_rate": "constant",
    "shuffle": True,
    "beta_1": 0.9,
    "beta_2": 0.999,
    "epsilon": 1e-8,
}
MAX_BATCH_SIZE = 200


class SklearnNames:
    """The constructor of scikit-learn's estimators, and what its values mean here."""

    def __init__(
        self,
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
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun

    # The estimators of this package have them; here they are not hyper-parameters.
    layers: Any = None
    class_weight: Any = None

    def _computing(self) -> Computing:
        return Computing()

    def _preset(self) -> tuple[str, bool]:
        return "spark", False

    def _has_mini_batches(self) -> bool:
        return self.solver != "lbfgs"

    def _hyper_parameters(self, facts: TableFacts) -> dict[str, Any]:
        check_fixed(self)
        sizes = np.atleast_1d(np.asarray(self.hidden_layer_sizes, dtype=int)).ravel().tolist()
        values: dict[str, Any] = {
            "layers": [facts.num_features, *sizes, facts.num_outputs],
            "activation": choose("activation", self.activation, ACTIVATIONS) if sizes else None,
            "solver": choose("solver", self.solver, SOLVERS),
            "init": "xavier-uniform",
            # scikit-learn divides the penalty by the number of instances.
            "reg_param": self.alpha / facts.weight_sum,
            "max_iter": self.max_iter,
            "tol": self.tol,
            "block_size": 1,
            "seed": draw_seed(self.random_state),
            "patience": self.n_iter_no_change,
        }
        if self._has_mini_batches():
            values["step_size"] = self.learning_rate_init
            values["batch_size"] = choose_batch_size(self.batch_size, int(facts.weight_sum))
        if self.solver == "sgd":
            values["momentum"] = self.momentum
            values["nesterov"] = self.nesterovs_momentum and self.momentum > 0
        return values

    def _hold_out(self, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """Returns the rows that are trained on, and those of the validation."""
        if not self.early_stopping or not self._has_mini_batches():
            return None
        order = np.random.default_rng(draw_seed(self.random_state) % 2**32).permutation(size)
        num_held_out = max(1, int(np.ceil(self.validation_fraction * size)))
        if num_held_out >= size:
            raise ParamError(
                f"validation_fraction must leave instances to train on; got "
                f"{self.validation_fraction} of {size} instances"
            )
        return np.sort(order[num_held_out:]), np.sort(order[:num_held_out])


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

    def _fit(
        self,
        rows: NDArray[Any],
        labels: NDArray[np.float64],
        sample_weight: Any,
        eval_set: EvalSet | None,
        partition_sizes: Sequence[int] | None,
        on_iteration: OnIteration | None,
        start: Model | None,
        changes: dict[str, Any],
    ) -> Self:
        parts = self._hold_out(len(rows)) if eval_set is None else None
        if parts is not None:
            kept, held_out = parts
            of_labels = self.classes_[labels.astype(np.intp)]
            eval_set = (rows[held_out], of_labels[held_out])
            rows, labels = rows[kept], labels[kept]
            sample_weight = take(sample_weight, kept)
        return super()._fit(
            rows, labels, sample_weight, eval_set, partition_sizes, on_iteration, start, changes
        )


class MLPRegressor(SklearnNames, BaseRegressor):
    """scikit-learn's MLPRegressor, trained by this library.

    Examples
    --------
    >>> import numpy as np
    >>> from mlp.sklearn import MLPRegressor
    >>> X = np.linspace(0, 1, 20).reshape(-1, 1)
    >>> estimator = MLPRegressor((8,), solver="lbfgs", random_state=1, max_iter=500)
    >>> bool(estimator.fit(X, 2 * X.ravel()).score(X, 2 * X.ravel()) > 0.99)
    True
    """

    def _fit(
        self,
        rows: NDArray[Any],
        y: Any,
        sample_weight: Any,
        eval_set: EvalSet | None,
        partition_sizes: Sequence[int] | None,
        on_iteration: OnIteration | None,
        start: Model | None,
        changes: dict[str, Any],
    ) -> Self:
        parts = self._hold_out(len(rows)) if eval_set is None else None
        if parts is not None:
            kept, held_out = parts
            targets = check_targets(y, len(rows))
            eval_set = (rows[held_out], targets[held_out])
            rows, y = rows[kept], targets[kept]
            sample_weight = take(sample_weight, kept)
        return super()._fit(
            rows, y, sample_weight, eval_set, partition_sizes, on_iteration, start, changes
        )


def check_fixed(estimator: Any) -> None:
    """Refuses values of hyper-parameters that the solvers of the library lack."""
    for name, value in FIXED.items():
        given = getattr(estimator, name)
        if given != value and estimator._has_mini_batches():
            raise ParamError(f"{name} must be {value!r} with mlp; got {given!r}")


def choose(name: str, value: str, known: dict[str, str]) -> str:
    if value in known:
        return known[value]
    raise ParamError(f"{name} must be one of {', '.join(known)} with mlp; got {value!r}")


def choose_batch_size(batch_size: int | str, size: int) -> int:
    if batch_size == "auto":
        return max(1, min(MAX_BATCH_SIZE, size))
    return int(batch_size)


def draw_seed(random_state: Any) -> int:
    """Returns a seed from what scikit-learn calls a random state."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(random_state.randint(2**31 - 1))


def take(weights: Any, rows: NDArray[np.intp]) -> Any:
    if weights is None:
        return None
    refuse_vector(weights, "sample_weight")
    return np.asarray(weights)[rows]
