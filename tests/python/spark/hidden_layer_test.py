# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs of hidden layers in a running Spark."""

import pathlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
from conftest import read_iris  # noqa: E402
from mlp import ParamError  # noqa: E402
from mlp.spark import (  # noqa: E402
    HiddenLayerTransformer,
    MultilayerPerceptronClassificationModel,
)
from pyspark.ml import PipelineModel  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame  # noqa: E402

MODEL = random_model((4, 5, 2, 3))


@pytest.mark.parametrize("layer", [1, 2])
def test_appends_the_output_of_the_library(layer: int, session: Any) -> None:
    stage = HiddenLayerTransformer(MultilayerPerceptronClassificationModel(MODEL), layer=layer)

    frame = stage.transform(iris_frame(session))

    rows = np.array([row.hidden.toArray() for row in frame.collect()])
    np.testing.assert_array_equal(rows, MODEL.transform(read_iris()[0], layer))
    assert frame.schema["hidden"].metadata == {"ml_attr": {"num_attrs": MODEL.layers[layer]}}


def test_is_saved_in_a_pipeline(session: Any, tmp_path: pathlib.Path) -> None:
    stage = HiddenLayerTransformer(MODEL, layer=2, outputCol="code")
    PipelineModel([stage]).save(str(tmp_path / "pipeline"))

    (again,) = PipelineModel.load(str(tmp_path / "pipeline")).stages

    frame = iris_frame(session)
    assert again.transform(frame).collect() == stage.transform(frame).collect()
    assert (again.getLayer(), again.getOutputCol()) == (2, "code")


@pytest.mark.parametrize("layer", [0, 3, -1])
def test_refuses_a_layer_that_is_not_hidden(layer: int, session: Any) -> None:
    stage = HiddenLayerTransformer(MODEL).setLayer(layer)

    with pytest.raises(ParamError, match=f"from 1 to 2; got {layer}"):
        stage.transform(iris_frame(session))


def test_refuses_what_is_no_model() -> None:
    with pytest.raises(ParamError, match="must be an mlp.Model, a model of mlp.spark or the path of a .*; got 3"):
        HiddenLayerTransformer(3)
