# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Our classes under the names of PySpark's, for scripts that import PySpark's."""
from __future__ import annotations

import copyreg
import types
from abc import ABCMeta
from typing import Any

import pyspark.ml.classification as module

from . import classification
from .spark_model import SparkClassifier, SparkModel

__all__ = ["install"]

ORIGINALS = {
    "MultilayerPerceptronClassifier": SparkClassifier,
    "MultilayerPerceptronClassificationModel": SparkModel,
}


class AliasedModule(types.ModuleType):
    """The module pyspark.ml.classification, with our classes as attributes.

    The dictionary of the module keeps PySpark's, because their methods look their own
    class up in it.
    """

    MultilayerPerceptronClassifier = property(
        lambda self: classification.MultilayerPerceptronClassifier
    )
    MultilayerPerceptronClassificationModel = property(
        lambda self: classification.MultilayerPerceptronClassificationModel
    )


class OriginalClass(ABCMeta):
    """The type of PySpark's classes, which pickle cannot find by name any more."""


def load_original(name: str) -> Any:
    return ORIGINALS[name]


def install() -> None:
    """Makes every import of PySpark's classes give ours.

    That is ``from pyspark.ml.classification import MultilayerPerceptronClassifier``, the
    attribute of the imported module, and what PySpark itself loads by name.
    """
    module.__class__ = AliasedModule
    for original in ORIGINALS.values():
        original.__class__ = OriginalClass
    copyreg.pickle(OriginalClass, lambda cls: (load_original, (cls.__name__,)))
