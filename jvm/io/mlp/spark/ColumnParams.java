// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/**
 * The Params of NativeMlpClassifier and NativeMlpModel that name columns. Spark knows a Param
 * by the uid of its stage and its name, so that each call may make it again.
 */
@SuppressWarnings("unchecked")
public interface ColumnParams<Stage extends ColumnParams<Stage>> extends Params {
  default Param<String> featuresCol() {
    return new Param<>(this, "featuresCol", "column of a vector or an array of numbers");
  }

  default Param<String> predictionCol() {
    return new Param<>(this, "predictionCol", "column for the prediction");
  }

  default Param<String> probabilityCol() {
    return new Param<>(this, "probabilityCol", "column for the probabilities");
  }

  default Param<String> rawPredictionCol() {
    return new Param<>(this, "rawPredictionCol", "column for the raw predictions");
  }

  default Stage setFeaturesCol(String name) {
    return (Stage) set(featuresCol(), name);
  }

  default Stage setPredictionCol(String name) {
    return (Stage) set(predictionCol(), name);
  }

  default Stage setProbabilityCol(String name) {
    return (Stage) set(probabilityCol(), name);
  }

  default Stage setRawPredictionCol(String name) {
    return (Stage) set(rawPredictionCol(), name);
  }
}
