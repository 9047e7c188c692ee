// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Calls the native functions: what the C interface refuses is an exception, and no crash. */
final class NativeTest {
  private static final double[] X = {0, 0, 0, 1, 1, 0, 1, 1};
  private static final double[] Y = {0, 1, 1, 0};
  private static final String XOR = "layers\0002,5,2\000seed\000123\000maxIter\00020\000";

  private NativeTest() {}

  public static void main(String[] arguments) {
    byte[] text = fit(XOR, X, Y, null, 4)[0];
    scoresRows(new NativeModel(text));
    refusesBadNumbers();
    refusesBadModels();
    makesModelsOfWeights();
    refusesBadWeights();
    keepsTheLettersOfASentence();
    throwsDivergedException();
    warnsOfATrainingThatStillImproves();
    growsOverManyWindows();
    Native.free(0);
    System.out.println("the native functions refuse what they cannot use");
  }

  private static void scoresRows(NativeModel model) {
    check(model.numFeatures == 2 && model.numOutputs == 2 && !model.isRegressor, "wrong sizes");
    DoubleBuffer x = direct(8);
    x.put(X);
    DoubleBuffer prediction = direct(4);
    DoubleBuffer probability = direct(8);
    model.score(x, 4, prediction, null, probability);
    for (int i = 0; i < 4; ++i) {
      check(probability.get(2 * i) + probability.get(2 * i + 1) - 1 < 1e-12, "no probabilities");
      check(prediction.get(i) == 0 || prediction.get(i) == 1, "no class");
    }
    model.score(x, 0, null, null, null);
    refuses("features must not be NULL", () -> model.score(null, 4, prediction, null, null));
    refuses("features must not be NULL",
        () -> model.score(DoubleBuffer.wrap(X), 4, prediction, null, null));
    refuses("num_rows must be >= 0; got -1", () -> model.score(x, -1, prediction, null, null));
  }

  private static void refusesBadNumbers() {
    for (double bad :
        new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
      refusesWith("features must be finite",
          () -> fit(XOR, new double[] {0, 0, 0, bad, 1, 0, 1, 1}, Y, null, 4));
      refusesWith("label", () -> fit(XOR, X, new double[] {0, 1, bad, 0}, null, 4));
      refusesWith("weight", () -> fit(XOR, X, Y, new double[] {1, 1, bad, 1}, 4));
    }
    refusesWith("weight", () -> fit(XOR, X, Y, new double[4], 4));
    refusesWith("label", () -> fit(XOR, X, new double[] {0, 1, 2, 0}, null, 4));
    refusesWith("partition", () -> fit(XOR, X, Y, null, 1, 2));
    refusesWith("partition", () -> fit(XOR, X, Y, null, -1, 5));
    refusesWith("num_partitions", () -> fit(XOR, X, Y, null));
  }

  private static void refusesBadModels() {
    refusesWith("model:", () -> new NativeModel("{}".getBytes(StandardCharsets.UTF_8)));
    refusesWith("model:", () -> new NativeModel(new byte[] {(byte) 0xff, 0, (byte) 0xed}));
    refusesWith("model:", () -> new NativeModel(new byte[0]));
  }

  private static void makesModelsOfWeights() {
    double[] weights = new double[27];
    for (int i = 0; i < weights.length; ++i) weights[i] = Math.sin(i);

    NativeModel model =
        new NativeModel(Native.fromWeights(bytes(XOR + "thresholds\0000.25,0.75\000"), weights));

    check(Arrays.equals(model.sparkWeights(), weights), "other weights");
    check(Arrays.equals(model.layers(), new int[] {2, 5, 2}), "other layers");
    check(Arrays.equals(model.thresholds(), new double[] {0.25, 0.75}), "other thresholds");
  }

