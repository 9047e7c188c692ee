// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The columns that a model appends to a Dataset; one whose name is empty is left out. */
final class ScoredColumns {
  private final String features;
  private final String raw;
  private final String probability;
  private final String prediction;

  /** The columns of a classifier, in the order in which Spark appends them. */
  ScoredColumns(String features, String raw, String probability, String prediction) {
    this.features = features;
    this.raw = raw;
    this.probability = probability;
    this.prediction = prediction;
  }

  /** The column of a regressor. */
  ScoredColumns(String features, String prediction) {
    this(features, "", "", prediction);
  }

  /**
   * Appends the fields of a classifier, with the metadata of Spark's.
   *
   * @param numClasses or 0 for a regressor
   */
  StructType append(StructType schema, int numClasses) {
    Features.requireColumn(schema, features);
    List<StructField> fields = new ArrayList<>(Arrays.asList(schema.fields()));
    if (numClasses == 0) {
      append(fields, prediction, DataTypes.DoubleType, Metadata.empty());
      return new StructType(fields.toArray(new StructField[0]));
    }
    Metadata size = new AttributeGroup("outputs", numClasses).toMetadata();
    append(fields, raw, SQLDataTypes.VectorType(), size);
    append(fields, probability, SQLDataTypes.VectorType(), size);
    append(fields, prediction, DataTypes.DoubleType,
        NominalAttribute.defaultAttr().withNumValues(numClasses).toMetadata());
    return new StructType(fields.toArray(new StructField[0]));
  }

  /**
   * Appends the columns that a model computes.
   *
   * @param thresholds as RowScorer takes them
   */
  Dataset<Row> transform(Dataset<?> dataset, ModelSource source, double[] thresholds) {
    NativeModel model = source.load();
    int numClasses = model.isRegressor ? 0 : model.numOutputs;
    StructType schema = append(dataset.schema(), numClasses);
    List<StructField> results =
        Arrays.asList(schema.fields()).subList(dataset.schema().length(), schema.length());
    if (results.isEmpty()) return dataset.toDF();
    Broadcast<byte[]> shared =
        JavaSparkContext.fromSparkContext(dataset.sparkSession().sparkContext())
            .broadcast(source.text());
    RowScorer scorer = new RowScorer(shared, source.digest(), !raw.isEmpty(),
        !probability.isEmpty(), !prediction.isEmpty(), thresholds);
    UserDefinedFunction score =
        functions.udf(scorer, DataTypes.createStructType(results)).asNonNullable();
    return select(dataset, score.apply(column(features)), results);
  }

  /** Appends the fields of a struct. Spark computes the struct once, or not at all. */
  private static Dataset<Row> select(Dataset<?> dataset, Column struct, List<StructField> fields) {
    String name = "scores_" + UUID.randomUUID(); // that no other column has
    Map<String, Column> columns = new LinkedHashMap<>();
    for (StructField field : fields) {
      columns.put(
          field.name(), column(name).getField(field.name()).as(field.name(), field.metadata()));
    }
    // As in Spark, a column whose name differs in its case alone is replaced.
    return dataset.withColumn(name, struct).withColumns(columns).drop(name);
  }

  /** Returns the column of a name, which may have any characters. */
  private static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  private static void append(
      List<StructField> fields, String name, DataType type, Metadata metadata) {
    if (name.isEmpty()) return;
    for (StructField field : fields) {
      if (field.name().equals(name)) {
        throw new IllegalArgumentException("Column " + name + " already exists.");
      }
    }
    boolean isVector = !type.equals(DataTypes.DoubleType);
    fields.add(new StructField(name, type, isVector, metadata)); // as in Spark
  }
}
