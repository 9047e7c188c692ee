// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.nio.DoubleBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A model in native memory, which is released some time after its last use. */
final class NativeModel {
  private static final ReferenceQueue<NativeModel> UNUSED = new ReferenceQueue<>();
  private static final Set<Handle> HANDLES = ConcurrentHashMap.newKeySet();

  final int numFeatures;
  final int numOutputs;
  final boolean isRegressor;
  private final long address;
  private volatile boolean isUsed;

  /** Reads the text of a model file. */
  NativeModel(byte[] utf8) {
    long[] facts = Native.fromJson(utf8);
    address = facts[0];
    numFeatures = (int) facts[1];
    numOutputs = (int) facts[2];
    isRegressor = facts[3] != 0;
    releaseUnused();
    HANDLES.add(new Handle(this, address));
  }

  /** Scores rows, as Native.score() does. */
  void score(DoubleBuffer features, int rows, DoubleBuffer prediction, DoubleBuffer raw,
      DoubleBuffer probability) {
    Native.score(address, features, rows, prediction, raw, probability);
    // A write after the call keeps this object, and so the native model, until then.
    isUsed = true;
  }

  /** Returns the sizes of the layers. */
  int[] layers() {
    int[] layers = Native.layers(address);
    isUsed = true;
    return layers;
  }

  /** Returns the thresholds of the classes, or an empty array. */
  double[] thresholds() {
    double[] thresholds = Native.thresholds(address);
    isUsed = true;
    return thresholds;
  }

  /** Returns the weights of Spark's network, or refuses a model that Spark cannot express. */
  double[] sparkWeights() {
    double[] weights = Native.sparkWeights(address);
    isUsed = true;
    return weights;
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
