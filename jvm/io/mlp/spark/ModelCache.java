// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.TaskContext;

/**
 * The models that this JVM used last, so that tasks and rows load each only once.
 *
 * <p>A key begins with its kind: a text is known by its digest, a file by its path and its
 * version. A task keeps the model of a file that it found first, so that a path costs a
 * row nothing; the next task sees a file that was replaced.
 */
final class ModelCache {
  private static final int MAX_MODELS = 8;

  private static final Map<List<String>, NativeModel> MODELS = bounded();

  private static final ThreadLocal<TaskRows> ROWS = ThreadLocal.withInitial(TaskRows::new);

  private ModelCache() {}

  /**
   * Returns the model of a text.
   *
   * @param digest of the text
   * @param name of the model in errors
   * @param text is called if the model is not there yet
   */
  static NativeModel ofText(String digest, String name, Supplier<byte[]> text) {
    List<String> key = Arrays.asList("text", digest);
    synchronized (MODELS) {
      NativeModel model = MODELS.get(key);
      return model != null ? model : load(key, name, text.get());
    }
  }

  /** Returns the model of a file, on a file system of Hadoop that needs no configuration. */
  static NativeModel ofFile(String path) {
    Configuration configuration = new Configuration();
    // The text is as old as this version or newer, so a later version is never missed.
    List<String> key = Arrays.asList("file", path, ModelFile.version(path, configuration));
    synchronized (MODELS) {
      NativeModel model = MODELS.get(key);
      return model != null ? model : load(key, path, ModelFile.read(path, configuration));
    }
  }

  /** Returns memory for a row of the model of a file, which the present task keeps. */
  static ScoredRows rowOf(String path) {
    TaskContext context = TaskContext.get();
    if (context == null) return new ScoredRows(ofFile(path), 1);
    TaskRows known = ROWS.get();
    if (known.task != context.taskAttemptId()) known.rows.clear();
    known.task = context.taskAttemptId();
    return known.rows.computeIfAbsent(path, file -> new ScoredRows(ofFile(file), 1));
  }

  private static NativeModel load(List<String> key, String name, byte[] text) {
    try {
      NativeModel model = new NativeModel(text);
      MODELS.put(key, model);
      return model;
    } catch (IllegalArgumentException error) {
      throw new IllegalArgumentException(name + ": " + error.getMessage(), error);
    }
  }

  /** Makes a map that forgets what was used least recently. */
  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<K, V>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MAX_MODELS;
      }
    };
  }

  /** A row of each file that a thread has found in its present task. */
  private static final class TaskRows {
    private final Map<String, ScoredRows> rows = bounded();
    private long task = -1;
  }
}
