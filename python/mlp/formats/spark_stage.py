# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A stage of Spark ML as a folder: one line of metadata, and one row of data.

Spark writes it in `DefaultParamsWriter` and `DefaultParamsReader` of
org.apache.spark.ml.util (ReadWrite.scala), and the row as Parquet.
"""
from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._files import Write
from ..errors import ModelError
from .json_text import parse_json
from .library import import_library

__all__ = [
    "ARROW_EXTRA",
    "DENSE",
    "METADATA",
    "PIPELINE_CLASS",
    "SPARK_CLASS",
    "SPARK_PARAMS",
    "SPARSE",
    "Array",
    "Stage",
    "below",
    "dense_vectors",
    "read_stage",
    "vector_fields",
    "visible_files",
    "write_labels",
    "write_stage",
    "write_vector",
]

SPARK_CLASS = "org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel"
SPARK_PARAMS = ("maxIter", "tol", "blockSize", "solver", "stepSize", "seed")
PIPELINE_CLASS = "org.apache.spark.ml.PipelineModel"
METADATA = "metadata"  # the folder that each stage has
# Spark 3.0 and later read the files of Spark 3.5.
SPARK_VERSION = "3.5.0"
ARROW_EXTRA = "arrow"
SPARK_ROW = b"org.apache.spark.sql.parquet.row.metadata"
SPARSE, DENSE = 0, 1  # the type of a vector with indices, and of one with all values
MAX_METADATA_BYTES = 2**26

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stage:
    """The metadata of a stage. `params` has the defaults too."""

    folder: pathlib.Path
    class_name: str
    uid: str
    spark_version: str
    set_params: dict[str, Any]
    params: dict[str, Any]

    @property
    def name(self) -> str:
        """The last part of the class name."""
        return self.class_name.rpartition(".")[2]

    def list_of(self, param: str) -> list[Any]:
        """Returns a param that is an array; empty if it is not set."""
        values = self.params.get(param)
        if values is None or isinstance(values, list):
            return values or []
        raise ModelError(f"{self.folder}/metadata: {param} must be an array; got {values!r}")


def read_stage(folder: pathlib.Path) -> Stage:
    """Reads the metadata of a stage."""
    files = visible_files(folder / METADATA)
    num_bytes = sum(file.stat().st_size for file in files)
    if num_bytes > MAX_METADATA_BYTES:
        raise ModelError(
            f"{folder}/metadata: must have at most {MAX_METADATA_BYTES} bytes; got {num_bytes}"
        )
    data = b"".join(file.read_bytes() for file in files)
    text = data.decode(errors="backslashreplace").strip()
    line = text.partition("\n")[0]
    expected = "one line of JSON as Spark writes it"
    members = parse_json(line, f"{folder}/metadata", expected)
    try:
        set_params = dict(members["paramMap"])
        defaults = dict(members.get("defaultParamMap", {}))
        return Stage(
            folder=folder,
            class_name=str(members["class"]),
            uid=str(members["uid"]),
            spark_version=str(members["sparkVersion"]),
            set_params=set_params,
            params=defaults | set_params,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{folder}/metadata: must be {expected}; got {text[:60]!r} "
            f"({type(error).__name__}: {error})"
        ) from error


def visible_files(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the files that Spark would read: no hidden ones, no marks of success."""
    if not folder.is_dir():
        raise ModelError(f"{folder}: is missing; expected a folder that Spark ML saved")
    return sorted(f for f in folder.iterdir() if f.name[0] not in "._" and f.is_file())


def below(write: Write, folder: str) -> Write:
    """Returns a function that writes the files of a folder in a new folder."""
    return lambda file, content: write(f"{folder}/{file}", content)


