// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Collects the rows of all partitions in one task, and trains a model on them.
 *
 * <p>The task sends a row to the driver: a model and the warnings of its training, or why
 * the library refused. A refusal is no failure of the task, which Spark would try again
 * with the same rows.
 */
final class TrainingRows implements MapPartitionsFunction<Row, Row> {
  static final StructType SCHEMA =
      new StructType()
          .add("texts", DataTypes.createArrayType(DataTypes.StringType))
          .add("refusal", DataTypes.StringType)
          .add("isDiverged", DataTypes.BooleanType);

  private static final long serialVersionUID = 1;

  private final byte[] params;
  private final boolean hasWeights;
  private final int threads;

  /**
   * @param params of Native.fit()
   * @param hasWeights rows have a fourth column
   */
  TrainingRows(byte[] params, boolean hasWeights, int threads) {
    this.params = params;
    this.hasWeights = hasWeights;
    this.threads = threads;
  }

  /**
   * Returns a row of SCHEMA, or nothing without rows. Rows are: features, label, Spark's
   * identifier of the row, and the weight.
   */
  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    if (!rows.hasNext()) return Collections.emptyIterator();
    try (NativeNumbers features = new NativeNumbers(); NativeNumbers labels = new NativeNumbers();
         NativeNumbers weights = new NativeNumbers()) {
      long[] sizes = new long[0];
      long partition = -1;
      int width = -1;
      while (rows.hasNext()) {
        Row row = rows.next();
        Object value = Features.known(row.get(0));
        if (width < 0) width = Features.width(value);
        Features.copy(value, width, features.next(width));
        labels.next(1).put(number(row, 1, "label"));
        if (hasWeights) weights.next(1).put(number(row, 3, "weight"));
        if (row.getLong(2) >> 33 != partition) {
          partition = row.getLong(2) >> 33;
          sizes = Arrays.copyOf(sizes, sizes.length + 1);
        }
        ++sizes[sizes.length - 1];
      }
      return Collections
          .singletonList(
              train(features.address(), labels.address(), weights.address(), width, sizes))
          .iterator();
    }
  }

  private Row train(long features, long labels, long weights, int width, long[] sizes) {
    try {
      byte[][] texts = Native.fit(
          params, features, labels, weights, width, sizes, Arrays.stream(sizes).sum(), threads);
      return RowFactory.create(Arrays.stream(texts)
                                   .map(text -> new String(text, StandardCharsets.UTF_8))
                                   .toArray(String[] ::new),
          null, false);
    } catch (DivergedException | IllegalArgumentException error) {
      return RowFactory.create(null, error.getMessage(), error instanceof DivergedException);
    }
  }

  /**
   * Returns the text of the model that a task sent, or throws what the library refused with.
   *
   * @param warn is called with each warning
   */
  static String modelOf(Row outcome, Consumer<String> warn) {
    if (!outcome.isNullAt(1)) {
      String sentence = outcome.getString(1);
      if (outcome.getBoolean(2)) throw new DivergedException(sentence);
      throw new IllegalArgumentException(sentence);
    }
    List<String> texts = outcome.getList(0);
    for (int i = 1; i < texts.size(); i += 2) warn.accept(texts.get(i) + ": " + texts.get(i + 1));
    return texts.get(0);
  }

  private static double number(Row row, int index, String what) {
    if (row.isNullAt(index)) {
      throw new IllegalArgumentException("the " + what + " of a row is null; remove such rows");
    }
    return row.getDouble(index);
  }
}
