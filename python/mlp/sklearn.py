# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators with the hyper-parameters of scikit-learn's.

A script that imports them instead of ``sklearn.neural_network`` works as before. The
documentation of the package lists what differs.
"""
from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core, errors
from ._estimator import Computing, Estimator, FitCall, TableFacts
from ._sklearn_watch import Watch
from ._values import refuse_vector
from .classifier import BaseClassifier
from .errors import ParamError
from .regressor import BaseRegressor, check_targets

__all__ = ["ConvergenceWarning", "MLPClassifier", "MLPRegressor"]

try:
    from sklearn.exceptions import ConvergenceWarning as _TheirWarning
except ImportError:
    ConvergenceWarning = errors.ConvergenceWarning
else:

    class ConvergenceWarning(  # type: ignore[no-redef]
        errors.ConvergenceWarning, _TheirWarning  # type: ignore[misc]
    ):
        """The warning of this package, which is scikit-learn's too."""


ACTIVATIONS = {"logistic": "sigmoid", "tanh": "tanh", "relu": "relu"}
SOLVERS = {"lbfgs": "l-bfgs", "sgd": "sgd", "adam": "adam"}
LEARNING_RATES = ("constant", "invscaling", "adaptive")
# The hyper-parameters whose values are passed on, by solver: scikit-learn's names, and
# those of the library.
SAME_VALUE = {
    "lbfgs": {"tol": "gradient_tol"},
    "sgd": {"tol": "tol", "learning_rate_init": "step_size", "momentum": "momentum"},
    "adam": {
        "tol": "tol", "learning_rate_init": "step_size", "beta_1": "beta1", "beta_2": "beta2",
        "epsilon": "epsilon",
    },
}
# scikit-learn's names of the hyper-parameters that errors of the library name, and what
# they must be where the library speaks of another value.
THEIR_NAMES: dict[str, tuple[str, str | None]] = {
    "layers": ("hidden_layer_sizes", "must be integers > 0"),
    "activation": ("activation", None),
    "regParam": ("alpha", None),
    "maxIter": ("max_iter", None),
    "tol": ("tol", None),
    "gradientTol": ("tol", None),
    "stepSize": ("learning_rate_init", None),
    "batchSize": ("batch_size", "must be an integer > 0 or 'auto'"),
    "momentum": ("momentum", None),
    "beta1": ("beta_1", None),
    "beta2": ("beta_2", None),
    "epsilon": ("epsilon", None),
    "schedule": ("power_t", "must be a number >= 0"),
}
MAX_BATCH_SIZE = 200
# scikit-learn divides adaptive steps by 5.
ADAPTIVE = "adaptive:0.2"
NEVER = 2**31 - 1


@contextlib.contextmanager
def their_names(estimator: Any) -> Iterator[None]:
    """Raises errors of the library with scikit-learn's names and the user's values."""
    try:
        yield
    except ParamError as error:
        if error.parameter not in THEIR_NAMES:
            raise
        name, rule = THEIR_NAMES[error.parameter]
        if rule is None:
            rule = str(error)[len(error.parameter) + 1:].rpartition("; got ")[0]
        raise ParamError(f"{name} {rule}; got {getattr(estimator, name)!r}", name) from None


