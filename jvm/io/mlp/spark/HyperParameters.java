// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/** Writes the Params of a stage as the native functions read hyper-parameters. */
final class HyperParameters {
  private HyperParameters() {}

  /** Returns the values of Params that are set or have a default, as Native.fit() takes them. */
  static byte[] of(Params stage, Param<?>... params) {
    StringBuilder texts = new StringBuilder();
    for (Param<?> param : params) {
      if (!stage.isDefined(param)) continue;
      String text = textOf(stage.getOrDefault(param));
      if (text.indexOf('\0') >= 0) {
        throw new IllegalArgumentException("a hyper-parameter has a null character");
      }
      texts.append(param.name()).append('\0').append(text).append('\0');
    }
    return texts.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String textOf(Object value) {
    if (value instanceof int[]) {
      return Arrays.stream((int[]) value)
          .mapToObj(Integer::toString)
          .collect(Collectors.joining(","));
    }
    if (value instanceof Vector) {
      return Arrays.stream(((Vector) value).toArray())
          .mapToObj(Double::toString)
          .collect(Collectors.joining(","));
    }
    return value.toString();
  }
}