def write_stage(write: Write, class_name: str, uid: str, params: dict[str, Any],
                defaults: dict[str, Any]) -> None:
    """Writes the metadata of a stage. The time is always 0: equal models, equal bytes."""
    members = {
        "class": class_name,
        "timestamp": 0,
        "sparkVersion": SPARK_VERSION,
        "uid": uid,
        "paramMap": params,
        "defaultParamMap": defaults,
    }
    line = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
    write(f"{METADATA}/part-00000", f"{line}\n".encode())
    write(f"{METADATA}/_SUCCESS", b"")


def spark_field(name: str, kind: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {}}


def spark_array(element: Any, has_nulls: bool) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": has_nulls}


def vector_type() -> dict[str, Any]:
    """The type VectorUDT in Spark's JSON."""
    fields = [
        {"name": "type", "type": "byte", "nullable": False, "metadata": {}},
        spark_field("size", "integer"),
        spark_field("indices", spark_array("integer", False)),
        spark_field("values", spark_array("double", False)),
    ]
    return {
        "type": "udt",
        "class": "org.apache.spark.ml.linalg.VectorUDT",
        "pyClass": "pyspark.ml.linalg.VectorUDT",
        "sqlType": {"type": "struct", "fields": fields},
    }


def vector_fields() -> Any:
    """Returns the parts of a vector in Arrow."""
    arrow = import_library("pyarrow", ARROW_EXTRA)

    def list_of(kind: Any) -> Any:
        return arrow.list_(arrow.field("element", kind, nullable=False))

    return arrow.schema([
        arrow.field("type", arrow.int8(), nullable=False),
        arrow.field("size", arrow.int32()),
        arrow.field("indices", list_of(arrow.int32())),
        arrow.field("values", list_of(arrow.float64())),
    ])


def dense_vectors(matrix: Array) -> Any:
    """Returns the rows of a matrix as dense vectors in Arrow, without a copy."""
    arrow = import_library("pyarrow", ARROW_EXTRA)
    size, fields = len(matrix), vector_fields()
    ends = np.arange(size + 1, dtype=np.int32) * np.int32(matrix.shape[1])
    values = arrow.Array.from_buffers(
        fields.field("values").type, size, [None, arrow.py_buffer(ends)],
        children=[arrow.array(np.ascontiguousarray(matrix).ravel())],
    )
    columns = [
        arrow.array(np.full(size, DENSE, np.int8)),
        arrow.nulls(size, arrow.int32()),
        arrow.nulls(size, fields.field("indices").type),
        values,
    ]
    return arrow.StructArray.from_arrays(columns, fields=list(fields))


def write_vector(write: Write, name: str, vector: Array) -> None:
    """Writes a dense vector as the only column of a stage's data."""
    write_row(write, name, dense_vectors(vector[np.newaxis]), vector_type())


def write_labels(write: Write, labels: Sequence[str]) -> None:
    """Writes the data of a StringIndexerModel of one column."""
    arrow = import_library("pyarrow", ARROW_EXTRA)
    texts = arrow.list_(arrow.field("element", arrow.string()))
    kind = arrow.list_(arrow.field("element", texts))
    column = arrow.array([[list(labels)]], kind)
    write_row(write, "labelsArray", column, spark_array(spark_array("string", True), True))


def write_row(write: Write, name: str, column: Any, spark_type: Any) -> None:
    """Writes one row as Parquet, with the schema that Spark needs to read it."""
    arrow = import_library("pyarrow", ARROW_EXTRA)
    parquet = import_library("pyarrow.parquet", ARROW_EXTRA)
    row = {"type": "struct", "fields": [spark_field(name, spark_type)]}
    metadata = {
        SPARK_ROW: json.dumps(row, separators=(",", ":")),
        b"org.apache.spark.version": SPARK_VERSION,
    }
    schema = arrow.schema([arrow.field(name, column.type)], metadata=metadata)
    file = arrow.BufferOutputStream()
    parquet.write_table(
        arrow.Table.from_arrays([column], schema=schema),
        file,
        version="1.0",
        compression="snappy",
        use_dictionary=False,
    )
    write("data/part-00000.snappy.parquet", file.getvalue().to_pybytes())
    write("data/_SUCCESS", b"")
