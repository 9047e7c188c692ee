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
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.SparkSession;

/** The model file of a stage: its text, or a path that the driver reads when it is needed. */
final class ModelSource implements Serializable {
  private static final long serialVersionUID = 1;
  private static final String FILE = "model.json"; // in the folder of a saved stage

  private final String path; // or null
  private final byte[] text; // or null

  private ModelSource(String path, byte[] text) {
    this.path = path;
    this.text = text;
  }

  static ModelSource none() {
    return new ModelSource(null, null);
  }

  static ModelSource ofPath(String path) {
    return new ModelSource(path, null);
  }

  static ModelSource ofText(String text) {
    return new ModelSource(null, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the text of the model file. */
  byte[] read() {
    if (text != null) return text;
    if (path != null) {
      return ModelFile.read(path, SparkSession.active().sparkContext().hadoopConfiguration());
    }
    throw new IllegalArgumentException("there is no model; set modelPath or modelText");
  }

  /** Returns the model of a text that read() has returned. */
  NativeModel load(byte[] read, String digest) {
    return ModelCache.ofText(digest, path != null ? path : "modelText", () -> read);
  }

  /** Reads and returns the model. */
  NativeModel load() {
    byte[] read = read();
    return load(read, ModelFile.digest(read));
  }

  /** A stage that has a model file beside its Params. */
  interface Stage extends Params {
    ModelSource source();

    void setSource(ModelSource source);
  }

  /** Saves the Params of a stage as Spark does, and the model file beside them. */
  static final class Writer extends MLWriter {
    private final Stage stage;

    Writer(Stage stage) {
      this.stage = stage;
    }

    @Override
    public void saveImpl(String folder) {
      byte[] text = stage.source().read();
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
  static final class Reader<T extends Stage> extends MLReader<T> {
    @Override
    public T load(String folder) {
      T stage = new DefaultParamsReader<T>().load(folder);
      Configuration configuration = sparkSession().sparkContext().hadoopConfiguration();
      byte[] text = ModelFile.read(new Path(folder, FILE).toString(), configuration);
      stage.setSource(new ModelSource(null, text));
      return stage;
    }
  }
}
