// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.Arrays;
import org.apache.spark.ml.linalg.DenseVector;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Row;
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
    int index = Arrays.asList(schema.fieldNames()).indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("there is no column " + name + "; expected one of "
          + String.join(", ", schema.fieldNames()));
    }
    DataType type = schema.fields()[index].dataType();
    boolean isArray =
        type instanceof ArrayType && ((ArrayType) type).elementType() instanceof NumericType;
    if (!isArray && !type.equals(SQLDataTypes.VectorType())) {
      throw new IllegalArgumentException("the column " + name
          + " must be a vector or an array of numbers; got " + type.catalogString());
    }
    return index;
  }

  /**
   * Copies the features of a row.
   *
   * @param value a vector, or an array of numbers
   * @param to [offset .. offset + width) is written
   */
  static void copy(Object value, int width, double[] to, int offset) {
    if (value instanceof DenseVector) {
      double[] numbers = ((DenseVector) value).values();
      requireWidth(numbers.length, width);
      System.arraycopy(numbers, 0, to, offset, width);
    } else if (value instanceof Vector) {
      Vector vector = (Vector) value;
      requireWidth(vector.size(), width);
      System.arraycopy(vector.toArray(), 0, to, offset, width);
    } else {
      copyNumbers(arrayOf(value), width, to, offset);
    }
  }

  /** Returns the number of features of a row. */
  static int width(Object value) {
    return value instanceof Vector ? ((Vector) value).size() : arrayOf(value).length();
  }

  static Object of(Row row, int index) {
    if (row.isNullAt(index)) {
      throw new IllegalArgumentException(
          "the features of a row are null; remove such rows, or impute their features");
    }
    return row.get(index);
  }

  private static Seq<?> arrayOf(Object value) {
    if (value instanceof Seq) return (Seq<?>) value;
    throw new IllegalArgumentException("features must be a vector or an array of numbers; got "
        + (value == null ? "null" : value.getClass().getName()));
  }

  private static void copyNumbers(Seq<?> numbers, int width, double[] to, int offset) {
    requireWidth(numbers.length(), width);
    for (Iterator<?> next = numbers.iterator(); next.hasNext();) {
      Object number = next.next();
      if (!(number instanceof Number)) {
        throw new IllegalArgumentException("features must be numbers; got " + number);
      }
      to[offset++] = ((Number) number).doubleValue();
    }
  }

  private static void requireWidth(int received, int expected) {
    if (received != expected) {
      throw new IllegalArgumentException(
          "a row must have " + expected + " features; got " + received);
    }
  }
}
