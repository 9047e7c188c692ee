# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A classifier: Spark's MultilayerPerceptronClassifier, or a good first model."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._base import ClassifierMixin, keeps_fit
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
from ._parameters import ClassifierParameters
from ._values import refuse_surrogates, refuse_vector
from .batches import gather, note_names
from .errors import DataError, LabelWarning, ParamError, ShapeError
from .tables.coded_values import code_objects, is_missing

if TYPE_CHECKING:
    from typing import Self

__all__ = ["MLPClassifier"]


class BaseClassifier(ClassifierMixin, Estimator):
    """The base class of the classifiers. It does not declare their hyper-parameters."""

    _task = "classification"
    _min_classes = 2
    classes_: NDArray[Any]

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
        """Trains a network.

        Parameters
        ----------
        X : array-like of shape (instances, features)
            A NumPy array, data frame, Arrow table, sparse matrix or list. Row-major
            float64 is read in place. Without `layers`, texts and missing values become
            features. Or batches, which are consumed once: an iterator of arrays (X, y) or
            (X, y, sample_weight), or with the name of a column as `y` an iterator of Arrow
            record batches, a data set or scanner of pyarrow, a lazy frame of polars or a
            relation of DuckDB, whose other columns must be numbers.
        y : array-like of shape (instances,), or str
            Labels: integers, texts or booleans; or the column of X that has them.
        sample_weight : array-like of shape (instances,), or str, optional
            The weight of each instance, >= 0; or the column of X that has it, if `y` is one.
        groups : array-like of shape (instances,), optional
            Texts or numbers, such as the patient of each instance. Instances of one group
            stay in one fold where folds choose the network (`effort`).
        eval_set : (X, y) or (X, y, sample_weight), optional
            Instances that are not trained on. The training stops when their loss has not
            fallen for `patience` iterations, and the model is the one with the lowest.
        partition_sizes : sequence of int, optional
            The number of instances in each of Spark's partitions, in order.
        on_iteration : callable, optional
            Called with an ``mlp.Iteration`` after each iteration. A false value stops the
            training; None does not.
        init_model : mlp.Model or path, optional
            The training starts from its weights, as far as the layers are equal.
        on_interrupt : {"raise", "keep"}, default "raise"
            What Ctrl-C does: ``fit`` raises KeyboardInterrupt, or it warns and returns.

        Returns
        -------
        self

        Notes
        -----
        Ctrl-C stops the training, and the estimator has the best model so far. Handlers of
        other signals run as well; what they raise ends the training in the same way.
        """
        call = self._call(eval_set, partition_sizes, on_iteration, init_model, on_interrupt)
        X, y, sample_weight, names = gather(X, y, sample_weight)
        with keeps_fit(self):
            X, names = match_start(self, X, names, call)
            rows, call = rows_to_train(self, X, sample_weight, call)
            note_names(self, names)
            warn_of_identifiers(self, rows, call)
            call = call._replace(groups=check_groups(groups, len(rows)))
            self.classes_, labels = self._encode(y, len(rows))
            return self._fit(rows, labels, sample_weight, call)

    def _fit(
        self,
        rows: NDArray[Any] | _core.StoredFeatures,
        labels: NDArray[np.float64],
        sample_weight: Any,
        call: FitCall,
    ) -> Self:
        weights = self._class_weights(labels, self._weights(sample_weight, len(rows)))
        settings = self._settings(rows, self._num_outputs(), weights, call.changes)
        if settings.params.layers[-1] != self._num_outputs():
            raise ShapeError(
                f"layers must end with the number of classes, {len(self.classes_)}; "
                f"got {settings.params.layers}"
            )
        settings.partition_sizes = check_partitions(call.partition_sizes, len(rows))
        are_indices = np.array_equal(self.classes_, np.arange(len(self.classes_)))
        # False and True equal 0 and 1, but are names, as in a file.
        if self.classes_.dtype.kind == "b" or not are_indices:
            settings.label_names = self._label_names()
        instances = _core.Instances(rows, labels, weights, call.groups)
        self._train(settings, instances, self._eval_instances(call, instances), call)
        return self

    def _num_outputs(self) -> int:
        return len(self.classes_)

    def _label_names(self) -> list[str]:
        return [str(label) for label in self.classes_.tolist()]

    def _encode(self, y: Any, size: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Returns the classes, and the index of each label."""
        labels = check_labels(y, size)
        num_classes = last_of(self.layers)
        if num_classes is not None and labels.dtype.kind in "iuf":
            numbers = labels.astype(np.float64)
            if is_index(numbers, num_classes):
                kind = labels.dtype if labels.dtype.kind != "f" else np.dtype(np.float64)
                return np.arange(num_classes, dtype=kind), numbers
        refuse_no_classes(labels)
        classes, indices = np.unique(labels, return_inverse=True)
        refuse_class_surrogates(classes)
        self._check_classes(labels, classes, indices.ravel())
        if len(classes) < self._min_classes:
            raise DataError(
                f"{type(self).__name__} needs at least 2 classes; the labels have one class, "
                f"{classes[:1].tolist()[0]!r}"
            )
        return classes, indices.astype(np.float64).ravel()

    def _check_classes(
        self, labels: NDArray[Any], classes: NDArray[Any], indices: NDArray[np.intp]
    ) -> None:
        """Refuses labels that are probably no classes, or warns of them."""

    def _to_labels(self, y: Any, size: int) -> NDArray[np.float64]:
        """Returns the index of each label in the classes of the training."""
        labels = check_labels(y, size)
        indices = np.searchsorted(self.classes_, labels)
        indices = np.minimum(indices, len(self.classes_) - 1)
        is_unknown = self.classes_[indices] != labels
        if is_unknown.any():
            first = labels[is_unknown][:1].tolist()[0]
            raise DataError(
                f"label {first!r} is none of the classes of the training, "
                f"{self.classes_.tolist()}"
            )
        return indices.astype(np.float64)

    def _class_weights(
        self, labels: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """Multiplies the weights of the instances by those of their classes."""
        if self.class_weight is None:
            return weights
        indices = labels.astype(np.intp)
        if self.class_weight == "balanced":
            counts = np.bincount(indices, weights, minlength=len(self.classes_))
            of_class = np.array(_core.balanced_class_weights(counts.astype(np.float64)))
        elif isinstance(self.class_weight, dict):
            classes = self.classes_.tolist()
            check_keys(self.class_weight, classes)
            of_class = np.array([self.class_weight.get(c, 1.0) for c in classes])
        else:
            raise ParamError(
                f"class_weight must be 'balanced', a dict or None; got {self.class_weight!r}"
            )
        scaled: NDArray[np.float64] = of_class[indices] * (1.0 if weights is None else weights)
        _core.check_weights(scaled)
        return scaled

    def _partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> Self:
        with keeps_fit(self):
            is_first = not self._is_fitted()
            rows = first_rows(self, X) if is_first else rows_like_model(self, X)
            if is_first and classes is None:
                raise ParamError("classes must be given in the first call of partial_fit")
            if classes is not None:
                given = np.unique(np.asarray(classes))
                refuse_class_surrogates(given)
                if not is_first and not np.array_equal(given, self.classes_):
                    raise ParamError("classes must be the same in every call of partial_fit")
                self.classes_ = given
            labels = self._to_labels(y, len(rows))
            return self._fit(rows, labels, sample_weight, self._partial_call(len(rows)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predicts the label of each row of X."""
        indices = self._score(X, _core.Model.predict_index)
        return self.classes_.take(indices.astype(np.intp))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Computes the probability of each class [instances x classes]."""
        return self._score(X, _core.Model.predict_probability)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Computes the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Computes the outputs of the last layer [instances x classes].

        Returns
        -------
        array of shape (instances, classes)
            With two classes, of shape (instances,): the output of the second less that of
            the first.
        """
        raw = self._score(X, _core.Model.predict_raw)
        if raw.shape[1] != 2:
            return raw
        difference: NDArray[np.float64] = raw[:, 1] - raw[:, 0]
        return difference


class MLPClassifier(ClassifierParameters, BaseClassifier):
    __doc__ = f"""A multilayer perceptron that predicts classes.

    With `layers`, the training is that of Spark's MultilayerPerceptronClassifier: the
    same seed gives the same initial weights, steps and stop. Without `layers`, the
    features are standardised and a network is chosen for the table.

    {(ClassifierParameters.__doc__ or "").split(chr(10), 2)[2].strip()}

    Attributes
    ----------
    classes_ : array of shape (classes,)
        The labels, sorted. With `layers` and integer labels from 0 to k - 1, where k is
        the last of `layers`, they are 0 to k - 1.
    model_ : mlp.Model
        The trained network.
    objective_history_ : array
        The objective at the start and after each iteration.
    total_iterations_ : int
        The number of iterations as Spark counts them.
    convergence_reason_ : str
        Why the training stopped, such as ``maxIter``.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (features,)
        The names of the features, if X had names.

    Examples
    --------
    >>> import mlp
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> estimator = mlp.MLPClassifier(layers=[2, 5, 2], seed=123).fit(X, [0, 1, 1, 0])
    >>> estimator.predict(X)
    array([0, 1, 1, 0])
    >>> estimator.convergence_reason_
    'gradientConverged'
    """

    _coverage_name = "coverage"

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """Tells which classes are in the set of each row of X, if `coverage` was set.

        Returns
        -------
        array of bool of shape (instances, classes)
            In the order of `classes_`, as the sets that ``predict_set`` of MAPIE returns
            for one level, and that of crepes with ``labels=False``. The class with the largest probability always is in the set. Nothing guarantees
            how often sets contain the label; ``model_.selection["unseen_coverage"]`` has
            what was measured.

        Raises
        ------
        ParamError
            If the classifier was trained without `coverage`.
        """
        is_in: NDArray[np.bool_] = self._score(X, _core.Model.predict_set) != 0
        return is_in

    def _check_classes(
        self, labels: NDArray[Any], classes: NDArray[Any], indices: NDArray[np.intp]
    ) -> None:
        if self.layers is not None:
            return
        if labels.dtype.kind in "iuf":
            note = _core.note_many_numbers(labels.astype(np.float64))
            if note:
                warnings.warn(
                    f"{note}; MLPRegressor predicts numbers, and y.astype(str) makes classes "
                    "without this warning",
                    LabelWarning,
                    stacklevel=4,
                )
        elif labels.dtype.kind != "b":
            counts = np.bincount(indices)
            check_texts(list(zip(map(str, classes.tolist()), counts.tolist())))


def refuse_class_surrogates(classes: NDArray[Any]) -> None:
    """Refuses classes whose names no model file can have."""
    if classes.dtype.kind == "U":
        refuse_surrogates(classes.tolist(), lambda number: "a label")


def last_of(layers: Any) -> int | None:
    """Returns the number of classes of layers; None if they are none, or no sizes."""
    try:
        return int(layers[-1])
    except (TypeError, ValueError, IndexError):
        return None


def check_keys(class_weight: dict[Any, Any], classes: list[Any]) -> None:
    """Refuses weights of classes that do not occur."""
    for key in class_weight:
        if key not in classes:
            raise ParamError(
                f"class_weight must have classes of the labels, {classes}; got {key!r}"
            )


def is_index(numbers: NDArray[np.float64], num_classes: int) -> bool:
    """True if all numbers are integers from 0 to num_classes - 1."""
    return bool(
        np.all(numbers >= 0) and np.all(numbers < num_classes)
        and np.all(numbers == np.floor(numbers))
    )


def check_labels(y: Any, size: int) -> NDArray[Any]:
    """Returns labels of one dimension, one per instance."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None")
    refuse_vector(y, "y", accepts_texts=True)
    labels = np.asarray(y)
    if labels.dtype.kind == "U" and isinstance(y, (list, tuple)):
        labels = np.asarray(y, dtype=object)  # NumPy made texts of numbers too
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the "
            "shape of y to (n_samples,), for example using ravel().",
            conversion_warning(),
            stacklevel=4,
        )
        labels = labels.ravel()
    if labels.shape != (size,):
        raise ShapeError(f"y must have the shape ({size},), one label per row; got {labels.shape}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DataError("Input y contains NaN or infinity; labels must be known")
    if labels.dtype.kind == "O":
        labels = unify(labels)
    return labels


def unify(labels: NDArray[Any]) -> NDArray[Any]:
    """Returns labels that are objects as texts or numbers."""
    values, codes, _ = code_objects(labels.tolist())
    if any(map(is_missing, values)):
        raise DataError("Input y contains NaN or None; labels must be known")
    ends_with_nul = [text for text in map(str, values) if text.endswith("\0")]
    if ends_with_nul:
        raise DataError(
            "labels must not end with a NUL character, which NumPy drops; got "
            f"{ends_with_nul[0]!r}"
        )
    kinds = {str if isinstance(value, str) else type(value) for value in values}
    if str in kinds and len(kinds) > 1:
        raise DataError("labels must be all texts or all numbers; got a mixture")
    unified: NDArray[Any] = np.array(values)[codes]
    return unified


def conversion_warning() -> type[Warning]:
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning
    warning: type[Warning] = DataConversionWarning
    return warning


def check_texts(counts: list[tuple[str, int]]) -> None:
    """Refuses texts that differ in most rows, so that they cannot be classes."""
    try:
        _core.check_texts(counts)
    except DataError as error:
        raise DataError(
            f"{error}; choose other labels, or give layers to make each text a class"
        ) from None


def refuse_no_classes(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "f" and np.any(labels != np.floor(labels)):
        raise DataError(
            "Unknown label type: continuous. Labels of classes must be integers or texts; "
            "MLPRegressor predicts numbers"
        )
    if labels.dtype.kind not in "iuf":
        return
    wrong = _core.find_no_class(labels.astype(np.float64))
    if wrong is not None:
        raise DataError(
            f"labels must be integers below 2^53 or texts for a classifier; instance {wrong} has "
            f"label {labels[wrong]}; make texts of integers, for example with y.astype(str)"
        )
