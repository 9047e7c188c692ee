# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of mlp. Each is also a built-in exception where one fits."""
from __future__ import annotations


class MLPError(Exception):
    """Base of everything that mlp raises on purpose."""


class ParamError(MLPError, ValueError):
    """A hyper-parameter or an argument is outside its valid interval."""

    def __init__(self, sentence: str, parameter: str = "") -> None:
        super().__init__(sentence)
        self.parameter = parameter
        """The name with which the sentence starts; empty if it is about none."""


class ShapeError(MLPError, ValueError):
    """Two shapes that must be equal differ."""


class DataError(MLPError, ValueError):
    """Input data that cannot be used."""


class ModelError(MLPError, ValueError):
    """A model that cannot be used, read or written."""


class DivergedError(MLPError, ValueError):
    """The objective or a weight of a training is not finite.

    ``objective_history`` has the objective at the start and after each iteration.
    """

    objective_history: list[float] = []


class ResourceError(MLPError, OSError):
    """A resource of the machine is missing: memory, disk space, a file handle."""


class DeviceError(MLPError, RuntimeError):
    """A compute device is missing or failed."""


class CommunicationError(MLPError, RuntimeError):
    """A rank was lost, sent wrong data or cannot be reached."""


class NotCompiled(MLPError, NotImplementedError):
    """An optional part is not in this build; the text names the option that adds it."""


class ColumnWarning(UserWarning):
    """A column that is left out or probably should be, or values of columns that are missing or
    unknown."""


class LabelWarning(UserWarning):
    """Labels of a classifier that look like quantities."""


class ConvergenceWarning(UserWarning):
    """A fit that is valid, but probably not what the caller wants.

    Parameters
    ----------
    sentence : str
        What was found, and what may help.
    code : str
        Which warning it is, such as ``stillImproving``.
    numbers : dict
        The numbers of the sentence, by name.
    """

    def __init__(
        self, sentence: str, code: str = "", numbers: dict[str, float] | None = None
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.numbers = numbers or {}