class SklearnNames(Estimator):
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

    t_: int
    best_loss_: float | None
    validation_scores_: list[float] | None
    best_validation_score_: float | None

    def _computing(self) -> Computing:
        return Computing()

    def _preset(self) -> tuple[str, bool]:
        return "spark", False

    def _has_final_scale(self) -> bool:
        # scikit-learn leaves the scale of features to its users.
        return True

    def _has_mini_batches(self) -> bool:
        return bool(self.solver != "lbfgs")

    def _convergence_warning(self) -> type[errors.ConvergenceWarning]:
        return ConvergenceWarning

    def _has_one_output(self) -> bool:
        """True if scikit-learn's network has one output where this one has two."""
        return False

    @property
    def n_layers_(self) -> int:
        """The number of layers, with that of the features."""
        self._check_attribute("n_layers_")
        return len(self.model_.layers)

    @property
    def n_outputs_(self) -> int:
        """The number of outputs of scikit-learn's network: one for two classes."""
        self._check_attribute("n_outputs_")
        return 1 if self._has_one_output() else self.model_.layers[-1]

    @property
    def coefs_(self) -> list[NDArray[np.float64]]:
        """The matrix of each layer [inputs x outputs], as views of the weights."""
        return [*super().coefs_[:-1], super().coefs_[-1][:, -self.n_outputs_:]]

    @property
    def intercepts_(self) -> list[NDArray[np.float64]]:
        """The biases of each layer [outputs], as views of the weights."""
        return [*super().intercepts_[:-1], super().intercepts_[-1][-self.n_outputs_:]]

    def _check_own(self) -> None:
        """Refuses values of hyper-parameters that the library does not see."""
        choose("activation", self.activation, ACTIVATIONS)
        choose("solver", self.solver, SOLVERS)
        choose("learning_rate", self.learning_rate, LEARNING_RATES)
        require_integer("n_iter_no_change", self.n_iter_no_change)
        require_integer("max_fun", self.max_fun)

    def _hyper_parameters(self, facts: TableFacts) -> dict[str, Any]:
        sizes = list_sizes(self.hidden_layer_sizes)
        values: dict[str, Any] = {
            "layers": [facts.num_features, *sizes, facts.num_outputs],
            "activation": ACTIVATIONS[self.activation] if sizes else None,
            "solver": SOLVERS[self.solver],
            # Layers that an initial model lacks.
            "init": "xavier-uniform",
            "one_output": self._has_one_output(),
            # scikit-learn divides the penalty by the number of instances.
            "reg_param": divide(self.alpha, facts.weight_sum),
            "max_iter": self.max_iter,
            "block_size": 1,
            # scikit-learn stops after one more epoch.
            "patience": int(min(self.n_iter_no_change, NEVER - 1)) + 1,
        }
        for name, of_library in SAME_VALUE[self.solver].items():
            values[of_library] = getattr(self, name)
        if self._has_mini_batches():
            values |= self._mini_batches(facts, values["patience"])
        return values

    def _mini_batches(self, facts: TableFacts, stalled: int) -> dict[str, Any]:
        size = self.batch_size
        is_adaptive = self.solver == "sgd" and self.learning_rate == "adaptive"
        values: dict[str, Any] = {
            "batch_size": min(MAX_BATCH_SIZE, facts.num_rows) if size == "auto" else size,
            "in_order": not self.shuffle,
            "stall_epochs": 0 if self.early_stopping and not is_adaptive else stalled,
            "patience": NEVER if is_adaptive else stalled,
        }
        if self.solver == "sgd":
            values["nesterov"] = bool(self.nesterovs_momentum) and self.momentum != 0
            values["schedule"] = self._schedule(facts)
        return values

    def _schedule(self, facts: TableFacts) -> str:
        if self.learning_rate == "invscaling":
            return f"power:{self.power_t}:{facts.num_rows}"
        return ADAPTIVE if self.learning_rate == "adaptive" else "constant"

    def _fit_as_theirs(
        self, rows: NDArray[Any], targets: NDArray[Any], sample_weight: Any, call: FitCall,
        num_outputs: int,
    ) -> Self:
        """Trains from the weights at which scikit-learn starts, on the same instances."""
        self._check_own()
        random = random_state(self.random_state)
        is_new = call.start is None
        changes = dict(call.changes)
        if is_new:
            changes["initial_weights"] = self._draw_weights(random, rows.shape[1], num_outputs)
        held_out = None
        if self.early_stopping and self._has_mini_batches() and call.eval_set is None:
            if call.changes:
                raise ParamError("partial_fit does not support early_stopping=True")
            kept, held_out = self._split(random, targets)
        changes["seed"] = int(random.randint(NEVER))
        if self.learning_rate == "invscaling" and call.changes and not is_new:
            # The step size of a partial_fit goes on from the instances seen before.
            changes["step_size"] = self.learning_rate_init / (self.t_ + 1) ** self.power_t
        layers = [rows.shape[1], *list_sizes(self.hidden_layer_sizes), num_outputs]
        watch = Watch(self, layers, call.on_iteration)
        call = call._replace(changes=changes, on_iteration=watch.callback())
        if held_out is not None:
            watch.score_on(rows[held_out], targets[held_out], take(sample_weight, held_out))
            validation = self._instances(
                rows[held_out], targets[held_out], take(sample_weight, held_out)
            )
            call = call._replace(eval_set=validation, on_iteration=watch.callback())
            rows, targets = rows[kept], targets[kept]
            sample_weight = take(sample_weight, kept)
        before = vars(self).get("model_")
        try:
            with their_names(self):
                super()._fit(rows, targets, sample_weight, call)  # type: ignore[misc]
        finally:
            # An interrupted training has a model too.
            if vars(self).get("model_") is not before:
                self._take_theirs(len(rows), watch, is_new)
        return self

    def _take_theirs(self, num_rows: int, watch: Watch, is_new: bool) -> None:
        """Sets the attributes of scikit-learn that the library does not have."""
        num_epochs = self.model_.total_iterations if self._has_mini_batches() else 0
        self.t_ = (0 if is_new else getattr(self, "t_", 0)) + num_epochs * num_rows
        self.validation_scores_ = watch.scores
        self.best_validation_score_ = max(watch.scores or [], default=None)
        before = None if is_new else getattr(self, "best_loss_", None)
        losses = self.loss_curve_[1:] or self.loss_curve_
        lowest = min([*losses, losses[0] if before is None else before])
        self.best_loss_ = lowest if watch.scores is None else None

    def _instances(
        self, rows: NDArray[Any], targets: NDArray[Any], sample_weight: Any
    ) -> _core.Instances:
        return _core.Instances(rows, targets, self._weights(sample_weight, len(rows)))

    def _draw_weights(
        self, random: np.random.RandomState, num_features: int, num_outputs: int
    ) -> NDArray[np.float64] | None:
        """Draws the weights at which scikit-learn starts with the same random state."""
        sizes = list_sizes(self.hidden_layer_sizes)
        if not all(isinstance(size, numbers.Integral) and size > 0 for size in sizes):
            return None  # The library refuses them.
        factor = 2.0 if self.activation == "logistic" else 6.0
        own = 1 if self._has_one_output() else num_outputs
        parts = []
        for inputs, outputs in zip([num_features, *sizes], [*sizes, own]):
            bound = np.sqrt(factor / (inputs + outputs))
            parts += [random.uniform(-bound, bound, (inputs, outputs)),
                      random.uniform(-bound, bound, (1, outputs))]
        if self._has_one_output():
            parts[-2:] = [np.hstack([np.zeros_like(part), part]) for part in parts[-2:]]
        return np.concatenate([part.ravel() for part in parts])

    def _split(
        self, random: np.random.RandomState, targets: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Returns the rows that are trained on, and those of the validation."""
        size = len(targets)
        share = self.validation_fraction
        if not isinstance(share, numbers.Real) or not 0 <= share < 1:
            raise ParamError(f"validation_fraction must be >= 0 and < 1; got {share!r}")
        num_held_out = math.ceil(share * size)
        if num_held_out < 2 or num_held_out >= size:
            raise ParamError(
                "validation_fraction must hold at least 2 instances out and leave some to train "
                f"on; got {share} of {size} instances"
            )
        if self._has_one_output():
            with contextlib.suppress(ImportError):
                from sklearn.model_selection import train_test_split

                kept, held_out = train_test_split(
                    np.arange(size), test_size=share, random_state=random, stratify=targets
                )
                return kept, held_out
        order = random.permutation(size)
        return order[num_held_out:], order[:num_held_out]


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
        self, rows: NDArray[Any], labels: NDArray[np.float64], sample_weight: Any, call: FitCall
    ) -> Self:
        return self._fit_as_theirs(rows, labels, sample_weight, call, self._num_outputs())

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicts the label of each row of X."""
        rows, _ = self._rows_to_score(X)
        if len(self.classes_) > 1:
            return super().predict(X)
        return np.repeat(self.classes_, len(rows))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Computes the probability of each class [instances x classes]."""
        rows, _ = self._rows_to_score(X)
        if len(self.classes_) > 1:
            return super().predict_proba(X)
        return np.ones((len(rows), 1))


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
        self, rows: NDArray[Any], y: Any, sample_weight: Any, call: FitCall
    ) -> Self:
        targets = check_targets(y, len(rows))
        num_outputs = targets.shape[1] if targets.ndim == 2 else 1
        return self._fit_as_theirs(rows, targets, sample_weight, call, num_outputs)


def choose(name: str, value: Any, known: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise ParamError(f"{name} must be one of {', '.join(known)} with mlp; got {value!r}")


def require_integer(name: str, value: Any) -> None:
    if value == math.inf and name == "n_iter_no_change":
        return
    if not isinstance(value, numbers.Integral) or value < 1:
        raise ParamError(f"{name} must be an integer > 0; got {value!r}")


def list_sizes(sizes: Any) -> list[Any]:
    """Returns the sizes of hidden layers, which may be one number."""
    return list(sizes) if isinstance(sizes, Iterable) else [sizes]


def divide(value: Any, divisor: float) -> Any:
    """Returns what is no number as it is, for the library to refuse."""
    return value / divisor if isinstance(value, numbers.Real) else value


def random_state(given: Any) -> np.random.RandomState:
    """Returns what scikit-learn draws random numbers from."""
    if given is None or given is np.random:
        state: np.random.RandomState = np.random.mtrand._rand  # type: ignore[attr-defined]
        return state
    if isinstance(given, np.random.RandomState):
        return given
    if isinstance(given, numbers.Integral) and 0 <= given < 2**32:
        return np.random.RandomState(int(given))
    raise ParamError(
        "random_state must be an integer from 0 to 4294967295, a RandomState or None; "
        f"got {given!r}"
    )


def take(weights: Any, rows: NDArray[np.intp]) -> Any:
    if weights is None:
        return None
    refuse_vector(weights, "sample_weight")
    return np.asarray(weights)[rows]
