# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The output of a hidden layer as features of another stage."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.ml.base import Transformer
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasInputCol, HasOutputCol

from ..errors import ParamError
from .extra_params import with_getters, with_setters
from .persistence import SavedStage
from .scoring import append_columns, network_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["HiddenLayerTransformer"]


@with_setters
@with_getters
class HiddenLayerTransformer(Transformer, HasInputCol, HasOutputCol, SavedStage):
    """Appends the output of a hidden layer, as vectors.

    Parameters
    ----------
    model : mlp.Model, a model of mlp.spark, or the path of a model file
    layer : int
        The number of the hidden layer, from 1.
    inputCol, outputCol : str
        The columns of the features and of the output.

    Examples
    --------
    >>> model = MultilayerPerceptronClassificationModel.from_json("iris.json")
    >>> hidden = HiddenLayerTransformer(model, layer=1, outputCol="hidden")
    >>> hidden.transform(dataset).select("hidden").first().hidden.size
    64
    """

    layer: Any = Param(
        Params._dummy(), "layer", "The number of the hidden layer, from 1.", TypeConverters.toInt
    )

    def __init__(
        self, model: Any, layer: int = 1, inputCol: str = "features", outputCol: str = "hidden"
    ) -> None:
        super().__init__()
        self._model = network_of(model)
        self._setDefault(layer=1, inputCol="features", outputCol="hidden")
        self._set(layer=layer, inputCol=inputCol, outputCol=outputCol)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        layer, num_hidden = self.getOrDefault("layer"), len(self._model.layers) - 2
        if not 1 <= layer <= num_hidden:
            raise ParamError(
                f"layer must be a hidden layer, from 1 to {num_hidden}; got {layer}"
            )
        columns = [(self.getOutputCol(), layer)]
        return append_columns(dataset, self._model, self.getInputCol(), columns)
