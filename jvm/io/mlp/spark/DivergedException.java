// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

/**
 * A training whose objective or weights are not finite any more. The message names the
 * iteration and what may help.
 */
public final class DivergedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Makes an exception with the sentence of the library. */
  public DivergedException(String message) {
    super(message);
  }
}
