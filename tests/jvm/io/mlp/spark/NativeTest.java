// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Calls the native functions with what they must refuse: an exception, and no crash. */
final class NativeTest {
  private static final double[] X = {0, 0, 0, 1, 1, 0, 1, 1};
  private static final double[] Y = {0, 1, 1, 0};
  private static final String[] NAMES = {"layers", "seed", "maxIter"};
  private static final String[] VALUES = {"2,5,2", "123", "20"};

  private NativeTest() {}

  public static void main(String[] arguments) {
    long model = Native.fit(NAMES, VALUES, X, Y, null, null, false, 1);
    refusesNull();
    refusesSizesThatDiffer();
    refusesBadNumbers();
    refusesBadScores(model);
    refusesModelsThatAreClosed();
    keepsTheLettersOfASentence();
    throwsDivergedException();
    warnsOfATrainingThatStillImproves();
    Native.free(model);
    Native.free(0);
    System.out.println("the native functions refuse what they cannot use");
  }

  private static void refusesNull() {
    refuses("the hyper-parameters must not be null", () -> fit(null, VALUES, X, Y, null, null));
    refuses("the hyper-parameters must not be null", () -> fit(NAMES, null, X, Y, null, null));
    refuses("a hyper-parameter is null",
        () -> fit(new String[] {"layers"}, new String[1], X, Y, null, null));
    refuses("the features and the labels must not be null",
        () -> fit(NAMES, VALUES, null, Y, null, null));
    refuses("the features and the labels must not be null",
        () -> fit(NAMES, VALUES, X, null, null, null));
    refuses("a hyper-parameter has a null character",
        () -> fit(new String[] {"seed"}, new String[] {"1\0002"}, X, Y, null, null));
    refuses("the text of the model is null", () -> Native.fromJson(null));
  }

  private static void refusesSizesThatDiffer() {
    refuses("every row must have as many features",
        () -> fit(NAMES, VALUES, new double[7], Y, null, null));
    refuses("there must be a weight for each of the 4 rows; got 3",
        () -> fit(NAMES, VALUES, X, Y, new double[3], null));
    refuses("there must be a weight for each of the 4 rows; got 0",
        () -> fit(NAMES, VALUES, X, Y, new double[0], null));
    refuses("num_features must be >= 1; got 0",
        () -> fit(NAMES, VALUES, new double[0], new double[0], null, null));
    refusesWith("partition", () -> fit(NAMES, VALUES, X, Y, null, new long[] {1, 2}));
    refusesWith("partition", () -> fit(NAMES, VALUES, X, Y, null, new long[] {-1, 5}));
    expect(ArrayIndexOutOfBoundsException.class, "1",
        () -> fit(NAMES, new String[] {"2,5,2"}, X, Y, null, null));
    refuses("num_threads must be from 1 to 1024; got 0",
        () -> Native.fit(NAMES, VALUES, X, Y, null, null, false, 0));
  }

  private static void refusesBadNumbers() {
    for (double bad :
        new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
      refusesWith("features must be finite",
          () -> fit(NAMES, VALUES, new double[] {0, 0, 0, bad, 1, 0, 1, 1}, Y, null, null));
      refusesWith("label", () -> fit(NAMES, VALUES, X, new double[] {0, 1, bad, 0}, null, null));
      refusesWith("weight", () -> fit(NAMES, VALUES, X, Y, new double[] {1, 1, bad, 1}, null));
    }
    refusesWith("weight", () -> fit(NAMES, VALUES, X, Y, new double[] {1, -1, 1, 1}, null));
    refusesWith("weight", () -> fit(NAMES, VALUES, X, Y, new double[4], null));
    refusesWith("label", () -> fit(NAMES, VALUES, X, new double[] {0, 1, 2, 0}, null, null));
  }

  private static void refusesBadScores(long model) {
    refuses("there are no features", () -> Native.score(model, null, 4, new double[4], null, null));
    refuses("there are no features", () -> Native.score(model, X, -1, new double[4], null, null));
    refuses("features must have 10 numbers; got 8",
        () -> Native.score(model, X, 5, new double[5], null, null));
    refuses("features must have 4294967294 numbers; got 8",
        () -> Native.score(model, X, Integer.MAX_VALUE, null, null, null));
    refuses("predictions must have 4 numbers; got 3",
        () -> Native.score(model, X, 4, new double[3], null, null));
    refuses("raw predictions must have 8 numbers; got 4",
        () -> Native.score(model, X, 4, null, new double[4], null));
    refuses("probabilities must have 8 numbers; got 9",
        () -> Native.score(model, X, 4, null, null, new double[9]));
    Native.score(model, X, 4, null, null, null);
    Native.score(model, new double[0], 0, new double[0], null, null);
  }

  private static void refusesModelsThatAreClosed() {
    String sentence = "the model is closed; load it again";
    refuses(sentence, () -> Native.toJson(0));
    refuses(sentence, () -> Native.numFeatures(0));
    refuses(sentence, () -> Native.numOutputs(0));
    refuses(sentence, () -> Native.isRegressor(0));
    refuses(sentence, () -> Native.warnings(0));
    refuses(sentence, () -> Native.score(0, X, 4, new double[4], null, null));
    refusesWith("model:", () -> Native.fromJson("{}".getBytes(StandardCharsets.UTF_8)));
    refusesWith("model:", () -> Native.fromJson(new byte[] {(byte) 0xff, 0, (byte) 0xed}));
  }

  /** Names of users may have letters outside the basic plane, which Java writes otherwise. */
  private static void keepsTheLettersOfASentence() {
    String name = "gr\u00fcn \ud83d\ude00";
    refuses(name + " is no hyper-parameter",
        () -> fit(new String[] {name}, new String[] {"1"}, X, Y, null, null));
  }

  private static void throwsDivergedException() {
    String[] names = {"layers", "solver", "activation", "stepSize", "seed"};
    String[] values = {"2,5,2", "sgd", "relu", "1e200", "123"};

    expect(DivergedException.class, "must stay finite", () -> fit(names, values, X, Y, null, null));
    long model = Native.fit(names, values, X, Y, null, null, true, 1);
    Native.free(model);
  }

  private static void warnsOfATrainingThatStillImproves() {
    String[] values = {"2,5,2", "1234", "11"};
    long model = Native.fit(NAMES, values, X, Y, null, null, false, 1);
    String[] warnings = Native.warnings(model);
    Native.free(model);
    check(Arrays.stream(warnings).anyMatch(text -> text.startsWith("stillImproving: ")),
        "no warning of a training that still improves: " + Arrays.toString(warnings));
  }

  private static void fit(String[] names, String[] values, double[] features, double[] labels,
      double[] weights, long[] sizes) {
    Native.free(Native.fit(names, values, features, labels, weights, sizes, false, 1));
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
