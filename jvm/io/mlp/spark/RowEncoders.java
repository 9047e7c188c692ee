// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** Makes the encoders of rows, which Spark 3.4 has in another place than later ones. */
final class RowEncoders {
  private static final String OF_SPARK_3_4 = "org.apache.spark.sql.catalyst.encoders.RowEncoder";

  private RowEncoders() {}

  /** Returns what {@code Encoders.row} returns from Spark 3.5 on. */
  static Encoder<Row> of(StructType schema) {
    try {
      return Encoders.row(schema);
    } catch (NoSuchMethodError missing) {
      return ofSpark34(schema, missing);
    }
  }

  @SuppressWarnings("unchecked")
  private static Encoder<Row> ofSpark34(StructType schema, NoSuchMethodError missing) {
    try {
      return (Encoder<Row>) Class.forName(OF_SPARK_3_4)
          .getMethod("apply", StructType.class)
          .invoke(null, schema);
    } catch (ReflectiveOperationException error) {
      missing.addSuppressed(error);
      throw missing;
    }
  }
}
