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
 * version. A task keeps the version of a file that it found first, so that a path costs a
 * row nothing; the next task sees a file that was replaced.
 */
final class ModelCache {
  private static final int MAX_MODELS = 8;

  private static final Map<List<String>, NativeModel> MODELS = bounded(MAX_MODELS);

  private static final ThreadLocal<FileVersions> VERSIONS =
      ThreadLocal.withInitial(FileVersions::new);

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
    FileVersions versions = VERSIONS.get();
    List<String> key = Arrays.asList("file", path, versions.get(path));
    synchronized (MODELS) {
      NativeModel model = MODELS.get(key);
      if (model != null) return model;
      // The text is as old as this version or newer, so a later version is never missed.
      key = Arrays.asList("file", path, versions.renew(path));
      return load(key, path, ModelFile.read(path, new Configuration()));
    }
  }

  private static NativeModel load(List<String> key, String name, byte[] text) {
    try {
      NativeModel model = NativeModel.fromJson(text);
      MODELS.put(key, model);
      return model;
    } catch (IllegalArgumentException error) {
      throw new IllegalArgumentException(name + ": " + error.getMessage(), error);
    }
  }

  /** Makes a map that forgets what was used least recently. */
  private static <K, V> Map<K, V> bounded(int maxEntries) {
    return new LinkedHashMap<K, V>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > maxEntries;
      }
    };
  }

  /** The versions of the files that a thread has found in its present task. */
  private static final class FileVersions {
    private final Map<String, String> versions = bounded(MAX_MODELS);
    private long task = -1;

    String get(String path) {
      TaskContext context = TaskContext.get();
      if (context == null || context.taskAttemptId() != task) versions.clear();
      task = context == null ? -1 : context.taskAttemptId();
      String version = versions.get(path);
      return version != null ? version : renew(path);
    }

    String renew(String path) {
      String version = ModelFile.version(path, new Configuration());
      versions.put(path, version);
      return version;
    }
  }
}
