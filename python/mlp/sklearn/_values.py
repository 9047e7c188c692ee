# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Values of scikit-learn's hyper-parameters, translated for this package."""
from __future__ import annotations

import contextlib
import math
import numbers
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import DivergedError, ParamError

ACTIVATIONS = {"logistic": "sigmoid", "tanh": "tanh", "relu": "relu"}
SOLVERS = {"lbfgs": "l-bfgs", "sgd": "sgd", "adam": "adam"}
LEARNING_RATES = ("constant", "invscaling", "adaptive")
# The hyper-parameters whose values are passed on, by solver: scikit-learn's names, and
# those of the library.
SAME_VALUE: dict[str, dict[str, str]] = {
    "lbfgs": {},
    "sgd": {"tol": "tol", "learning_rate_init": "step_size", "momentum": "momentum"},
    "adam": {
        "tol": "tol", "learning_rate_init": "step_size", "beta_1": "beta1", "beta_2": "beta2",
        "epsilon": "epsilon",
    },
}
# scikit-learn's names of the hyper-parameters in errors of the library, and the rule where
# the library's own rule is about another value.
THEIR_NAMES: dict[str, tuple[str, str | None]] = {
    "layers": ("hidden_layer_sizes", "must be integers > 0"),
    "activation": ("activation", None),
    "regParam": ("alpha", None),
    "maxIter": ("max_iter", None),
    "tol": ("tol", "must be a number >= 0"),
    "gradientTol": ("tol", None),
    "stepSize": ("learning_rate_init", None),
    "batchSize": ("batch_size", "must be an integer > 0 or 'auto'"),
    "momentum": ("momentum", None),
    "beta1": ("beta_1", None),
    "beta2": ("beta_2", None),
    "epsilon": ("epsilon", None),
    "schedule": ("power_t", "must be a number >= 0"),
}


NUMBERS = (
    "alpha", "learning_rate_init", "power_t", "max_iter", "tol", "momentum",
    "validation_fraction", "beta_1", "beta_2", "epsilon",
)
# Limits of the library, which refuses larger networks.
MAX_SIZE, MAX_WEIGHTS = 2**20, 2**31 - 1
# Replacements in advice of the library: scikit-learn lacks some hyper-parameters, and
# others have another name.
THEIR_WORDS = (
    ("smaller initialWeights, ", ""),
    ("smaller initialWeights or ", ""),
    (" or clipNorm 1", ""),
    ("stepSize", "learning_rate_init"),
    ("maxIter", "max_iter"),
    ("solver adam", "solver 'adam'"),
)


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
    except DivergedError as error:
        diverged = DivergedError(in_their_words(str(error)))
        diverged.objective_history = error.objective_history
        raise diverged from None


def in_their_words(sentence: str) -> str:
    """Returns a sentence of the library without what scikit-learn has no name for."""
    for ours, theirs in THEIR_WORDS:
        sentence = sentence.replace(ours, theirs)
    return sentence


def draw_weights(
    estimator: Any, random: np.random.RandomState, num_features: int, num_outputs: int
) -> NDArray[np.float64] | None:
    """Draws the weights at which scikit-learn starts with the same random state."""
    sizes = list_sizes(estimator.hidden_layer_sizes)
    if not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
        return None  # The library refuses them.
    ends = [num_features, *sizes, num_outputs]
    if max(sizes, default=0) > MAX_SIZE or sum(
        (inputs + 1) * outputs for inputs, outputs in zip(ends, ends[1:])
    ) > MAX_WEIGHTS:
        return None  # It refuses these too, without allocating them.
    factor = 2.0 if estimator.activation == "logistic" else 6.0
    has_one_output = estimator._has_one_output()
    parts = []
    for inputs, outputs in zip(
        [num_features, *sizes], [*sizes, 1 if has_one_output else num_outputs]
    ):
        bound = np.sqrt(factor / (inputs + outputs))
        parts += [random.uniform(-bound, bound, (inputs, outputs)),
                  random.uniform(-bound, bound, (1, outputs))]
    if has_one_output:
        parts[-2:] = [np.hstack([np.zeros_like(part), part]) for part in parts[-2:]]
    return np.concatenate([part.ravel() for part in parts])


def split_rows(
    estimator: Any, random: np.random.RandomState, targets: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Returns the rows that scikit-learn trains on, and those of its validation."""
    size = len(targets)
    share = estimator.validation_fraction
    if not isinstance(share, (int, float, np.number)) or not 0 <= share < 1:
        raise ParamError(f"validation_fraction must be >= 0 and < 1; got {share!r}")
    num_held_out = math.ceil(float(share) * size)
    if num_held_out < 2 or num_held_out >= size:
        raise ParamError(
            "validation_fraction must hold at least 2 instances out and leave some to train "
            f"on; got {share} of {size} instances"
        )
    if estimator._has_one_output():
        with contextlib.suppress(ImportError):
            from sklearn.model_selection import train_test_split

            kept, held_out = train_test_split(
                np.arange(size), test_size=share, random_state=random, stratify=targets
            )
            return kept, held_out
    order = random.permutation(size)
    return order[num_held_out:], order[:num_held_out]


def take_rows(
    rows: NDArray[Any] | _core.StoredFeatures, places: NDArray[np.intp]
) -> NDArray[Any] | _core.StoredFeatures:
    """Returns the features of some instances."""
    if isinstance(rows, _core.StoredFeatures):
        return rows.select(places.astype(np.int64))
    taken: NDArray[Any] = rows[places]
    return taken


def choose(name: str, value: Any, known: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise ParamError(f"{name} must be one of {', '.join(known)} with mlp; got {value!r}")


def require_integer(name: str, value: Any) -> None:
    if value == math.inf and name == "n_iter_no_change":
        return
    if not isinstance(value, numbers.Integral) or value < 1:
        raise ParamError(f"{name} must be an integer > 0; got {value!r}")


def require_number(name: str, value: Any) -> None:
    """Refuses texts and other values that the library would read as numbers."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise ParamError(f"{name} must be a number; got {value!r}", name)


def list_sizes(sizes: Any) -> list[Any]:
    """Returns the sizes of hidden layers, which may be one number."""
    return list(sizes) if isinstance(sizes, Iterable) else [sizes]


def divide(value: Any, divisor: float) -> Any:
    """Divides a number. Other values stay as they are: the library refuses them."""
    is_divided = isinstance(value, numbers.Real) and divisor > 0
    return value / divisor if is_divided else value


def random_state(given: Any) -> np.random.RandomState:
    """Returns what scikit-learn draws random numbers from."""
    if given is None or given is np.random:
        return np.random.mtrand._rand
    if isinstance(given, np.random.RandomState):
        return given
    if isinstance(given, (int, np.integer)) and 0 <= given < 2**32:
        return np.random.RandomState(int(given))
    raise ParamError(
        "random_state must be an integer from 0 to 4294967295, a RandomState or None; "
        f"got {given!r}"
    )


def take(
    weights: NDArray[np.float64] | None, rows: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]
