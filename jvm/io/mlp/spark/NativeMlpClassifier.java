// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.LongParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains Spark's multilayer perceptron in native code, in one task.
 *
 * <p>Hyper-parameters have the names of Spark's MultilayerPerceptronClassifier. One that is not
 * set has Spark's default, so that the model is Spark's. The task holds all rows in memory.
 * The driver logs what the library warns of. What it refuses is an IllegalArgumentException.
 */
public final class NativeMlpClassifier
    extends Estimator<NativeMlpModel> implements DefaultParamsWritable {
  private static final long serialVersionUID = 1;
  private static final int MAX_THREADS = 1024; // of the C interface
  private static final Logger LOG = LoggerFactory.getLogger(NativeMlpClassifier.class);

  private final String uid;
  private final Param<String> featuresCol;
  private final Param<String> labelCol;
  private final Param<String> weightCol;
  private final Param<String> predictionCol;
  private final Param<String> probabilityCol;
  private final Param<String> rawPredictionCol;
  private final IntArrayParam layers;
  private final IntParam maxIter;
  private final DoubleParam tol;
  private final LongParam seed;
  private final IntParam blockSize;
  private final Param<String> solver;
  private final DoubleParam stepSize;

  public NativeMlpClassifier() {
    this(Identifiable$.MODULE$.randomUID("nativeMlp"));
  }

  public NativeMlpClassifier(String uid) {
    this.uid = uid;
    featuresCol = new Param<>(this, "featuresCol", "column of a vector or an array of numbers");
    labelCol = new Param<>(this, "labelCol", "column of class indices");
    weightCol = new Param<>(this, "weightCol", "column of the weights of the rows");
    predictionCol = new Param<>(this, "predictionCol", "column for the prediction");
    probabilityCol = new Param<>(this, "probabilityCol", "column for the probabilities");
    rawPredictionCol = new Param<>(this, "rawPredictionCol", "column for the raw predictions");
    layers =
        new IntArrayParam(this, "layers", "sizes of the layers, from the features to the classes");
    maxIter = new IntParam(this, "maxIter", "maximum number of iterations");
    tol = new DoubleParam(this, "tol", "convergence tolerance of the iterations");
    seed = new LongParam(this, "seed", "seed of the initial weights");
    blockSize = new IntParam(this, "blockSize", "rows whose gradients are summed first");
    solver = new Param<>(this, "solver", "l-bfgs, gd, sgd, adam or adamw");
    stepSize = new DoubleParam(this, "stepSize", "step size of the solvers but l-bfgs");
    setDefault(featuresCol, "features");
    setDefault(labelCol, "label");
    setDefault(predictionCol, "prediction");
    setDefault(probabilityCol, "probability");
    setDefault(rawPredictionCol, "rawPrediction");
  }

  @Override
  public String uid() {
    return uid;
  }

  public Param<String> featuresCol() {
    return featuresCol;
  }

  public Param<String> labelCol() {
    return labelCol;
  }

  public Param<String> weightCol() {
    return weightCol;
  }

  public Param<String> predictionCol() {
    return predictionCol;
  }

  public Param<String> probabilityCol() {
    return probabilityCol;
  }

  public Param<String> rawPredictionCol() {
    return rawPredictionCol;
  }

  public IntArrayParam layers() {
    return layers;
  }

  public IntParam maxIter() {
    return maxIter;
  }

  public DoubleParam tol() {
    return tol;
  }

  public LongParam seed() {
    return seed;
  }

  public IntParam blockSize() {
    return blockSize;
  }

  public Param<String> solver() {
    return solver;
  }

  public DoubleParam stepSize() {
    return stepSize;
  }

  public NativeMlpClassifier setFeaturesCol(String name) {
    set(featuresCol, name);
    return this;
  }

  public NativeMlpClassifier setLabelCol(String name) {
    set(labelCol, name);
    return this;
  }

  public NativeMlpClassifier setWeightCol(String name) {
    set(weightCol, name);
    return this;
  }

  public NativeMlpClassifier setPredictionCol(String name) {
    set(predictionCol, name);
    return this;
  }

  public NativeMlpClassifier setProbabilityCol(String name) {
    set(probabilityCol, name);
    return this;
  }

  public NativeMlpClassifier setRawPredictionCol(String name) {
    set(rawPredictionCol, name);
    return this;
  }

  public NativeMlpClassifier setLayers(int[] value) {
    set(layers, value);
    return this;
  }

  public NativeMlpClassifier setMaxIter(int value) {
    set(maxIter, value);
    return this;
  }

  public NativeMlpClassifier setTol(double value) {
    set(tol, value);
    return this;
  }

  public NativeMlpClassifier setSeed(long value) {
    set(seed, value);
    return this;
  }

  public NativeMlpClassifier setBlockSize(int value) {
    set(blockSize, value);
    return this;
  }

  public NativeMlpClassifier setSolver(String value) {
    set(solver, value);
    return this;
  }

  public NativeMlpClassifier setStepSize(double value) {
    set(stepSize, value);
    return this;
  }

  /**
   * Trains a model.
   *
   * @throws DivergedException if the objective or the weights are not finite: a model file,
   *     which a model is kept as, has finite numbers only
   */
  @Override
  public NativeMlpModel fit(Dataset<?> dataset) {
    transformSchema(dataset.schema());
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (Param<?> param : hyperParameters()) {
      if (!isSet(param)) continue;
      names.add(param.name());
      values.add(textOf(getOrDefault(param)));
    }
    List<Row> outcomes =
        select(dataset)
            .coalesce(1)
            .mapPartitions(new TrainingRows(names.toArray(new String[0]),
                               values.toArray(new String[0]), isSet(weightCol), threads(dataset)),
                Encoders.row(TrainingOutcome.SCHEMA))
            .collectAsList();
    if (outcomes.isEmpty()) {
      throw new IllegalArgumentException("there are no rows to train on");
    }
    byte[] text =
        TrainingOutcome.modelOf(outcomes.get(0), warning -> LOG.warn("{}: {}", uid, warning));
    NativeMlpModel model = new NativeMlpModel(uid)
                               .setModelText(new String(text, StandardCharsets.UTF_8))
                               .setFeaturesCol(getOrDefault(featuresCol))
                               .setPredictionCol(getOrDefault(predictionCol))
                               .setProbabilityCol(getOrDefault(probabilityCol))
                               .setRawPredictionCol(getOrDefault(rawPredictionCol));
    return model.setParent(this);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    Features.requireColumn(schema, getOrDefault(featuresCol));
    if (!isSet(layers)) {
      throw new IllegalArgumentException(
          "layers is not set; expected the sizes of the layers, from the features to the classes");
    }
    return schema;
  }

  @Override
  public NativeMlpClassifier copy(ParamMap extra) {
    return copyValues(new NativeMlpClassifier(uid), extra);
  }

  /** Returns the reader that Pipeline.load() finds by the name of this class. */
  public static MLReader<NativeMlpClassifier> read() {
    return new DefaultParamsReader<>();
  }

  public static NativeMlpClassifier load(String path) {
    return read().load(path);
  }

  private List<Param<?>> hyperParameters() {
    return Arrays.asList(layers, maxIter, tol, seed, blockSize, solver, stepSize);
  }

  /** Selects what TrainingRows reads. */
  private Dataset<Row> select(Dataset<?> dataset) {
    List<Column> columns = new ArrayList<>();
    columns.add(dataset.col(getOrDefault(featuresCol)));
    columns.add(dataset.col(getOrDefault(labelCol)).cast(DataTypes.DoubleType));
    columns.add(functions.monotonically_increasing_id());
    if (isSet(weightCol)) {
      columns.add(dataset.col(getOrDefault(weightCol)).cast(DataTypes.DoubleType));
    }
    return dataset.select(columns.toArray(new Column[0]));
  }

  private static int threads(Dataset<?> dataset) {
    org.apache.spark.SparkContext context = dataset.sparkSession().sparkContext();
    int threads = context.isLocal() ? Runtime.getRuntime().availableProcessors()
                                    : context.getConf().getInt("spark.task.cpus", 1);
    return Math.min(MAX_THREADS, threads);
  }

  private static String textOf(Object value) {
    if (!(value instanceof int[])) return value.toString();
    return Arrays.stream((int[]) value)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }
}
