// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** Appends the results of a model to the rows of a partition, some rows at a time. */
final class BatchScorer implements MapPartitionsFunction<Row, Row> {
  private static final long serialVersionUID = 1;
  private static final int MAX_ROWS = 256;
  private static final int MAX_NUMBERS = 1 << 20;

  private final Broadcast<byte[]> text;
  private final String digest;
  private final int featuresIndex;
  private final boolean hasRaw;
  private final boolean hasProbability;
  private final boolean hasPrediction;

  /** The flags choose the columns that are appended, in this order. */
  BatchScorer(Broadcast<byte[]> text, String digest, int featuresIndex, boolean hasRaw,
      boolean hasProbability, boolean hasPrediction) {
    this.text = text;
    this.digest = digest;
    this.featuresIndex = featuresIndex;
    this.hasRaw = hasRaw;
    this.hasProbability = hasProbability;
    this.hasPrediction = hasPrediction;
  }

  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    NativeModel model = ModelCache.ofText(digest, "the model", text::value);
    return new Iterator<Row>() {
      private Row[] batch = new Row[0];
      private int next;

      @Override
      public boolean hasNext() {
        if (next < batch.length) return true;
        next = 0;
        batch = score(model, rows);
        return batch.length > 0;
      }

      @Override
      public Row next() {
        if (!hasNext()) throw new NoSuchElementException();
        Row row = batch[next];
        batch[next++] = null; // the rows of a batch are freed one by one
        return row;
      }
    };
  }

  /** Scores the next rows; returns none at the end of the partition. */
  private Row[] score(NativeModel model, Iterator<Row> rows) {
    int width = model.numFeatures();
    int outputs = model.numOutputs();
    int maxRows = Math.max(1, Math.min(MAX_ROWS, MAX_NUMBERS / Math.max(width, outputs)));
    Row[] batch = new Row[maxRows];
    double[] features = new double[maxRows * width];
    int size = 0;
    for (; size < maxRows && rows.hasNext(); ++size) {
      batch[size] = rows.next();
      Features.copy(Features.of(batch[size], featuresIndex), width, features, size * width);
    }
    if (size == 0) return new Row[0];
    double[] prediction = hasPrediction ? new double[size] : null;
    double[] raw = hasRaw ? new double[size * outputs] : null;
    double[] probability = hasProbability ? new double[size * outputs] : null;
    double[] known = size == maxRows ? features : Arrays.copyOf(features, size * width);
    model.score(known, size, prediction, raw, probability);
    Row[] scored = new Row[size];
    for (int i = 0; i < size; ++i) {
      scored[i] = append(batch[i], i, outputs, prediction, raw, probability);
    }
    return scored;
  }

  private Row append(
      Row row, int i, int outputs, double[] prediction, double[] raw, double[] probability) {
    int size = row.size();
    Object[] values =
        new Object[size + (hasRaw ? 1 : 0) + (hasProbability ? 1 : 0) + (hasPrediction ? 1 : 0)];
    for (int j = 0; j < size; ++j) values[j] = row.get(j);
    if (hasRaw) values[size++] = Vectors.dense(part(raw, i, outputs));
    if (hasProbability) values[size++] = Vectors.dense(part(probability, i, outputs));
    if (hasPrediction) values[size] = prediction[i];
    return RowFactory.create(values);
  }

  private static double[] part(double[] numbers, int i, int size) {
    return Arrays.copyOfRange(numbers, i * size, (i + 1) * size);
  }
}
