# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The exceptions of mlp. Each is also a built-in exception where one fits."""


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


class ResourceError(MLPError, OSError):
    """A resource of the machine is missing: memory, disk space, a file handle."""


class DeviceError(MLPError, RuntimeError):
    """A compute device is missing or failed."""


class CommunicationError(MLPError, RuntimeError):
    """A rank was lost, sent wrong data or cannot be reached."""


class ConvergenceWarning(UserWarning):
    """A training ended, but its result may be better with other hyper-parameters."""


class NotCompiled(MLPError, NotImplementedError):
    """An optional part is not in this build; the text names the option that adds it."""
