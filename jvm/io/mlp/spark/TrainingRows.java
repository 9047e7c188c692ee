// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/** Collects the rows of all partitions in one task, and trains a model on them. */
final class TrainingRows implements MapPartitionsFunction<Row, Row> {
  private static final long serialVersionUID = 1;
  private static final int MOST_NUMBERS = Integer.MAX_VALUE - 8;

  private final String[] names;
  private final String[] values;
  private final boolean hasWeights;
  private final int threads;

  /**
   * @param names of hyper-parameters, as Spark names them
   * @param hasWeights rows have a fourth column
   */
  TrainingRows(String[] names, String[] values, boolean hasWeights, int threads) {
    this.names = names;
    this.values = values;
    this.hasWeights = hasWeights;
    this.threads = threads;
  }

  /**
   * Returns a TrainingOutcome, or nothing without rows. Rows are: features, label, Spark's
   * identifier of the row, and the weight.
   */
  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    double[] features = new double[1 << 10];
    double[] labels = new double[1 << 8];
    double[] weights = hasWeights ? new double[1 << 8] : null;
    List<Long> sizes = new ArrayList<>();
    long partition = -1;
    int width = -1;
    int size = 0;
    while (rows.hasNext()) {
      Row row = rows.next();
      Object value = Features.of(row, 0);
      if (width < 0) width = Features.width(value);
      features = grown(features, (long) (size + 1) * width);
      labels = grown(labels, size + 1);
      Features.copy(value, width, features, size * width);
      labels[size] = number(row, 1, "label");
      if (hasWeights) {
        weights = grown(weights, size + 1);
        weights[size] = number(row, 3, "weight");
      }
      if (row.getLong(2) >> 33 != partition) {
        partition = row.getLong(2) >> 33;
        sizes.add(0L);
      }
      sizes.set(sizes.size() - 1, sizes.get(sizes.size() - 1) + 1);
      ++size;
    }
    if (size == 0) return Collections.emptyIterator();
    return Collections
        .singletonList(train(Arrays.copyOf(features, size * width), Arrays.copyOf(labels, size),
            hasWeights ? Arrays.copyOf(weights, size) : null,
            sizes.stream().mapToLong(Long::longValue).toArray()))
        .iterator();
  }

  private Row train(double[] features, double[] labels, double[] weights, long[] sizes) {
    try {
      return TrainingOutcome.of(new NativeModel(
          Native.fit(names, values, features, labels, weights, sizes, false, threads)));
    } catch (DivergedException error) {
      return TrainingOutcome.of(error);
    } catch (IllegalArgumentException error) {
      return TrainingOutcome.of(error);
    }
  }

  private static double number(Row row, int index, String what) {
    if (row.isNullAt(index)) {
      throw new IllegalArgumentException("the " + what + " of a row is null; remove such rows");
    }
    return row.getDouble(index);
  }

  private static double[] grown(double[] numbers, long size) {
    if (size <= numbers.length) return numbers;
    if (size > MOST_NUMBERS) {
      throw new IllegalArgumentException("the features have more than " + MOST_NUMBERS
          + " numbers, which one array of Java cannot hold; train with mlp.spark of the"
          + " Python package");
    }
    return Arrays.copyOf(
        numbers, (int) Math.min(MOST_NUMBERS, Math.max(size, 2L * numbers.length)));
  }
}
