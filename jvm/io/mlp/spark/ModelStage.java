// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;

/**
 * A stage that has a model file beside its Params.
 *
 * <p>Its classes implement MLWritable by name, too: Python calls a method of an interface only if
 * the class names the interface.
 *
 * @param <T> the class of the stage
 */
public interface ModelStage<T extends ModelStage<T>> extends Params, MLWritable {
  /** Returns the model file. */
  ModelSource source();

  /** Replaces the model file. */
  T setSource(ModelSource source);

  /**
   * Reads a model file, on any file system of Hadoop. A file that is replaced later does not
   * change this stage.
   *
   * @throws IllegalArgumentException if the file cannot be read
   */
  default T setModelPath(String path) {
    return setSource(ModelSource.ofPath(path));
  }

  /** Sets the text of a model file. */
  default T setModelText(String text) {
    return setSource(ModelSource.ofText(text));
  }

  /** Returns the text of the model file. */
  default String toJson() {
    return new String(source().text(), StandardCharsets.UTF_8);
  }

  @Override
  default MLWriter write() {
    return new ModelSource.Writer(this);
  }
}
