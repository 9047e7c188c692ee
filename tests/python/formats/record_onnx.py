# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the graphs of tests/golden/onnx/ with the converters of other libraries.

Usage: record_onnx.py skl2onnx|onnxmltools FOLDER
"""

import pathlib
import sys
from typing import Any

import numpy as np

LAYERS = (4, 5, 3)


def random_rows() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    X = random.normal(3, 2, (60, 4))
    return X, (X.sum(axis=1) > 12).astype(int) + (X[:, 0] > 3)


def record_sklearn(folder: pathlib.Path) -> None:
    from skl2onnx import to_onnx
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = random_rows()
    settings: dict[str, Any] = {
        "hidden_layer_sizes": (5,), "max_iter": 20, "random_state": 1, "solver": "lbfgs"
    }
    names = np.array(["low", "mid", "high"])[y]
    labels = np.stack([y > 0, y > 1], axis=1).astype(int)
    estimators = {
        "names": (MLPClassifier(**settings), names),
        "two_classes": (MLPClassifier(activation="logistic", **settings), y > 0),
        "identity": (MLPClassifier(activation="identity", **settings), y),
        "several_labels": (MLPClassifier(**settings), labels),
        "regressor": (
            make_pipeline(StandardScaler(), MLPRegressor(activation="tanh", **settings)),
            X @ [1, 2, 3, 4],
        ),
    }
    for name, (estimator, target) in estimators.items():
        estimator.fit(X, target)
        for kind in (np.float64, np.float32):
            # onnxruntime has ZipMap, which makes dictionaries, in float32 only.
            is_plain = kind is np.float64 and isinstance(estimator, MLPClassifier)
            options = {"zipmap": False} if is_plain else None
            row = X[:1].astype(kind)
            graph = to_onnx(estimator, row, target_opset=17, options=options)
            file = folder / f"skl2onnx_{name}_{np.dtype(kind).name}.onnx"
            file.write_bytes(graph.SerializeToString())


def record_spark(folder: pathlib.Path) -> None:
    from onnxmltools import convert_sparkml
    from onnxmltools.convert.common.data_types import FloatTensorType
    from pyspark.ml.classification import MultilayerPerceptronClassifier
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").getOrCreate()
    X, y = random_rows()
    rows = [(Vectors.dense(x), float(label)) for x, label in zip(X.tolist(), y)]
    frame = session.createDataFrame(rows, ["features", "label"])
    classifier = MultilayerPerceptronClassifier(layers=list(LAYERS), maxIter=20, seed=1)
    graph = convert_sparkml(
        classifier.fit(frame), "mlp", [("features", FloatTensorType([None, LAYERS[0]]))],
        spark_session=session,
    )
    (folder / "onnxmltools_spark.onnx").write_bytes(graph.SerializeToString())


if __name__ == "__main__":
    writers = {"skl2onnx": record_sklearn, "onnxmltools": record_spark}
    writers[sys.argv[1]](pathlib.Path(sys.argv[2]))
