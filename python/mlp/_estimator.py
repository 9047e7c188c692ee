# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The base class of the classifier and the regressor."""
from __future__ import annotations

import numbers
import os
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import as_numbers, exceeds_memory
from ._base import BaseEstimator
from ._columns import warn_outside
from ._instances import FitCall, rows_like_model, rows_to_evaluate, split_eval_set
from ._parameters import PARAMETERS
from ._progress import Iteration, Progress, make_callback, wants_weights
from ._settings import BY_NAME, choose_preset, make_params
from ._threads import num_threads
from .errors import ConvergenceWarning, ParamError
from .model import Model

if TYPE_CHECKING:
    from typing import Self

MINI_BATCH_SOLVERS = ("sgd", "adam", "adamw")
# With fewer rows, looking up the number of threads takes longer than scoring on one thread.
FEW_ROWS = 64

# The numbers of a part of a sparse matrix that is scored.
NUMBERS_AT_ONCE = 1 << 23

OnIteration = Callable[[Iteration], object]
EvalSet = Union[tuple[Any, Any], tuple[Any, Any, Any]]


class TableFacts(NamedTuple):
    """Facts about the table, on which default hyper-parameters depend."""

    num_features: int
    num_outputs: int
    weight_sum: float
    num_rows: int


class Computing(NamedTuple):
    """How a network is computed."""

    precision: str = "float64"
    backend: str = "auto"
    device: str = "cpu"
    n_jobs: int | None = None


