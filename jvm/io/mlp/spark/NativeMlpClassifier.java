// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.classification.MultilayerPerceptronClassifier;
import org.apache.spark.ml.classification.ProbabilisticClassifier;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.IntArrayParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.shared.HasWeightCol;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
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
    extends ProbabilisticClassifier<Vector, NativeMlpClassifier, NativeMlpModel>
        // MLWritable by name, too: Python calls a method of an interface only if a class names it.
    implements MlpParams, HasWeightCol, DefaultParamsWritable, MLWritable {
  private static final long serialVersionUID = 1;
  private static final int MAX_THREADS = 1024; // of the C interface
  private static final String ID = "mlp_id";
  private static final Logger LOG = LoggerFactory.getLogger(NativeMlpClassifier.class);

  private final String uid;

  /** Makes an estimator with a random uid. */
  public NativeMlpClassifier() {
    this(Uids.random("nativeMlp"));
  }

  /** Makes an estimator. */
  public NativeMlpClassifier(String uid) {
    this(Uids.announce(uid));
  }

  private NativeMlpClassifier(Uids uids) {
    uid = uids.take();
  }

  @Override
  public String uid() {
    return Uids.of(uid);
  }

  // Spark knows a Param by the uid of its stage and its name, so that each call may make it
  // again.
  @Override
  public Param<String> weightCol() {
    return new Param<>(this, "weightCol", "column of the weights of the rows");
  }

  /** Is called by no class of Java; weightCol() makes the Param. */
  @Override
  public void org$apache$spark$ml$param$shared$HasWeightCol$_setter_$weightCol_$eq(
      Param<String> param) {
    throw new UnsupportedOperationException("weightCol() makes the Param");
  }

  /** The Param of the sizes of the layers, which has no default. */
  public IntArrayParam layers() {
    return new IntArrayParam(
        this, "layers", "sizes of the layers, from the features to the classes");
  }

  /**
   * Sets the column of the weights of the rows, numbers of at least 0; an empty name is no
   * column.
   */
  public NativeMlpClassifier setWeightCol(String name) {
    return (NativeMlpClassifier) set(weightCol(), name);
  }

  /** Sets the sizes of the layers, from the features to the classes, such as {4, 5, 3}. */
  public NativeMlpClassifier setLayers(int[] value) {
    return (NativeMlpClassifier) set(layers(), value);
  }

  /** Sets the largest number of iterations, at least 0. */
  public NativeMlpClassifier setMaxIter(int value) {
    return (NativeMlpClassifier) set(maxIter(), value);
  }

  /**
   * Sets the tolerance at which the iterations converge, at least 0. A smaller one trains
   * longer.
   */
  public NativeMlpClassifier setTol(double value) {
    return (NativeMlpClassifier) set(tol(), value);
  }

  /**
   * Sets the seed of the initial weights. The same seed, rows and partitions give the same
   * model.
   */
  public NativeMlpClassifier setSeed(long value) {
    return (NativeMlpClassifier) set(seed(), value);
  }

  /**
   * Sets the rows of a block, at least 1. The objective is Spark's mean over blocks, so that
   * this changes the model.
   */
  public NativeMlpClassifier setBlockSize(int value) {
    return (NativeMlpClassifier) set(blockSize(), value);
  }

  /** Sets the solver: l-bfgs or gd, as Spark has them, or sgd, adam or adamw. */
  public NativeMlpClassifier setSolver(String value) {
    return (NativeMlpClassifier) set(solver(), value);
  }

  /** Sets the step size of the solvers other than l-bfgs, above 0. */
  public NativeMlpClassifier setStepSize(double value) {
    return (NativeMlpClassifier) set(stepSize(), value);
  }

  /**
   * Sets the weights that the training starts from, in Spark's order; the seed is not used then.
   */
  public NativeMlpClassifier setInitialWeights(Vector value) {
    return (NativeMlpClassifier) set(initialWeights(), value);
  }

  /**
   * Makes an estimator with the uid and all Params of Spark's own, which trains the same model.
   */
  public static NativeMlpClassifier fromSpark(MultilayerPerceptronClassifier classifier) {
    return ParamCopy.copy(classifier, new NativeMlpClassifier(classifier.uid()));
  }

  /**
   * Makes Spark's own estimator with the uid and the Params of this one, which trains the same
   * model.
   *
   * @throws IllegalArgumentException if Spark's class lacks a Param or a value that is set:
   *     weightCol, or one of the solvers sgd, adam and adamw
   */
  public MultilayerPerceptronClassifier toSpark() {
    MultilayerPerceptronClassifier classifier = new MultilayerPerceptronClassifier(uid);
    ParamCopy.requireAll(this, classifier);
    return ParamCopy.copy(this, classifier);
  }

  /**
   * Trains a model; fit() calls it.
   *
   * @throws DivergedException if the objective or the weights are not finite: a model file,
   *     which a model is kept as, has finite numbers only
   */
  @Override
  public NativeMlpModel train(Dataset<?> dataset) {
    List<Row> outcomes =
        gather(select(dataset))
            .mapPartitions(new TrainingRows(hyperParameters(), hasWeights(), threads(dataset)),
                RowEncoders.of(TrainingRows.SCHEMA))
            .collectAsList();
    if (outcomes.isEmpty()) {
      throw new IllegalArgumentException("there are no rows to train on");
    }
    String text =
        TrainingRows.modelOf(outcomes.get(0), warning -> LOG.warn("{}: {}", uid, warning));
    return new NativeMlpModel(uid).setModelText(text);
  }

  /**
   * Brings the rows of all partitions into one, in their order. The partitions are computed
   * by tasks of their own, and not by the one that trains. To ask for their number would run
   * the shuffles of the query, which the training would run again.
   */
  private static Dataset<Row> gather(Dataset<Row> rows) {
    return rows.repartition(1).sortWithinPartitions(ID);
  }

  @Override
  public StructType transformSchema(StructType schema) {
    if (!isSet(layers())) {
      throw new IllegalArgumentException(
          "layers is not set; expected the sizes of the layers, from the features to the classes");
    }
    Features.requireColumn(schema, getFeaturesCol());
    Features.requireNumber(schema, getLabelCol());
    if (hasWeights()) Features.requireNumber(schema, getOrDefault(weightCol()));
    int[] sizes = getOrDefault(layers());
    int numClasses = sizes.length == 0 ? 1 : Math.max(1, sizes[sizes.length - 1]);
    return new ScoredColumns(
        getFeaturesCol(), getRawPredictionCol(), getProbabilityCol(), getPredictionCol())
        .append(schema, numClasses);
  }

  @Override
  public NativeMlpClassifier copy(ParamMap extra) {
    return copyValues(new NativeMlpClassifier(uid), extra);
  }

  /** Returns the reader that Pipeline.load() finds by the name of this class. */
  public static MLReader<NativeMlpClassifier> read() {
    return new DefaultParamsReader<>();
  }

  /** Loads an estimator that write() has saved. */
  public static NativeMlpClassifier load(String path) {
    return read().load(path);
  }

  /** Returns the hyper-parameters, for Native.fit(). */
  private byte[] hyperParameters() {
    return HyperParameters.of(this, layers(), maxIter(), tol(), seed(), blockSize(), solver(),
        stepSize(), initialWeights());
  }

  /** Selects what TrainingRows reads. */
  private Dataset<Row> select(Dataset<?> dataset) {
    List<Column> columns = new ArrayList<>();
    columns.add(dataset.col(getOrDefault(featuresCol())));
    columns.add(dataset.col(getOrDefault(labelCol())).cast(DataTypes.DoubleType));
    columns.add(functions.monotonically_increasing_id().as(ID));
    if (hasWeights()) {
      columns.add(dataset.col(getOrDefault(weightCol())).cast(DataTypes.DoubleType));
    }
    return dataset.select(columns.toArray(new Column[0]));
  }

  /** As in Spark, an empty name is no column. */
  private boolean hasWeights() {
    return isSet(weightCol()) && !getOrDefault(weightCol()).isEmpty();
  }

  private static int threads(Dataset<?> dataset) {
    org.apache.spark.SparkContext context = dataset.sparkSession().sparkContext();
    int threads = context.isLocal() ? Runtime.getRuntime().availableProcessors()
                                    : context.getConf().getInt("spark.task.cpus", 1);
    return Math.min(MAX_THREADS, threads);
  }
}
