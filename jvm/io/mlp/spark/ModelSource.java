// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * The model file of a stage: its text, which a path is read to once.
 *
 * <p>A stage can so be saved where its file was, and a task has the model without a session.
 */
final class ModelSource implements Serializable {
  private static final long serialVersionUID = 1;
  private static final String FILE = "model.json"; // in the folder of a saved stage

  private final String name; // of the model in errors
  private final byte[] text; // or null
  private transient volatile String digest; // or null, and so is the model
  private transient volatile NativeModel model;

  private ModelSource(String name, byte[] text) {
    this.name = name;
    this.text = text;
  }

  static ModelSource none() {
    return new ModelSource("", null);
  }

  /** Reads a file, with the settings of the session if there is one. */
  static ModelSource ofPath(String path) {
    return new ModelSource(path, ModelFile.read(path, configuration()));
  }

  static ModelSource ofText(String text) {
    return new ModelSource("modelText", text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the text of the model file. */
  byte[] text() {
    if (text != null) return text;
    throw new IllegalArgumentException("there is no model; set modelPath or modelText");
  }

  /** Returns what ModelFile.digest() makes of the text. */
  String digest() {
    if (digest == null) digest = ModelFile.digest(text());
    return digest;
  }

  /** Returns the model, which this object keeps. */
  NativeModel load() {
    if (model == null) model = ModelCache.ofText(digest(), name, this::text);
    return model;
  }

  /**
   * Returns the model.
   *
   * @throws IllegalArgumentException if it predicts classes instead of numbers, or the reverse
   */
  NativeModel load(boolean isRegressor) {
    NativeModel loaded = load();
    if (loaded.isRegressor == isRegressor) return loaded;
    throw new IllegalArgumentException(isRegressor
            ? "the model predicts classes; expected numbers; use NativeMlpModel"
            : "the model predicts numbers; expected classes; use NativeMlpRegressionModel");
  }

  private static Configuration configuration() {
    Option<SparkSession> session = SparkSession.getActiveSession();
    if (session.isEmpty()) session = SparkSession.getDefaultSession();
    if (session.isEmpty()) return new Configuration();
    return session.get().sparkContext().hadoopConfiguration();
  }

  /** Saves the Params of a stage as Spark does, and the model file beside them. */
  static final class Writer extends MLWriter {
    private final ModelStage<?> stage;

    Writer(ModelStage<?> stage) {
      this.stage = stage;
    }

    @Override
    public void saveImpl(String folder) {
      byte[] text = stage.source().text();
      new DefaultParamsWriter(stage).saveImpl(folder);
      Path file = new Path(folder, FILE);
      Configuration configuration = sparkSession().sparkContext().hadoopConfiguration();
      try (OutputStream output = file.getFileSystem(configuration).create(file, false)) {
        output.write(text);
      } catch (IOException error) {
        throw new UncheckedIOException("cannot save the model " + file, error);
      }
    }
  }

  /** Loads what Writer has saved. */
  static final class Reader<T extends ModelStage<T>> extends MLReader<T> {
    @Override
    public T load(String folder) {
      T stage = new DefaultParamsReader<T>().load(folder);
      Configuration configuration = sparkSession().sparkContext().hadoopConfiguration();
      byte[] text = ModelFile.read(new Path(folder, FILE).toString(), configuration);
      stage.setSource(new ModelSource(folder, text));
      return stage;
    }
  }
}