class Estimator(BaseEstimator):
    """A network that is trained by ``fit`` and then predicts."""

    _task = ""
    _coverage_name = ""

    if TYPE_CHECKING:
        # The constructors of the estimators set them.
        layers: Any
        solver: Any
        preset: Any
        standardize: Any
        class_weight: Any
        warm_start: Any
        verbose: Any
        precision: Any
        backend: Any
        device: Any
        n_jobs: Any

    model_: Model
    n_features_in_: int
    _taken: list[int] | None = None
    """The columns that are features, if some are left out or encoded."""

    def _is_fitted(self) -> bool:
        return hasattr(self, "model_")

    __sklearn_is_fitted__ = _is_fitted

    def _check_fitted(self) -> None:
        if self._is_fitted():
            return
        sentence = (
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator."
        )
        try:
            from sklearn.exceptions import NotFittedError
        except ImportError:
            raise ValueError(sentence) from None
        raise NotFittedError(sentence)

    def _score(
        self, X: Any, score: Callable[[_core.Model, NDArray[Any], int], NDArray[Any]]
    ) -> NDArray[Any]:
        """Returns what a function computes of the model, features and a number of threads.

        Rows of a sparse matrix that does not fit into memory are taken a part at a time.
        """
        self._check_fitted()
        if not exceeds_memory(X):
            return self._score_at_once(X, score)
        rows = X.tocsr()
        size = max(1, NUMBERS_AT_ONCE // X.shape[1])
        parts = [
            self._score_at_once(rows[first : first + size], score)
            for first in range(0, X.shape[0], size)
        ]
        return np.concatenate(parts)

    def _score_at_once(
        self, X: Any, score: Callable[[_core.Model, NDArray[Any], int], NDArray[Any]]
    ) -> NDArray[Any]:
        rows = rows_like_model(self, X)
        threads = num_threads(self._computing().n_jobs) if len(rows) >= FEW_ROWS else 1
        return score(self.model_._core, rows, threads)

    def _takes_missing(self) -> bool:
        """Returns true if columns may be texts and lack values."""
        preset = getattr(self, "preset", "spark")
        return self.layers is None and preset in (None, "modern")

    def _more_tags(self) -> dict[str, Any]:
        return {"poor_score": False, "allow_nan": self._takes_missing()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def _hyper_parameters(self, facts: TableFacts) -> dict[str, Any]:
        """Returns the hyper-parameters of the C++ library that this estimator sets."""
        return {
            parameter.name: getattr(self, parameter.name)
            for parameter in PARAMETERS
            if hasattr(self, parameter.name)
        }

    def _computing(self) -> Computing:
        """Returns the settings of the computation. They change the model only by rounding."""
        return Computing(self.precision, self.backend, self.device, self.n_jobs)

    def _preset(self) -> tuple[str, bool]:
        """Returns the preset, and whether the features are standardised."""
        preset = choose_preset(self.preset, self.layers)
        standardize = self.standardize
        return preset, preset == "modern" if standardize is None else bool(standardize)

    def _effort(self, call: FitCall) -> str:
        """Returns how many trainings a fit may take; "" if the library chooses."""
        effort: str | None = getattr(self, "effort", "quick")
        single = "" if effort == "quick" else self._single_training(call)
        if effort is None:
            return "quick" if single else ""
        if single:
            raise ParamError(
                f"effort must be quick with {single}, which one training has; got {effort}"
            )
        return effort

    def _coverage(self) -> float | None:
        """Returns the share of labels that intervals or sets should contain."""
        coverage = getattr(self, self._coverage_name, None)
        if coverage is None:
            return None
        if isinstance(coverage, bool) or not isinstance(coverage, numbers.Real):
            raise ParamError(f"{self._coverage_name} must be a number; got {coverage!r}")
        return float(coverage)

    def _single_training(self, call: FitCall) -> str:
        """Names what makes several trainings impossible, besides what the library knows."""
        if self.layers is not None:
            return "layers"
        if self._preset()[0] != "modern":
            return "preset 'spark'"
        if call.is_partial:
            return "partial_fit"
        if call.partition_sizes is not None:
            return "partition_sizes"
        if self.device != "cpu":
            return f"device {self.device!r}"
        return f"precision {self.precision!r}" if self.precision in ("tf32", "bf16") else ""

    def _has_final_scale(self) -> bool:
        """Returns true if the caller decided how the features are scaled."""
        return self.standardize is not None

    def _convergence_warning(self) -> type[ConvergenceWarning]:
        return ConvergenceWarning

    # The number of frames from the warning to the caller of ``fit``.
    _stack_level = 4

    def _words(self, sentence: str) -> str:
        """Returns a sentence of the library with the names of this estimator."""
        return sentence

    def _has_mini_batches(self) -> bool:
        return self.solver in MINI_BATCH_SOLVERS

    def _settings(
        self, rows: NDArray[Any] | _core.StoredFeatures, num_outputs: int, weights: NDArray[np.float64] | None,
        changes: dict[str, Any],
    ) -> _core.Settings:
        """Makes what the C++ library reads besides the data."""
        weight_sum = float(len(rows)) if weights is None else float(weights.sum())
        facts = TableFacts(rows.shape[1], num_outputs, weight_sum, len(rows))
        preset, standardize = self._preset()
        values = self._hyper_parameters(facts) | changes
        params, given = make_params(self._task, values, preset)
        if preset == "modern":
            scale = params.apply_modern(*facts, given)
            warn_outside([scale] if scale else [], UserWarning)
        settings = _core.Settings()
        settings.params = params
        settings.given = given
        settings.standardize = standardize
        settings.has_final_scale = self._has_final_scale()
        computing = self._computing()
        settings.precision = computing.precision
        settings.backend = computing.backend
        settings.device = computing.device
        settings.threads = num_threads(computing.n_jobs)
        settings.handles_signals = threading.current_thread() is threading.main_thread()
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            settings.feature_names = [str(name) for name in names]
        return settings

    def _weights(self, sample_weight: Any, size: int) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        if isinstance(sample_weight, numbers.Real):
            sample_weight = np.full(size, sample_weight, dtype=np.float64)
        weights = as_numbers(sample_weight, "sample_weight", size)
        _core.check_weights(weights)
        return weights

    def _call(
        self, eval_set: Any, partition_sizes: Any, on_iteration: Any, init_model: Any,
        on_interrupt: str,
    ) -> FitCall:
        """Checks the arguments of ``fit``."""
        if on_interrupt not in ("raise", "keep"):
            raise ParamError(f"on_interrupt must be 'raise' or 'keep'; got {on_interrupt!r}")
        patience = getattr(self, "patience", None)
        if eval_set is None and patience not in (None, BY_NAME["patience"].spark):
            raise ParamError(
                f"patience needs instances for validation; got patience {patience!r} and no "
                "eval_set: give eval_set=(X, y) to fit"
            )
        start = self._start(init_model)
        changes = self._network_of(start) if start is not None and self.layers is None else {}
        return FitCall(eval_set, partition_sizes, on_iteration, start, on_interrupt, changes)

    @property
    def partial_fit(self) -> Callable[..., Self]:
        """Trains one epoch on more instances, with solver sgd, adam or adamw.

        The arguments are X, y, for a classifier classes (all labels; needed in the first
        call), and sample_weight. The weights continue from the last call; the momentum of
        a solver starts anew. If features and targets are standardised, then by the means
        and deviations of the first call, which warns.
        """
        if not self._has_mini_batches():
            raise AttributeError(
                f"partial_fit needs solver 'sgd', 'adam' or 'adamw'; got {self.solver!r}"
            )
        return self._partial_fit

    def _partial_fit(self, X: Any, y: Any) -> Self:
        raise NotImplementedError

    def _partial_call(self, num_rows: int) -> FitCall:
        """Returns a call that trains one epoch, from the model if there is one."""
        changes: dict[str, Any] = {"max_iter": 1}
        if not self._is_fitted():
            self._warn_of_scaler(num_rows)
            return FitCall(changes=changes, is_partial=True)
        changes |= self._network_of(self.model_)
        core = self.model_._core
        names = core.feature_names if self._taken is not None or core.has_columns else None
        return FitCall(
            start=self.model_, changes=changes, encoding=core.column_encoding,
            feature_names=names, taken=self._taken, is_partial=True,
        )

    def _network_of(self, model: Model) -> dict[str, Any]:
        """Returns the hyper-parameters of the network of a model that a fit starts from.

        They may be those of merged networks, or chosen by folds.
        """
        changes: dict[str, Any] = {"layers": [model.num_features, *model.layers[1:]]}
        if getattr(self, "numeric_encoding", None) is None:
            changes["numeric_encoding"] = model.numeric_encoding
        return changes

    def _eval_instances(
        self, call: FitCall, instances: _core.Instances
    ) -> _core.Instances | None:
        """Returns an evaluation set as the library reads it.

        Parameters
        ----------
        instances
            Those to train on.
        """
        if call.eval_set is None or isinstance(call.eval_set, _core.Instances):
            return call.eval_set
        X, y, sample_weight = split_eval_set(call.eval_set)
        rows = rows_to_evaluate(self, X, call, instances)
        labels = self._to_labels(y, len(rows))
        return _core.Instances(rows, labels, self._weights(sample_weight, len(rows)))

    def _to_labels(self, y: Any, size: int) -> NDArray[np.float64]:
        """Returns the labels of instances that are not trained on, as numbers."""
        raise NotImplementedError

    def _warn_of_scaler(self, num_rows: int) -> None:
        """Tells which rows the scaler of ``partial_fit`` has seen."""
        if self._preset()[1]:
            warnings.warn(
                f"the features are standardised by the {num_rows} instances of this first call "
                "of partial_fit; later calls keep these means and deviations",
                stacklevel=4,
            )

    def _start(self, init_model: Any) -> Model | None:
        """Returns the model that a training starts from; None for new weights."""
        if isinstance(init_model, Model):
            return init_model
        if isinstance(init_model, (str, os.PathLike)):
            return Model.load(init_model)
        if init_model is not None:
            raise ParamError(f"init_model must be a Model or a path; got {init_model!r}")
        is_warm = self.warm_start and self._is_fitted()
        return self.model_ if is_warm else None

    def _train(
        self,
        settings: _core.Settings,
        instances: _core.Instances,
        validation: _core.Instances | None,
        call: FitCall,
    ) -> None:
        """Trains, and sets the attributes that end with an underscore."""
        settings.shows_weights = wants_weights(call.on_iteration)
        progress = None
        settings.effort = self._effort(call)
        if call.encoding is not None:
            settings.column_encoding = call.encoding
        if call.feature_names is not None:
            settings.feature_names = call.feature_names
        settings.coverage = self._coverage()
        if self.verbose and settings.effort == "quick":
            progress = Progress(int(settings.params.get("maxIter")))
        try:
            outcome = _core.fit(
                settings,
                instances,
                validation,
                None if call.start is None else call.start._core,
                make_callback(call.on_iteration, progress),
            )
        finally:
            if progress is not None:
                progress.close()
        self._take(outcome)
        self._taken = call.taken
        interrupt = outcome.interrupt
        found = [] if call.is_partial else outcome.warnings
        note = outcome.note
        # The traceback of the interrupt refers to this frame, and the garbage collector does not
        # follow an outcome.
        del outcome
        if interrupt is None:
            if note:
                warnings.warn(note, stacklevel=self._stack_level)
            for code, sentence, values in found:
                warnings.warn(
                    self._convergence_warning()(self._words(sentence), code, values),
                    stacklevel=self._stack_level,
                )
            return
        if call.on_interrupt == "raise" or not isinstance(interrupt, KeyboardInterrupt):
            raise interrupt
        warnings.warn(
            "the training was interrupted; the model is the best so far", stacklevel=4
        )

    def _take(self, outcome: _core.Outcome) -> None:
        model = Model(outcome.model)
        self.model_ = model
        self.objective_history_ = model.objective_history
        self.validation_history_ = model.validation_history
        self.total_iterations_ = model.total_iterations
        self.convergence_reason_ = model.convergence_reason
        self.n_iter_ = max(1, model.total_iterations)
        self.bytes_copied_ = outcome.bytes_copied

    @property
    def loss_curve_(self) -> list[float]:
        """The objective at the start and after each iteration, as scikit-learn names it."""
        history: list[float] = self.objective_history_.tolist()
        return history

    @property
    def loss_(self) -> float:
        """The last objective."""
        return float(self.objective_history_[-1])

    @property
    def coefs_(self) -> list[NDArray[np.float64]]:
        """The matrix of each layer [inputs x outputs], as views of the weights."""
        self._check_attribute("coefs_")
        return self.model_.coefs_

    @property
    def intercepts_(self) -> list[NDArray[np.float64]]:
        """The biases of each layer [outputs], as views of the weights."""
        self._check_attribute("intercepts_")
        return self.model_.intercepts_

    def _check_attribute(self, name: str) -> None:
        if not self._is_fitted():
            raise AttributeError(f"{type(self).__name__} has {name} only after fit")

    def hidden_output(self, X: ArrayLike, layer: int = 1) -> NDArray[np.float64]:
        """Computes the output of a hidden layer, counted from 1 [instances x units]."""
        return self._score(X, lambda core, rows, _: core.hidden_output(rows, layer))

    def plot_history(self, ax: Any = None) -> Any:
        """Draws the objective over the iterations. It needs matplotlib."""
        self._check_fitted()
        return self.model_.plot_history(ax)
