# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The base class of the estimators of ``mlp.sklearn``."""
from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core, errors
from .._estimator import Computing, Estimator, TableFacts
from .._instances import FitCall
from ._values import (
    ACTIVATIONS,
    NUMBERS,
    LEARNING_RATES,
    SAME_VALUE,
    SOLVERS,
    choose,
    divide,
    draw_weights,
    in_their_words,
    list_sizes,
    random_state,
    require_integer,
    require_number,
    split_rows,
    take,
    take_rows,
    their_names,
)
from ._watch import Watch
from ..errors import ParamError

if TYPE_CHECKING:
    from typing import Self

try:
    from sklearn.exceptions import ConvergenceWarning as _TheirWarning
except ImportError:
    ConvergenceWarning = errors.ConvergenceWarning
else:

    class ConvergenceWarning(  # type: ignore[no-redef]
        errors.ConvergenceWarning, _TheirWarning  # type: ignore[misc]
    ):
        """The warning of this package, which is scikit-learn's too."""


MAX_BATCH_SIZE = 200
# scikit-learn divides adaptive steps by 5.
ADAPTIVE = "adaptive:0.2"
NEVER = 2**31 - 1


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

    _stack_level = 6

    def _words(self, sentence: str) -> str:
        return in_their_words(sentence)

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
        for name in NUMBERS:
            require_number(name, getattr(self, name))
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
            # scikit-learn divides the penalty by the number of instances of a step.
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
        else:
            # A tenth, so that rounding does not decide whose loss is lower at the stop.
            values["gradient_tol"] = divide(self.tol, 10.0)
        return values

    def _mini_batches(self, facts: TableFacts, stalled: int) -> dict[str, Any]:
        size = self.batch_size
        if size == "auto":
            size = min(MAX_BATCH_SIZE, facts.num_rows)
        of_step = min(size, facts.num_rows) if isinstance(size, numbers.Real) else 1
        is_adaptive = self.solver == "sgd" and self.learning_rate == "adaptive"
        values: dict[str, Any] = {
            "batch_size": size,
            "reg_param": divide(self.alpha, facts.weight_sum * of_step / facts.num_rows),
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
        self, rows: NDArray[Any] | _core.StoredFeatures, targets: NDArray[Any],
        sample_weight: Any, call: FitCall, num_outputs: int,
    ) -> Self:
        """Trains from the weights at which scikit-learn starts, on the same instances."""
        self._check_own()
        random = random_state(self.random_state)
        is_new = call.start is None
        changes = dict(call.changes)
        if is_new:
            changes["initial_weights"] = draw_weights(
                self, random, rows.shape[1], num_outputs
            )
        held_out = None
        if self.early_stopping and self._has_mini_batches() and call.eval_set is None:
            if call.changes:
                raise ParamError("partial_fit does not support early_stopping=True")
            sample_weight = self._weights(sample_weight, len(rows))
            kept, held_out = split_rows(self, random, targets)
        changes["seed"] = int(random.randint(NEVER))
        if self.learning_rate == "invscaling" and call.changes and not is_new:
            # The step size depends on the number of instances seen before.
            changes["step_size"] = self.learning_rate_init / (self.t_ + 1) ** self.power_t
        layers = [rows.shape[1], *list_sizes(self.hidden_layer_sizes), num_outputs]
        watch = Watch(self, layers, call.on_iteration)
        call = call._replace(changes=changes, on_iteration=watch.callback())
        if held_out is not None:
            unseen = take_rows(rows, held_out)
            if isinstance(unseen, _core.StoredFeatures):
                unseen = unseen.read(0, len(unseen))
            validation = (unseen, targets[held_out], take(sample_weight, held_out))
            watch.score_on(*validation)
            call = call._replace(
                eval_set=_core.Instances(*validation), on_iteration=watch.callback()
            )
            rows, targets = take_rows(rows, kept), targets[kept]
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
