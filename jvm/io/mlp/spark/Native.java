// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The functions of libmlp_jni.so, which is a part of the jar.
 *
 * <p>It is unpacked once per JVM, into a folder that only this user can read. Models are
 * addresses of objects of the C interface. Errors are IllegalArgumentException for bad
 * arguments, data and models, DivergedException, and IllegalStateException otherwise, with
 * the sentence of the library.
 */
final class Native {
  static {
    load();
  }

  private Native() {}

  static native String version();

  /** Reads a model from the text of a model file; free() releases it. */
  static native long fromJson(byte[] utf8);

  static native byte[] toJson(long model);

  static native void free(long model);

  static native int numFeatures(long model);

  static native int numOutputs(long model);

  static native boolean isRegressor(long model);

  /** The warnings of the training that made a model: a code, a colon and a sentence. */
  static native String[] warnings(long model);

  /**
   * Scores rows.
   *
   * @param features [rows x features], row-major
   * @param prediction [rows], or null
   * @param raw [rows x outputs], or null
   * @param probability [rows x outputs], or null
   */
  static native void score(long model, double[] features, int rows, double[] prediction,
      double[] raw, double[] probability);

  /**
   * Trains a model; free() releases it.
   *
   * @param names of hyper-parameters, as Spark names them
   * @param values of the same hyper-parameters
   * @param features [rows x features], row-major
   * @param labels [rows]
   * @param weights [rows], or null
   * @param partitionSizes rows of each partition of Spark, or null
   * @param keepsDiverged returns the model of a training that diverged
   */
  static native long fit(String[] names, String[] values, double[] features, double[] labels,
      double[] weights, long[] partitionSizes, boolean keepsDiverged, int threads);

  private static void load() {
    String resource = "linux-" + architecture() + "/libmlp_jni.so";
    try (InputStream library = Native.class.getResourceAsStream(resource)) {
      if (library == null || !System.getProperty("os.name").equals("Linux")) {
        throw new UnsatisfiedLinkError("the jar of mlp has no library for "
            + System.getProperty("os.name") + " on " + System.getProperty("os.arch")
            + "; build the jar on such a machine");
      }
      Path folder = Files.createTempDirectory("mlp-jni-");
      Path file = folder.resolve("libmlp_jni.so");
      try {
        Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toString());
      } finally {
        // The library stays in memory, and leaves no file behind.
        Files.deleteIfExists(file);
        Files.deleteIfExists(folder);
      }
    } catch (IOException error) {
      throw new UncheckedIOException("cannot unpack libmlp_jni.so into "
              + System.getProperty("java.io.tmpdir")
              + "; set java.io.tmpdir to a folder that can be written",
          error);
    }
  }

  private static String architecture() {
    String name = System.getProperty("os.arch");
    return name.equals("amd64") ? "x86_64" : name;
  }
}
