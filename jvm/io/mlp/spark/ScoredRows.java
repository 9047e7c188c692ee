// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;

/** Features of rows and the results of a model, in memory that the model reads and writes. */
final class ScoredRows {
  private final NativeModel model;
  private final DoubleBuffer features;
  private final DoubleBuffer predictions;
  private final DoubleBuffer raws;
  private final DoubleBuffer probabilities;

  ScoredRows(NativeModel model, int maxRows) {
    this.model = model;
    features = numbers(maxRows, model.numFeatures);
    predictions = numbers(maxRows, 1);
    raws = numbers(maxRows, model.numOutputs);
    probabilities = numbers(maxRows, model.numOutputs);
  }

  /** Copies the features of a row, a vector or an array of numbers. */
  void set(int row, Object value) {
    features.position(row * model.numFeatures);
    Features.copy(value, model.numFeatures, features);
  }

  /** Scores the first rows; the flags choose the results. */
  void score(int rows, boolean hasRaw, boolean hasProbability, boolean hasPrediction) {
    model.score(features, rows, hasPrediction ? predictions : null, hasRaw ? raws : null,
        hasProbability ? probabilities : null);
  }

  double prediction(int row) {
    return predictions.get(row);
  }

  Vector raw(int row) {
    return vector(raws, row);
  }

  Vector probability(int row) {
    return vector(probabilities, row);
  }

  private Vector vector(DoubleBuffer numbers, int row) {
    double[] values = new double[model.numOutputs];
    numbers.position(row * values.length);
    numbers.get(values);
    return Vectors.dense(values);
  }

  private static DoubleBuffer numbers(int rows, int width) {
    return ByteBuffer.allocateDirect(Math.multiplyExact(Double.BYTES * rows, width))
        .order(ByteOrder.nativeOrder())
        .asDoubleBuffer();
  }
}
