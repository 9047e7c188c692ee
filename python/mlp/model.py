# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A trained network: the model file, and the predictions of the network."""
from __future__ import annotations

import html
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import as_features, as_rows
from ._columns import fill_in, take_inputs
from ._files import checked_path
from ._threads import num_threads
from .errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Model"]


class Model:
    """A trained network, as the file of the program ``mlp`` stores it.

    Rows are instances. Features are those of the training, not yet scaled: the model
    applies its scaler.

    Examples
    --------
    >>> import mlp
    >>> estimator = mlp.MLPClassifier(layers=[2, 3, 2], seed=1)
    >>> model = estimator.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).model_
    >>> model.layers
    [2, 3, 2]
    >>> mlp.Model.from_json(model.to_json()).predict([[1.0, 0.0]])
    array([1])
    """

    def __init__(self, core: _core.Model) -> None:
        self._core = core
        self._names = np.array(core.class_names)
        self._has_names = bool(core.label_names)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Loads a model file.

        Raises
        ------
        ModelError
            If the file is missing, damaged or no model; the text names the place.
        """
        return cls(_core.Model.load(checked_path(path)))

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Reads the text of a model file."""
        return cls(_core.Model.from_json(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves a model file. An existing file is replaced as a whole or not at all.

        Raises
        ------
        ResourceError
            If the file cannot be written; an old one is as it was.
        """
        self._core.save(checked_path(path))

    def to_json(self) -> str:
        """Returns the text of the model file. Equal models give equal texts."""
        return self._core.to_json()

    @property
    def layers(self) -> list[int]:
        """Sizes of the layers, from the features to the outputs.

        If numbers are encoded, the first size is that of the encoding.
        """
        return self._core.layers

    @property
    def num_features(self) -> int:
        """Number of features of an instance, before their numbers are encoded."""
        return self._core.num_features

    @property
    def numeric_encoding(self) -> str:
        """How numbers enter the network: "linear", or "quantile:BINS".

        The model applies the encoding to the features before its scaler.
        """
        return self._core.numeric_encoding

    @property
    def is_regressor(self) -> bool:
        """True if the outputs are numbers instead of classes."""
        return self._core.is_regressor

    @property
    def labels(self) -> list[str]:
        """Names of the classes; empty if they have none."""
        return self._core.label_names

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, after columns are encoded; empty if they have none."""
        return self._core.feature_names

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of a table that the model takes; empty if they have none.

        They are the features, unless texts or missing values are encoded.
        """
        return self._core.column_encoding.column_names or self._core.feature_names

    @property
    def thresholds(self) -> list[float]:
        """One per class, or empty: the largest probability / threshold decides."""
        return self._core.thresholds

    @property
    def weights(self) -> NDArray[np.float64]:
        """All weights in Spark's order, as a view that cannot be written."""
        return self._core.weights

    @property
    def coefs_(self) -> list[NDArray[np.float64]]:
        """The matrix of each layer [inputs x outputs], as views of `weights`."""
        sizes = self.layers
        return [
            self.weights[begin : begin + inputs * outputs].reshape(inputs, outputs)
            for (begin, _), inputs, outputs in zip(self._core.offsets, sizes, sizes[1:])
        ]

    @property
    def intercepts_(self) -> list[NDArray[np.float64]]:
        """The biases of each layer [outputs], as views of `weights`."""
        return [
            self.weights[begin : begin + outputs]
            for (_, begin), outputs in zip(self._core.offsets, self.layers[1:])
        ]

    @property
    def objective_history(self) -> NDArray[np.float64]:
        """The objective at the start and after each iteration."""
        return self._core.objective_history

    @property
    def validation_history(self) -> NDArray[np.float64]:
        """The loss of the evaluation set after each entry of the history; may be empty."""
        return self._core.validation_history

    @property
    def total_iterations(self) -> int:
        """The number of iterations as Spark counts them."""
        return self._core.total_iterations

    @property
    def convergence_reason(self) -> str:
        """Why the training stopped, such as ``maxIter``."""
        return self._core.convergence_reason

    @property
    def selection(self) -> dict[str, float] | None:
        """How folds chose the model: ``folds``, ``networks``, for a classifier
        ``temperature``, and the scores of the rows that the trainings of the folds did not
        see (``unseen_rows``, ``unseen_loss``, for a classifier ``unseen_accuracy`` and
        ``calibration_error``; with intervals or sets ``unseen_coverage`` and
        ``unseen_mean_size``). None if they did not."""
        return self._core.selection

    @property
    def coverage(self) -> float | None:
        """The share of labels that the prediction intervals or sets should contain; None if
        the model has neither."""
        region = self._core.prediction_interval or self._core.prediction_set
        return region[0] if region else None

    def predict(self, X: ArrayLike, n_jobs: int | None = None) -> NDArray[Any]:
        """Predicts the class of each row, by name if the classes have names.

        Parameters
        ----------
        X : array-like of shape (instances, features)
            Rows of float64 or float32 that lie one after another are scored where they
            lie. Rows of other layouts, and columns of Arrow tables and data frames, are
            gathered in small parts. The columns of a data frame or table are found by the
            names of the model's features, in any order, and others are ignored. A model
            that encodes texts or missing values takes the columns that it was trained on.
            A model that standardises its features replaces missing values by the means of
            the training, with an ``mlp.ColumnWarning``. Without names, in the model or in the data, columns are taken in their order.
        n_jobs : int, optional
            The number of threads; it never changes the result.

        Returns
        -------
        array of shape (instances,)
            Names or indices of classes; numbers for a regressor, with one column for each
            number if it predicts several.

        Raises
        ------
        DataError
            If a data frame or table lacks a feature, or has its name another number of times.
        """
        if self.is_regressor and self.layers[-1] > 1:
            return self.decision_function(X, n_jobs)
        prediction = self._score(self._core.predict_index, X, num_threads(n_jobs))
        if self.is_regressor:
            return prediction
        indices = prediction.astype(np.intp)
        return self._names[indices] if self._has_names else indices

    def predict_proba(self, X: ArrayLike, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Computes the probability of each class [instances x classes]."""
        if self.is_regressor:
            raise TypeError("predict_proba needs classes; this model predicts numbers")
        return self._score(self._core.predict_probability, X, num_threads(n_jobs))

    def decision_function(self, X: ArrayLike, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Computes the outputs of the last layer [instances x outputs]."""
        return self._score(self._core.predict_raw, X, num_threads(n_jobs))

    def predict_interval(
        self, X: ArrayLike, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Predicts the interval of each row of X; see ``MLPRegressor.predict_interval``."""
        return as_intervals(self._score(self._core.predict_interval, X, num_threads(n_jobs)))

    def predict_set(self, X: ArrayLike, n_jobs: int | None = None) -> NDArray[np.bool_]:
        """Tells which classes are in the set of each row of X [instances x classes].

        The columns are in the order of the classes' indices, as those of predict_proba; see
        ``MLPClassifier.predict_set``.
        """
        is_in: NDArray[np.bool_] = (
            self._score(self._core.predict_set, X, num_threads(n_jobs)) != 0
        )
        return is_in

    def transform(self, X: ArrayLike, layer: int = 1) -> NDArray[np.float64]:
        """Computes the output of a hidden layer, counted from 1 [instances x units]."""
        return self._score(self._core.hidden_output, X, layer, read=as_rows)

    def _score(
        self,
        function: Callable[..., NDArray[np.float64]],
        X: ArrayLike,
        number: int,
        read: Callable[[Any], Any] = as_features,
    ) -> NDArray[np.float64]:
        """Calls a function of features, in which means replace missing values."""
        inputs = take_inputs(self._core, X)
        try:
            return function(read(inputs), number)
        except DataError:
            # Only now, because most tables are whole, and to look reads all features.
            filled = fill_in(self._core, inputs)
            if filled is None:
                raise
        return function(filled, number)

    def _replace(self, **parts: Any) -> Model:
        """Returns a model with some parts replaced; see ``_core.Model.make``."""
        return Model(self._core.replace(**parts))

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draws the objective over the iterations. It needs matplotlib."""
        from ._plots import plot_history

        return plot_history(self.objective_history, self.validation_history, ax)

    def __repr__(self) -> str:
        kind = "regressor" if self.is_regressor else "classifier"
        return f"<mlp.Model: {kind}, layers {self.layers}, {len(self.weights)} weights>"

    def _repr_html_(self) -> str:
        history = self.objective_history
        rows = {
            "layers": self.layers,
            "weights": len(self.weights),
            "iterations": self.total_iterations,
            "stopped by": self.convergence_reason,
            "objective": f"{history[-1]:.6g}" if len(history) else "not known",
        }
        cells = "".join(
            f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>"
            for name, value in rows.items()
        )
        return f"<table><caption>mlp.Model</caption>{cells}</table>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, str]:
        """Returns what pickle, copy, joblib and skops store: the text of the model file."""
        return {"json": self.to_json()}

    def __setstate__(self, state: dict[str, str]) -> None:
        self.__init__(_core.Model.from_json(state["json"]))  # type: ignore[misc]


def as_intervals(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns ends of intervals [instances x 2], or [instances x 2 x targets]."""
    num_targets = ends.shape[1] // 2
    return ends if num_targets == 1 else ends.reshape(len(ends), 2, num_targets)
