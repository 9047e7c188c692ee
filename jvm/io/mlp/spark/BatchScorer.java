// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
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
    if (!rows.hasNext()) return Collections.emptyIterator();
    NativeModel model = ModelCache.ofText(digest, "the model", text::value);
    int width = Math.max(model.numFeatures, model.numOutputs);
    Row[] batch = new Row[Math.max(1, Math.min(MAX_ROWS, MAX_NUMBERS / width))];
    ScoredRows scored = new ScoredRows(model, batch.length);
    return new Iterator<Row>() {
      private int size;
      private int next;

      @Override
      public boolean hasNext() {
        if (next < size) return true;
        next = 0;
        for (size = 0; size < batch.length && rows.hasNext(); ++size) {
          batch[size] = rows.next();
          scored.set(size, Features.of(batch[size], featuresIndex));
        }
        if (size > 0) scored.score(size, hasRaw, hasProbability, hasPrediction);
        return size > 0;
      }

      @Override
      public Row next() {
        if (!hasNext()) throw new NoSuchElementException();
        Row row = append(batch[next], scored, next);
        batch[next++] = null; // the rows of a batch are freed one by one
        return row;
      }
    };
  }

  private Row append(Row row, ScoredRows scored, int i) {
    int size = row.size();
    Object[] values =
        new Object[size + (hasRaw ? 1 : 0) + (hasProbability ? 1 : 0) + (hasPrediction ? 1 : 0)];
    for (int j = 0; j < size; ++j) values[j] = row.get(j);
    if (hasRaw) values[size++] = scored.raw(i);
    if (hasProbability) values[size++] = scored.probability(i);
    if (hasPrediction) values[size] = scored.prediction(i);
    return RowFactory.create(values);
  }
}
