// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The models that this JVM used last, so that tasks and rows load each only once. */
final class ModelCache {
  private static final int MAX_MODELS = 8;

  private static final Map<String, NativeModel> MODELS =
      new LinkedHashMap<String, NativeModel>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NativeModel> eldest) {
          return size() > MAX_MODELS;
        }
      };

  private ModelCache() {}

  /**
   * Returns a model.
   *
   * @param key identifies the text of the model
   * @param name of the model in errors, such as its path
   * @param text is called if the model is not there yet
   */
  static synchronized NativeModel get(String key, String name, Supplier<byte[]> text) {
    NativeModel model = MODELS.get(key);
    if (model != null) return model;
    byte[] json = text.get();
    try {
      model = NativeModel.fromJson(json);
    } catch (IllegalArgumentException error) {
      throw new IllegalArgumentException(name + ": " + error.getMessage(), error);
    }
    MODELS.put(key, model);
    return model;
  }
}
