// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import org.apache.spark.ml.util.Identifiable$;

/**
 * Gives a stage its uid before the constructors of Spark's classes run: they make Params,
 * which ask for it, and no field of a class of Java is set then.
 */
final class Uids {
  private static final ThreadLocal<String> NEXT = new ThreadLocal<>();

  private final String uid;

  private Uids(String uid) {
    this.uid = uid;
  }

  /** Announces the uid of a stage that this thread makes next. */
  static Uids announce(String uid) {
    NEXT.set(uid);
    return new Uids(uid);
  }

  /** Announces a random uid. */
  static Uids random(String prefix) {
    return announce(Identifiable$.MODULE$.randomUID(prefix));
  }

  /** Ends the announcement, and returns the uid. */
  String take() {
    NEXT.remove();
    return uid;
  }

  /**
   * Returns the uid of a stage.
   *
   * @param own of the stage, or null while the constructors of Spark run
   */
  static String of(String own) {
    return own != null ? own : NEXT.get();
  }
}
