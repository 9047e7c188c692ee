// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
package io.mlp.spark;

import java.nio.ByteOrder;
import java.nio.DoubleBuffer;

/** Numbers in native memory that grows, and that may be larger than a buffer of Java. */
final class NativeNumbers implements AutoCloseable {
  private static final int WINDOW = 1 << 13;

  private long address; // of [capacity]
  private long capacity;
  private long start; // of the window
  private DoubleBuffer window = DoubleBuffer.allocate(0);

  /** The address of the numbers, until the next call of next(); 0 without numbers. */
  long address() {
    return address;
  }

  /** Returns a buffer whose next numbers, so many or more, are those behind the last one put. */
  DoubleBuffer next(int numbers) {
    if (window.remaining() >= numbers) return window;
    start += window.position();
    int size = Math.max(WINDOW, numbers);
    if (start + size > capacity) grow(Math.max(start + size, 2 * capacity));
    window = Native.bufferAt(address + Double.BYTES * start, Math.multiplyExact(Double.BYTES, size))
                 .order(ByteOrder.nativeOrder())
                 .asDoubleBuffer();
    return window;
  }

  @Override
  public void close() {
    Native.resize(address, 0);
  }

  private void grow(long numbers) {
    long grown = Native.resize(address, Math.multiplyExact(Double.BYTES, numbers));
    if (grown == 0) {
      throw new IllegalStateException(
          "there is not enough memory for " + numbers + " numbers of the rows");
    }
    address = grown;
    capacity = numbers;
  }
}
