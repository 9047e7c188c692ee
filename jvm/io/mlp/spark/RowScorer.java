// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.linalg.Vector;
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
  private final double[] thresholds; // or null, or empty

  /**
   * The flags choose the results, which are the fields of a row in this order.
   *
   * @param thresholds of the classes, null for those of the model, or empty for none
   */
  RowScorer(Broadcast<byte[]> text, String digest, boolean hasRaw, boolean hasProbability,
      boolean hasPrediction, double[] thresholds) {
    memory = new Memory(text, digest);
    this.hasRaw = hasRaw;
    this.hasProbability = hasProbability;
    this.hasPrediction = hasPrediction;
    this.thresholds = thresholds;
  }

  @Override
  public Row call(Object features) {
    ScoredRows row = memory.get();
    row.set(0, Features.known(features));
    boolean isOfModel = hasPrediction && thresholds == null;
    boolean isLargest = hasPrediction && !isOfModel && thresholds.length == 0;
    boolean decides = hasPrediction && !isOfModel && !isLargest;
    row.score(1, hasRaw || isLargest, hasProbability || decides, isOfModel);
    List<Object> results = new ArrayList<>(3);
    if (hasRaw) results.add(row.raw(0));
    if (hasProbability) results.add(row.probability(0));
    if (isOfModel) results.add(row.prediction(0));
    if (isLargest) results.add((double) row.raw(0).argmax());
    if (decides) results.add(decide(row.probability(0), thresholds));
    return RowFactory.create(results.toArray());
  }

  /** Returns the class with the largest probability / threshold, as Spark's models do. */
  static double decide(Vector probability, double[] thresholds) {
    int best = 0;
    double largest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < probability.size(); ++i) {
      double scaled = probability.apply(i) / thresholds[i]; // NaN for 0 / 0 is no class
      if (scaled > largest) {
        largest = scaled;
        best = i;
      }
    }
    return best;
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
