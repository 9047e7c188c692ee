// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of matrices in the shared memory of a block. For .cu files only.

#include "../runtime/device_code.hpp"
#include "micro_tile.hpp"

namespace mlp::cuda {

/// A matrix in shared memory: element (i, j) is at i row_stride + j column_stride.
template <typename Number>
struct ChipMatrix {
  Number* numbers;
  int row_stride;
  int column_stride;

  __device__ Number& at(int row, int column) const {
    return numbers[row * row_stride + column * column_stride];
  }
};

/// Calls visit(i, j) for those elements of a matrix [rows x columns] that this
/// thread owns: those that multiply_on_chip() computes in it.
template <typename Visit>
__device__ inline void for_own_elements(int rows, int columns,
                                        const Visit& visit) {
  const int num_tiles = MicroTile::count(rows, columns);
  for (int position = static_cast<int>(threadIdx.x); position < num_tiles;
       position += static_cast<int>(blockDim.x)) {
    const MicroTile tile(position, rows, columns);
    for (int row = tile.row; row < rows; row += tile.tile_rows) {
      for (int column = tile.column; column < columns;
           column += tile.tile_columns) {
        visit(row, column);
      }
    }
  }
}

/// How a product is stored.
struct Assign {
  template <typename Number>
  __device__ void operator()(Number& element, Number sum) const {
    element = sum;
  }
};
struct Add {
  template <typename Number>
  __device__ void operator()(Number& element, Number sum) const {
    element += sum;
  }
};
struct Multiply {
  template <typename Number>
  __device__ void operator()(Number& element, Number sum) const {
    element *= sum;
  }
};

/// Computes c = A B, c += A B or c = c .* (A B), element by element. Each element
/// is the sum along the inner size, in its order, and is owned by one thread.
///
/// Rows and columns behind the last are computed from the last and not stored, so
/// that the inner loop has no conditions.
///
/// \param depth  the inner size; 0 gives sums of 0
/// \param c      [rows x columns]; no part of A or B
/// \param store  Assign, Add or Multiply
/// \cost  2 rows columns depth flops; for each multiply-add of a thread
///        MicroTile::kNumbersPerMultiplyAdd numbers of shared memory, without
///        bank conflicts if the strides are 1 or odd
template <typename Number, typename Store>
__device__ inline void multiply_on_chip(int rows, int columns, int depth,
                                        ChipMatrix<const Number> a,
                                        ChipMatrix<const Number> b,
                                        ChipMatrix<Number> c, Store store) {
  constexpr int kRows = MicroTile::kRows;
  constexpr int kColumns = MicroTile::kColumns;
  const int num_tiles = MicroTile::count(rows, columns);
  for (int position = static_cast<int>(threadIdx.x); position < num_tiles;
       position += static_cast<int>(blockDim.x)) {
    const MicroTile tile(position, rows, columns);
    const Number* a_rows[kRows];
    const Number* b_columns[kColumns];
    for (int i = 0; i < kRows; ++i) {
      const int row = tile.row_of(i);
      a_rows[i] = &a.at(row < rows ? row : rows - 1, 0);
    }
    for (int j = 0; j < kColumns; ++j) {
      const int column = tile.column_of(j);
      b_columns[j] = &b.at(0, column < columns ? column : columns - 1);
    }
    Number sums[kRows][kColumns] = {};
    for (int d = 0; d < depth; ++d) {
      Number a_numbers[kRows];
      Number b_numbers[kColumns];
      for (int i = 0; i < kRows; ++i) {
        a_numbers[i] = a_rows[i][d * a.column_stride];
      }
      for (int j = 0; j < kColumns; ++j) {
        b_numbers[j] = b_columns[j][d * b.row_stride];
      }
      for (int i = 0; i < kRows; ++i) {
        for (int j = 0; j < kColumns; ++j) {
          sums[i][j] += a_numbers[i] * b_numbers[j];
        }
      }
    }
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) {
        if (!tile.has(i, j)) continue;
        store(c.at(tile.row_of(i), tile.column_of(j)), sums[i][j]);
      }
    }
  }
}

}  // namespace mlp::cuda
