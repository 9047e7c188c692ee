// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.types.DataTypes;

/**
 * A function of SQL that predicts a row: the features, and the path of a model file.
 *
 * <pre>
 * spark.udf().registerJava("mlp_predict", "io.mlp.spark.ScoreUdf", DataTypes.DoubleType);
 * SELECT mlp_predict(features, '/models/iris.json') FROM flowers
 * </pre>
 *
 * <p>Each JVM reads the model once, and again if a task finds that the file was replaced.
 * The features are a vector or an array of numbers; the
 * result is the index of the class, or the number that a regressor predicts.
 */
public final class ScoreUdf implements UDF2<Object, String, Double> {
  private static final long serialVersionUID = 1;

  @Override
  public Double call(Object features, String path) {
    if (features == null || path == null) return null;
    ScoredRows row = ModelCache.rowOf(path);
    row.set(0, features);
    row.score(1, false, false, true);
    return row.prediction(0);
  }

  /**
   * Registers functions of one argument, the features, for one model: name for the
   * prediction and, if the model has classes, name_probability for the vector of
   * probabilities.
   *
   * @param path of a model file, which each executor must be able to read
   */
  public static void register(SparkSession spark, String name, String path) {
    boolean isRegressor = ModelCache.ofFile(path).isRegressor;
    spark.udf().register(name,
        (UDF1<Object, Double>) features
        -> new ScoreUdf().call(features, path),
        DataTypes.DoubleType);
    if (isRegressor) return;
    spark.udf().register(name + "_probability",
        (UDF1<Object, Object>) features -> probability(features, path), SQLDataTypes.VectorType());
  }

  private static Object probability(Object features, String path) {
    if (features == null) return null;
    ScoredRows row = ModelCache.rowOf(path);
    row.set(0, features);
    row.score(1, false, true, false);
    return row.probability(0);
  }
}
