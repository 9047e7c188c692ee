// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.attribute.AttributeGroup;
import org.apache.spark.ml.attribute.NominalAttribute;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A trained network that scores the rows of a Dataset in native code.
 *
 * <p>It reads a model file, which the program mlp, its Python package or
 * NativeMlpClassifier wrote:
 *
 * <pre>
 * new NativeMlpModel().setModelPath("/models/iris.json").transform(flowers)
 * </pre>
 *
 * <p>transform() appends the columns of Spark's classification models: rawPrediction,
 * probability and prediction. A regressor has the column prediction alone. A column whose
 * name is empty is left out.
 */
public final class NativeMlpModel
    extends Model<NativeMlpModel> implements ColumnParams<NativeMlpModel>, DefaultParamsWritable {
  private static final long serialVersionUID = 1;

  private final String uid;

  public NativeMlpModel() {
    this(Identifiable$.MODULE$.randomUID("nativeMlpModel"));
  }

  public NativeMlpModel(String uid) {
    this.uid = uid;
    setDefault(featuresCol(), "features");
    setDefault(predictionCol(), "prediction");
    setDefault(probabilityCol(), "probability");
    setDefault(rawPredictionCol(), "rawPrediction");
  }

  @Override
  public String uid() {
    return uid;
  }

  public Param<String> modelPath() {
    return new Param<>(this, "modelPath", "path of a model file, which the driver reads");
  }

  public Param<String> modelText() {
    return new Param<>(this, "modelText", "text of a model file, instead of a path");
  }

  public NativeMlpModel setModelPath(String path) {
    return (NativeMlpModel) set(modelPath(), path);
  }

  public NativeMlpModel setModelText(String text) {
    return (NativeMlpModel) set(modelText(), text);
  }

  /** Returns the text of the model file. */
  public String toJson() {
    return new String(readText(), StandardCharsets.UTF_8);
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    byte[] text = readText();
    String digest = ModelFile.digest(text);
    NativeModel model = load(text, digest);
    StructType schema = append(dataset.schema(), model);
    List<StructField> results =
        Arrays.asList(schema.fields()).subList(dataset.schema().length(), schema.length());
    if (results.isEmpty()) return dataset.toDF();
    Broadcast<byte[]> shared =
        JavaSparkContext.fromSparkContext(dataset.sparkSession().sparkContext()).broadcast(text);
    RowScorer scorer =
        new RowScorer(shared, digest, isWritten(rawPredictionCol()) && !model.isRegressor,
            isWritten(probabilityCol()) && !model.isRegressor, isWritten(predictionCol()));
    UserDefinedFunction score =
        functions.udf(scorer, DataTypes.createStructType(results)).asNonNullable();
    return select(dataset, score.apply(column(getOrDefault(featuresCol()))), results);
  }

  /** Appends the fields of a struct. Spark computes the struct once, or not at all. */
  private static Dataset<Row> select(Dataset<?> dataset, Column struct, List<StructField> fields) {
    String name = "scores_" + UUID.randomUUID(); // that no other column has
    List<Column> columns = new ArrayList<>();
    columns.add(functions.col("*"));
    for (StructField field : fields) {
      columns.add(column(name).getField(field.name()).as(field.name(), field.metadata()));
    }
    return dataset.withColumn(name, struct).select(columns.toArray(new Column[0])).drop(name);
  }

  /** Returns the column of a name, which may have any characters. */
  private static Column column(String name) {
    return functions.col("`" + name.replace("`", "``") + "`");
  }

  @Override
  public StructType transformSchema(StructType schema) {
    byte[] text = readText();
    return append(schema, load(text, ModelFile.digest(text)));
  }

  @Override
  public NativeMlpModel copy(ParamMap extra) {
    NativeMlpModel copied = copyValues(new NativeMlpModel(uid), extra);
    return hasParent() ? copied.setParent(parent()) : copied;
  }

  /** Returns the reader that Pipeline.load() finds by the name of this class. */
  public static MLReader<NativeMlpModel> read() {
    return new DefaultParamsReader<>();
  }

  public static NativeMlpModel load(String path) {
    return read().load(path);
  }

  private boolean isWritten(Param<String> column) {
    return !getOrDefault(column).isEmpty();
  }

  /** Appends the columns of the results of a model. */
  private StructType append(StructType schema, NativeModel model) {
    Features.requireColumn(schema, getOrDefault(featuresCol()));
    List<StructField> fields = new ArrayList<>(Arrays.asList(schema.fields()));
    if (model.isRegressor) {
      append(fields, predictionCol(), DataTypes.DoubleType, Metadata.empty());
    } else {
      Metadata size = new AttributeGroup("outputs", model.numOutputs).toMetadata();
      append(fields, rawPredictionCol(), SQLDataTypes.VectorType(), size);
      append(fields, probabilityCol(), SQLDataTypes.VectorType(), size);
      append(fields, predictionCol(), DataTypes.DoubleType,
          NominalAttribute.defaultAttr().withNumValues(model.numOutputs).toMetadata());
    }
    return new StructType(fields.toArray(new StructField[0]));
  }

  private void append(
      List<StructField> fields, Param<String> column, DataType type, Metadata metadata) {
    if (!isWritten(column)) return;
    String name = getOrDefault(column);
    for (StructField field : fields) {
      if (field.name().equals(name)) {
        throw new IllegalArgumentException("Column " + name + " already exists.");
      }
    }
    boolean isVector = !type.equals(DataTypes.DoubleType);
    fields.add(new StructField(name, type, isVector, metadata)); // as in Spark
  }

  private NativeModel load(byte[] text, String digest) {
    String name = isDefined(modelText()) ? "modelText" : getOrDefault(modelPath());
    return ModelCache.ofText(digest, name, () -> text);
  }

  private byte[] readText() {
    if (isDefined(modelText())) return getOrDefault(modelText()).getBytes(StandardCharsets.UTF_8);
    if (!isDefined(modelPath())) {
      throw new IllegalArgumentException("there is no model; set modelPath or modelText");
    }
    return ModelFile.read(
        getOrDefault(modelPath()), SparkSession.active().sparkContext().hadoopConfiguration());
  }
}
