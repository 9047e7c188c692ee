// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import org.apache.spark.ml.classification.MultilayerPerceptronClassificationModel;
import org.apache.spark.ml.classification.ProbabilisticClassificationModel;
import org.apache.spark.ml.linalg.DenseVector;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import scala.Tuple3;

/**
 * A trained network with classes, which scores the rows of a Dataset in native code.
 *
 * <p>It reads a model file, which the program mlp, its Python package or NativeMlpClassifier
 * wrote:
 *
 * <pre>
 * new NativeMlpModel().setModelPath("/models/iris.json").transform(flowers)
 * </pre>
 *
 * <p>transform() appends the columns of Spark's classification models: rawPrediction,
 * probability and prediction. A column whose name is empty is left out. The Param thresholds
 * replaces the thresholds of the model file; as in Spark, a prediction without the other two
 * columns uses neither. The features are vectors or arrays of numbers. The hyper-parameters are
 * those of the training, if NativeMlpClassifier or fromSpark() made the model.
 */
public final class NativeMlpModel extends ProbabilisticClassificationModel<Vector, NativeMlpModel>
    implements ModelStage<NativeMlpModel>, MlpParams, MLWritable {
  private static final long serialVersionUID = 1;

  private final String uid;
  private ModelSource source = ModelSource.none();

  /** Makes a model with a random uid; set a model file next. */
  public NativeMlpModel() {
    this(Uids.random("nativeMlpModel"));
  }

  /** Makes a model; set a model file next. */
  public NativeMlpModel(String uid) {
    this(Uids.announce(uid));
  }

  private NativeMlpModel(Uids uids) {
    uid = uids.take();
  }

  @Override
  public String uid() {
    return Uids.of(uid);
  }

  /** Returns the sizes of the layers of the network, from its inputs to the classes. */
  public int[] getLayers() {
    return model().layers();
  }

  /**
   * Makes a model with the network, the uid and all Params of Spark's own.
   *
   * @throws IllegalArgumentException if its weights are not finite
   */
  public static NativeMlpModel fromSpark(MultilayerPerceptronClassificationModel model) {
    byte[] params = HyperParameters.of(model, model.layers(), model.maxIter(), model.tol(),
        model.seed(), model.blockSize(), model.solver(), model.stepSize());
    byte[] text = Native.fromWeights(params, model.weights().toArray());
    NativeMlpModel made = ParamCopy.copy(model, new NativeMlpModel(model.uid()));
    return made.setModelText(new String(text, StandardCharsets.UTF_8));
  }

  /**
   * Makes Spark's own model with the network, the uid and the Params of this one. A scaler of the
   * model file and its batch normalisation become a part of the weights; the names of its classes
   * and features are left out. A solver that Spark lacks is not set.
   *
   * @throws IllegalArgumentException if Spark's model cannot express the network, such as one
   *     with another activation; the message has the reason
   */
  public MultilayerPerceptronClassificationModel toSpark() {
    NativeModel network = source.load();
    MultilayerPerceptronClassificationModel model =
        new MultilayerPerceptronClassificationModel(uid, Vectors.dense(network.sparkWeights()));
    model.set(model.layers(), network.layers());
    double[] thresholds = network.thresholds();
    if (thresholds.length > 0) model.setThresholds(thresholds);
    return ParamCopy.copy(this, model);
  }

  @Override
  public ModelSource source() {
    return source;
  }

  @Override
  public NativeMlpModel setSource(ModelSource source) {
    this.source = source;
    return this;
  }

  @Override
  public int numClasses() {
    return model().numOutputs;
  }

  @Override
  public int numFeatures() {
    return model().numFeatures;
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    NativeModel model = model();
    double[] thresholds = isDefined(thresholds()) ? getThresholds() : null;
    if (thresholds != null && thresholds.length != model.numOutputs) {
      throw new IllegalArgumentException("requirement failed: NativeMlpModel.transform() called"
          + " with non-matching numClasses and thresholds.length. numClasses=" + model.numOutputs
          + ", but thresholds has length " + thresholds.length);
    }
    // As in Spark, thresholds need one of two columns.
    boolean canDecide = !getRawPredictionCol().isEmpty() || !getProbabilityCol().isEmpty();
    return columns().transform(dataset, source, canDecide ? thresholds : new double[0]);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return columns().append(schema, numClasses());
  }

  @Override
  public Vector predictRaw(Vector features) {
    ScoredRows row = row(features);
    row.score(1, true, false, false);
    return row.raw(0);
  }

  @Override
  public Vector predictProbability(Vector features) {
    ScoredRows row = row(features);
    row.score(1, false, true, false);
    return row.probability(0);
  }

  /** Returns the class of a row. As in Spark's networks, thresholds do not apply. */
  @Override
  public double predict(Vector features) {
    return predictRaw(features).argmax();
  }

  /** Replaces raw predictions by their softmax, as Spark's networks do. */
  @Override
  public Vector raw2probabilityInPlace(Vector raw) {
    double[] values = ((DenseVector) raw).values();
    double largest = values[raw.argmax()];
    double sum = 0;
    for (int i = 0; i < values.length; ++i) {
      values[i] = Math.exp(values[i] - largest);
      sum += values[i];
    }
    for (int i = 0; i < values.length; ++i) values[i] /= sum;
    return raw;
  }

  @Override
  public NativeMlpModel copy(ParamMap extra) {
    NativeMlpModel copied = copyValues(new NativeMlpModel(uid), extra).setSource(source);
    return hasParent() ? copied.setParent(parent()) : copied;
  }

  /** Returns the reader that Pipeline.load() finds by the name of this class. */
  public static MLReader<NativeMlpModel> read() {
    return new ModelSource.Reader<>();
  }

  /** Loads a model that write() has saved. */
  public static NativeMlpModel load(String path) {
    return read().load(path);
  }

  /**
   * Returns this model and its columns; Spark's summaries call it. In Java it must replace the
   * methods of two classes of Scala whose types differ.
   */
  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public Tuple3 findSummaryModel() {
    return new Tuple3<>(this, getProbabilityCol(), getPredictionCol());
  }

  private NativeModel model() {
    return source.load(false);
  }

  private ScoredRows row(Vector features) {
    ScoredRows row = new ScoredRows(model(), 1);
    row.set(0, features);
    return row;
  }

  private ScoredColumns columns() {
    return new ScoredColumns(
        getFeaturesCol(), getRawPredictionCol(), getProbabilityCol(), getPredictionCol());
  }
}
