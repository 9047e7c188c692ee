// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.Params;

/** Copies Params from a stage to a stage of another class. */
final class ParamCopy {
  private ParamCopy() {}

  /**
   * Copies the Params that both stages have: what is set, and the defaults. A value that the
   * other class refuses is left out.
   */
  static <T extends Params> T copy(Params from, T to) {
    for (Param<?> param : from.params()) copyOne(from, param, to);
    return to;
  }

  private static <V> void copyOne(Params from, Param<V> param, Params to) {
    Param<V> copied = find(to, param);
    if (copied == null) return;
    if (from.hasDefault(param)) to.setDefault(copied, from.getDefault(param).get());
    if (from.isSet(param) && accepts(copied, from.getOrDefault(param))) {
      to.set(copied, from.getOrDefault(param));
    }
  }

  /** Refuses an estimator that has a Param, or a value of it, which the other class lacks. */
  static void requireAll(Params from, Params to) {
    for (Param<?> param : from.params()) requireOne(from, param, to);
  }

  private static <V> void requireOne(Params from, Param<V> param, Params to) {
    if (!from.isSet(param) || "".equals(from.getOrDefault(param))) return;
    Param<V> copied = find(to, param);
    if (copied != null && accepts(copied, from.getOrDefault(param))) return;
    String value = copied == null ? "" : " " + from.getOrDefault(param);
    throw new IllegalArgumentException("Spark's " + to.getClass().getSimpleName() + " has no "
        + param.name() + value + "; call clear(" + param.name() + "()), or keep this class");
  }

  @SuppressWarnings("unchecked") // the classes have the types of Spark's documentation
  private static <V> Param<V> find(Params stage, Param<V> param) {
    if (!stage.hasParam(param.name())) return null;
    return (Param<V>) (Param<?>) stage.getParam(param.name());
  }

  private static <V> boolean accepts(Param<V> param, V value) {
    return Boolean.TRUE.equals(param.isValid().apply(value));
  }
}