  private static void refusesBadWeights() {
    double[] bad = new double[27];
    bad[26] = Double.NaN;
    refuses("weights must be 27 numbers for layers [2, 5, 2]; got 3",
        () -> Native.fromWeights(bytes(XOR), new double[3]));
    refusesWith("$.weights.data[26]", () -> Native.fromWeights(bytes(XOR), bad));
    refusesWith("layers", () -> Native.fromWeights(new byte[0], bad));
    refuses("no is no hyper-parameter", () -> Native.fromWeights(bytes("no\0001\000"), bad));
    byte[] relu = Native.fromWeights(bytes(XOR + "activation\000relu\000"), new double[27]);
    refusesWith(
        "its hidden layers have the activation relu", () -> new NativeModel(relu).sparkWeights());
  }

  /** Names of users may have letters outside the basic plane, which Java writes otherwise. */
  private static void keepsTheLettersOfASentence() {
    String name = "gr\u00fcn \ud83d\ude00";
    refuses(name + " is no hyper-parameter", () -> fit(name + "\0001\000", X, Y, null, 4));
  }

  private static void throwsDivergedException() {
    String params =
        "layers\0002,5,2\000solver\000sgd\000activation\000relu\000stepSize\0001e200\000"
        + "seed\000123\000";
    expect(DivergedException.class, "must stay finite", () -> fit(params, X, Y, null, 4));
  }

  private static void warnsOfATrainingThatStillImproves() {
    byte[][] texts = fit("layers\0002,5,2\000seed\0001234\000maxIter\00011\000", X, Y, null, 4);
    check(texts.length == 3, "one warning has a code and a sentence");
    check(text(texts[1]).equals("stillImproving") && !text(texts[2]).isEmpty(), text(texts[1]));
  }

  /** Windows that end within a row, and a row that is larger than a window. */
  private static void growsOverManyWindows() {
    int[] widths = {1000, 3, 100000, 1, 8192, 7};
    try (NativeNumbers numbers = new NativeNumbers()) {
      double written = 0;
      for (int i = 0; i < 300; ++i) {
        int width = widths[i % widths.length];
        DoubleBuffer to = numbers.next(width);
        for (int j = 0; j < width; ++j) to.put(written++);
      }
      for (long at = 0; at < (long) written; ++at) {
        double got = Native.bufferAt(numbers.address() + 8 * at, 8)
                         .order(ByteOrder.nativeOrder())
                         .getDouble(0);
        check(got == at, "expected " + at + "; got " + got);
      }
    }
  }

  /** Trains a model of two features; see Native.fit(). */
  private static byte[][] fit(
      String params, double[] features, double[] labels, double[] weights, long... sizes) {
    try (NativeNumbers x = new NativeNumbers(); NativeNumbers y = new NativeNumbers();
         NativeNumbers w = new NativeNumbers()) {
      x.next(features.length).put(features);
      y.next(labels.length).put(labels);
      if (weights != null) w.next(weights.length).put(weights);
      return Native.fit(params.getBytes(StandardCharsets.UTF_8), x.address(), y.address(),
          w.address(), 2, sizes, labels.length, 1);
    }
  }

  private static DoubleBuffer direct(int numbers) {
    return ByteBuffer.allocateDirect(8 * numbers).order(ByteOrder.nativeOrder()).asDoubleBuffer();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static void refuses(String sentence, Runnable call) {
    String got = expect(IllegalArgumentException.class, sentence, call);
    check(got.equals(sentence), "expected exactly: " + sentence + "; got: " + got);
  }

  private static void refusesWith(String part, Runnable call) {
    expect(IllegalArgumentException.class, part, call);
  }

  private static String expect(Class<?> type, String part, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException error) {
      String message = String.valueOf(error.getMessage());
      check(type.isInstance(error) && message.contains(part),
          "expected " + type.getName() + ": " + part + "; got " + error);
      return message;
    }
    throw new AssertionError("expected " + type.getName() + ": " + part + "; got no exception");
  }

  private static void check(boolean condition, String otherwise) {
    if (!condition) throw new AssertionError(otherwise);
  }
}
