# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings with several ParamMaps that read the data once."""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .training.request import FitRequest

__all__ = ["SharedFits", "shares_rows"]

# Params that choose which columns are read.
COLUMN_PARAMS = ("featuresCol", "labelCol", "weightCol", "validationIndicatorCol")


def shares_rows(estimators: Sequence[Any], requests: Sequence[FitRequest]) -> bool:
    """True if all trainings read the same rows, of the same shape, in the same task."""

    def key(estimator: Any, request: FitRequest) -> tuple[Any, ...]:
        columns = [
            estimator.getOrDefault(name) if estimator.isDefined(name) else None
            for name in COLUMN_PARAMS
        ]
        ends = (request.layers[0], request.num_classes)
        return (*columns, *ends, request.num_workers, request.device)

    keys = {key(estimator, request) for estimator, request in zip(estimators, requests)}
    return len(keys) == 1


class SharedFits(Iterator[tuple[int, Any]]):
    """The models of several ParamMaps. The first call of `next` trains them all.

    Threads may call `next` at the same time, as CrossValidator does.

    Parameters
    ----------
    train : callable
        Returns all models, in the order of the ParamMaps.
    size : int
        The number of models.
    """

    def __init__(self, train: Callable[[], list[Any]], size: int) -> None:
        self._train = train
        self._size = size
        self._next = 0
        self._models: list[Any] | None = None
        self._lock = threading.Lock()

    def __next__(self) -> tuple[int, Any]:
        with self._lock:
            number = self._next
            if number >= self._size:
                raise StopIteration("No models remaining.")
            if self._models is None:
                self._models = self._train()
            self._next += 1
            return number, self._models[number]
