// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.charset.StandardCharsets;
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
  // Statuses of the C interface; that for data lies between the first two.
  private static final int PARAM_ERROR = 2;
  private static final int MODEL_ERROR = 4;
  private static final int DIVERGED = 5;

  static {
    load();
  }

  private Native() {}

  /**
   * Reads a model from the text of a model file; free() releases it.
   *
   * @return the model, its numbers of features and of outputs, and 1 for a regressor
   */
  static native long[] fromJson(byte[] utf8);

  /** Returns the sizes of the layers of a model. */
  static native int[] layers(long model);

  /** Returns the thresholds of a model   [outputs], or an empty array. */
  static native double[] thresholds(long model);

  /**
   * Returns the weights of Spark's MultilayerPerceptronClassificationModel, with the scaler of
   * the model in them.
   */
  static native double[] sparkWeights(long model);

  /**
   * Returns the text of a model of weights in Spark's order.
   *
   * @param params as fit() takes them, with the layers
   */
  static native byte[] fromWeights(byte[] params, double[] weights);

  static native void free(long model);

  /**
   * Scores rows. All numbers are in direct buffers, in the order of bytes of this machine.
   *
   * @param features [rows x features], row-major
   * @param prediction [rows], or null
   * @param raw [rows x outputs], or null
   * @param probability [rows x outputs], or null
   */
  static native void score(long model, DoubleBuffer features, int rows, DoubleBuffer prediction,
      DoubleBuffer raw, DoubleBuffer probability);

  /**
   * Resizes memory at an address; the address 0 allocates it, and 0 bytes release it.
   *
   * @return the new address, or 0 if there is not enough memory
   */
  static native long resize(long address, long bytes);

  /** Returns a buffer over memory, which it does not release. */
  static native ByteBuffer bufferAt(long address, int bytes);

  /**
   * Trains a model. Numbers are in memory of resize().
   *
   * @param params name and value of each hyper-parameter, each with a null character behind it
   * @param features address of [rows x numFeatures], row-major
   * @param labels address of [rows]
   * @param weights address of [rows], or 0
   * @param partitionSizes rows of each partition of Spark
   * @return the text of the model, then the code and the sentence of each warning
   */
  static native byte[][] fit(byte[] params, long features, long labels, long weights,
      int numFeatures, long[] partitionSizes, long rows, int threads);

  /** Throws the exception for a status of the C interface; the native functions call it. */
  private static void raise(int status, byte[] sentence) {
    String text = new String(sentence, StandardCharsets.UTF_8);
    if (status == DIVERGED) throw new DivergedException(text);
    if (status >= PARAM_ERROR && status <= MODEL_ERROR) throw new IllegalArgumentException(text);
    throw new IllegalStateException(text);
  }

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
