// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * What the task of a training sends to the driver, as a row: a model and the warnings of its
 * training, or why the library refused. A refusal is no failure of the task, which Spark
 * would try again with the same rows.
 */
final class TrainingOutcome {
  static final StructType SCHEMA =
      new StructType()
          .add("model", DataTypes.BinaryType)
          .add("warnings", DataTypes.createArrayType(DataTypes.StringType))
          .add("refusal", DataTypes.StringType)
          .add("isDiverged", DataTypes.BooleanType);

  private TrainingOutcome() {}

  static Row of(NativeModel model) {
    return RowFactory.create(model.toJson(), model.warnings(), null, false);
  }

  static Row of(DivergedException error) {
    return RowFactory.create(null, null, error.getMessage(), true);
  }

  static Row of(IllegalArgumentException error) {
    return RowFactory.create(null, null, error.getMessage(), false);
  }

  /**
   * Returns the text of the model, or throws what the library refused with.
   *
   * @param warn is called with each warning
   */
  static byte[] modelOf(Row outcome, Consumer<String> warn) {
    if (!outcome.isNullAt(2)) {
      String sentence = outcome.getString(2);
      if (outcome.getBoolean(3)) throw new DivergedException(sentence);
      throw new IllegalArgumentException(sentence);
    }
    List<String> warnings = outcome.getList(1);
    warnings.forEach(warn);
    return (byte[]) outcome.get(0);
  }
}
