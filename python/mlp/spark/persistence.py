# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading, as Spark does it.

What Spark can express is saved as Spark's own folder, which a Spark without this package
loads. Else the metadata name our class. The sub-folder `mlp` has what Spark's folder lacks:
the Params of our classes, and the model file.
"""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.ml.linalg import DenseVector, Vector
from pyspark.ml.util import DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql.utils import is_remote

from ..errors import ModelError
from ..formats.json_text import parse_json
from ..model import Model

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SavedStage"]

SIDE_FOLDER = "mlp"


class SavedStage(MLWritable, MLReadable[Any]):
    """A class whose instances are saved and loaded."""

    _spark_class: str | None = None
    """The name of Spark's class, if there is one."""

    def _expressed_by_spark(self) -> Any | None:
        """Returns the same as an object of PySpark; None if Spark cannot express it."""
        return None

    def write(self) -> StageWriter:
        """Returns what saves this instance."""
        return StageWriter(self, self._expressed_by_spark())

    @classmethod
    def read(cls) -> StageReader:
        """Returns what loads an instance."""
        return StageReader(cls, cls._spark_class)

    @classmethod
    def _from_side_file(cls, model: Model | None) -> Any:
        """Makes an instance of the model in the side file; the Params come later."""
        if model is None:
            raise ModelError("the sub-folder mlp has no model")
        return cls(model)


class StageWriter(MLWriter):
    """Saves an estimator or a model.

    Parameters
    ----------
    instance : Params
    spark_instance : object or None
        The same as an object of PySpark; None if Spark cannot express it.
    """

    def __init__(self, instance: Any, spark_instance: Any | None) -> None:
        super().__init__()
        self.instance = instance
        self.spark_instance = spark_instance

    def save(self, path: str) -> None:
        """Saves to a path, which may be on any file system of Spark."""
        if self.spark_instance is not None:
            writer = self.spark_instance.write()
            (writer.overwrite() if self.shouldOverwrite else writer).save(path)
        else:
            if not is_remote():
                # It removes the folder, or refuses it with Spark's sentence.
                overwrite = self.sc._jvm.org.apache.spark.ml.util.FileSystemOverwrite()
                overwrite.handleOverwrite(path, self.shouldOverwrite, self.sparkSession._jsparkSession)
            metadata = DefaultParamsWriter._get_metadata_to_save(
                self.instance, metadata_target(self), paramMap=plain_params(self.instance)
            )
            self._write(join(path, "metadata"), metadata)
        text = json.dumps(describe(self.instance), ensure_ascii=False)
        self._write(join(path, SIDE_FOLDER), text)

    def _write(self, path: str, text: str) -> None:
        """Writes one line as a file of a new folder."""
        mode = "overwrite" if self.shouldOverwrite else "error"
        frame = self.sparkSession.createDataFrame([(text,)], "value string")
        frame.coalesce(1).write.mode(mode).text(path)


def metadata_target(writer: MLWriter) -> Any:
    """Returns what saves metadata: a session from Spark 4 on."""
    return writer.sparkSession if is_remote() else writer.sc


def plain_params(instance: Any) -> dict[str, Any]:
    """Returns the Params that are set and that JSON can express."""
    return {
        param.name: value
        for param, value in instance._paramMap.items()
        if not isinstance(value, Vector)
    }


def describe(instance: Any) -> dict[str, Any]:
    """Returns the content of the side file."""
    params = {
        param.name: value.toArray().tolist() if isinstance(value, Vector) else value
        for param, value in instance._paramMap.items()
    }
    members: dict[str, Any] = {"params": params}
    if hasattr(instance, "_model"):
        members["model"] = instance._model.to_json()
    return members


class StageReader(MLReader[Any]):
    """Loads what `StageWriter` or Spark has saved.

    Parameters
    ----------
    cls : type
        The class, with ``_from_side_file(model)``, and ``_from_folder(path)`` for a
        folder that only Spark has written.
    spark_class : str
        The name of Spark's class.
    """

    def __init__(self, cls: Any, spark_class: str | None) -> None:
        super().__init__()
        self.cls = cls
        self.spark_class = spark_class

    def load(self, path: str) -> Any:
        """Loads from a path, which may be on any file system of Spark."""
        session = self.sparkSession
        metadata = parse_json(read_text(session, join(path, "metadata")), join(path, "metadata"))
        name = f"{self.cls.__module__}.{self.cls.__name__}"
        if metadata["class"] not in (name, self.spark_class):
            raise ValueError(
                f"Error loading metadata: Expected class name {self.spark_class or name} but "
                f"found class name {metadata['class']}"
            )
        try:
            side = parse_json(read_text(session, join(path, SIDE_FOLDER)), join(path, SIDE_FOLDER))
        except AnalysisException:
            return self.cls._from_folder(path)
        model = Model.from_json(side["model"]) if "model" in side else None
        instance = self.cls._from_side_file(model)
        instance._resetUid(metadata["uid"])
        set_params(instance, metadata, side["params"])
        return instance


def set_params(instance: Any, metadata: dict[str, Any], params: dict[str, Any]) -> None:
    for name, value in metadata.get("defaultParamMap", {}).items():
        if instance.hasParam(name):
            instance._setDefault(**{name: value})
    for name, value in params.items():
        instance._set(**{name: DenseVector(value) if name == "initialWeights" else value})


def read_text(session: SparkSession, path: str) -> str:
    """Reads the first line of the files of a folder."""
    row = session.read.text(path).first()
    text: str = row[0] if row is not None else ""
    return text


def join(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}"
