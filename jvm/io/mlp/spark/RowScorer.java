// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;

/** A function of the features of a row, which Spark's optimiser can move and leave out. */
final class RowScorer implements UDF1<Object, Row> {
  private static final long serialVersionUID = 1;

  private final Memory memory;
  private final boolean hasRaw;
  private final boolean hasProbability;
  private final boolean hasPrediction;

  /** The flags choose the results, which are the fields of a row in this order. */
  RowScorer(Broadcast<byte[]> text, String digest, boolean hasRaw, boolean hasProbability,
      boolean hasPrediction) {
    memory = new Memory(text, digest);
    this.hasRaw = hasRaw;
    this.hasProbability = hasProbability;
    this.hasPrediction = hasPrediction;
  }

  @Override
  public Row call(Object features) {
    ScoredRows row = memory.get();
    row.set(0, Features.known(features));
    row.score(1, hasRaw, hasProbability, hasPrediction);
    List<Object> results = new ArrayList<>(3);
    if (hasRaw) results.add(row.raw(0));
    if (hasProbability) results.add(row.probability(0));
    if (hasPrediction) results.add(row.prediction(0));
    return RowFactory.create(results.toArray());
  }

  /** The model and the memory for a row of each thread: a driver may call in several. */
  private static final class Memory extends ThreadLocal<ScoredRows> implements Serializable {
    private static final long serialVersionUID = 1;

    private final Broadcast<byte[]> text;
    private final String digest;

    Memory(Broadcast<byte[]> text, String digest) {
      this.text = text;
      this.digest = digest;
    }

    @Override
    protected ScoredRows initialValue() {
      return new ScoredRows(ModelCache.ofText(digest, "the model", text::value), 1);
    }
  }
}
