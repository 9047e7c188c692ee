// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A model in native memory, which is released some time after its last use. */
final class NativeModel {
  private static final ReferenceQueue<NativeModel> UNUSED = new ReferenceQueue<>();
  private static final Set<Handle> HANDLES = ConcurrentHashMap.newKeySet();

  private final long address;
  private volatile boolean isUsed;

  /** Takes over a model of Native. */
  NativeModel(long address) {
    this.address = address;
    releaseUnused();
    HANDLES.add(new Handle(this, address));
  }

  static NativeModel fromJson(byte[] utf8) {
    return new NativeModel(Native.fromJson(utf8));
  }

  byte[] toJson() {
    byte[] text = Native.toJson(address);
    isUsed = true;
    return text;
  }

  int numFeatures() {
    int number = Native.numFeatures(address);
    isUsed = true;
    return number;
  }

  int numOutputs() {
    int number = Native.numOutputs(address);
    isUsed = true;
    return number;
  }

  boolean isRegressor() {
    boolean result = Native.isRegressor(address);
    isUsed = true;
    return result;
  }

  /** Returns the warnings of the training that made this model. */
  String[] warnings() {
    String[] texts = Native.warnings(address);
    isUsed = true;
    return texts;
  }

  /** Scores rows, as Native.score() does. */
  void score(double[] features, int rows, double[] prediction, double[] raw, double[] probability) {
    Native.score(address, features, rows, prediction, raw, probability);
    // A write after the call keeps this object, and so the native model, until then.
    isUsed = true;
  }

  private static void releaseUnused() {
    for (Object unused = UNUSED.poll(); unused != null; unused = UNUSED.poll()) {
      Handle handle = (Handle) unused;
      HANDLES.remove(handle);
      Native.free(handle.address);
    }
  }

  private static final class Handle extends PhantomReference<NativeModel> {
    private final long address;

    Handle(NativeModel model, long address) {
      super(model, UNUSED);
      this.address = address;
    }
  }
}
