// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.regression.RegressionModel;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * A trained network that predicts a number for each row of a Dataset, in native code.
 *
 * <p>It reads a model file of a regressor, as NativeMlpModel reads that of a classifier, and
 * appends the column prediction.
 */
public final class NativeMlpRegressionModel
    extends RegressionModel<Vector, NativeMlpRegressionModel>
    implements ModelStage<NativeMlpRegressionModel>, MLWritable {
  private static final long serialVersionUID = 1;

  private final String uid;
  private ModelSource source = ModelSource.none();

  /** Makes a model with a random uid; set a model file next. */
  public NativeMlpRegressionModel() {
    this(Uids.random("nativeMlpRegressionModel"));
  }

  /** Makes a model; set a model file next. */
  public NativeMlpRegressionModel(String uid) {
    this(Uids.announce(uid));
  }

  private NativeMlpRegressionModel(Uids uids) {
    uid = uids.take();
  }

  @Override
  public String uid() {
    return Uids.of(uid);
  }

  @Override
  public ModelSource source() {
    return source;
  }

  @Override
  public NativeMlpRegressionModel setSource(ModelSource source) {
    this.source = source;
    return this;
  }

  @Override
  public int numFeatures() {
    return model().numFeatures;
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    model();
    return columns().transform(dataset, source, null);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    model();
    return columns().append(schema, 0);
  }

  @Override
  public double predict(Vector features) {
    ScoredRows row = new ScoredRows(model(), 1);
    row.set(0, features);
    row.score(1, false, false, true);
    return row.prediction(0);
  }

  @Override
  public NativeMlpRegressionModel copy(ParamMap extra) {
    NativeMlpRegressionModel copied =
        copyValues(new NativeMlpRegressionModel(uid), extra).setSource(source);
    return hasParent() ? copied.setParent(parent()) : copied;
  }

  /** Returns the reader that Pipeline.load() finds by the name of this class. */
  public static MLReader<NativeMlpRegressionModel> read() {
    return new ModelSource.Reader<>();
  }

  /** Loads a model that write() has saved. */
  public static NativeMlpRegressionModel load(String path) {
    return read().load(path);
  }

  private NativeModel model() {
    return source.load(true);
  }

  private ScoredColumns columns() {
    return new ScoredColumns(getFeaturesCol(), getPredictionCol());
  }
}
