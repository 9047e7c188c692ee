// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.DoubleBuffer;
import java.util.Arrays;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Reads features from vectors of Spark ML and from arrays of numbers. */
final class Features {
  private Features() {}

  /** Refuses a column that has no features. */
  static int requireColumn(StructType schema, String name) {
    int index = indexOf(schema, name);
    DataType type = schema.fields()[index].dataType();
    boolean isArray =
        type instanceof ArrayType && ((ArrayType) type).elementType() instanceof NumericType;
    if (!isArray && !type.equals(SQLDataTypes.VectorType())) {
      throw new IllegalArgumentException("the column " + name
          + " must be a vector or an array of numbers; got " + type.catalogString());
    }
    return index;
  }

  /** Refuses a column that is no number, with Spark's sentence. */
  static void requireNumber(StructType schema, String name) {
    DataType type = schema.fields()[indexOf(schema, name)].dataType();
    if (type instanceof NumericType) return;
    throw new IllegalArgumentException("requirement failed: Column " + name
        + " must be of type numeric but was actually of type " + type.catalogString() + ".");
  }

  private static int indexOf(StructType schema, String name) {
    int index = Arrays.asList(schema.fieldNames()).indexOf(name);
    if (index >= 0) return index;
    throw new IllegalArgumentException("there is no column " + name + "; expected one of "
        + String.join(", ", schema.fieldNames()));
  }

  /**
   * Copies the features of a row.
   *
   * @param value a vector, or an array of numbers
   * @param to where the features are put
   */
  static void copy(Object value, int width, DoubleBuffer to) {
    if (width(value) != width) {
      throw new IllegalArgumentException(
          "a row must have " + width + " features; got " + width(value));
    }
    if (value instanceof Vector) {
      to.put(((Vector) value).toArray());
      return;
    }
    for (Iterator<?> next = ((Seq<?>) value).iterator(); next.hasNext();) {
      Object number = next.next();
      if (!(number instanceof Number)) {
        throw new IllegalArgumentException("features must be numbers; got " + number);
      }
      to.put(((Number) number).doubleValue());
    }
  }

  /** Returns the number of features of a row. */
  static int width(Object value) {
    if (value instanceof Vector) return ((Vector) value).size();
    if (value instanceof Seq) return ((Seq<?>) value).length();
    throw new IllegalArgumentException(
        "features must be a vector or an array of numbers; got " + value.getClass().getName());
  }

  static Object known(Object value) {
    if (value != null) return value;
    throw new IllegalArgumentException(
        "the features of a row are null; remove such rows, or impute their features");
  }
}
