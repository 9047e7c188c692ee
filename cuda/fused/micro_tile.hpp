// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mlp::cuda {

/// The part of a product on chip that one thread computes in its registers:
/// kRows x kColumns elements of a matrix [rows x columns].
///
/// Its rows are row, row + tile_rows, row + 2 tile_rows, .., so that neighbouring
/// threads have neighbouring rows; columns likewise.
struct MicroTile {
  static constexpr int kRows = 4;
  static constexpr int kColumns = 4;

  /// What a step along the inner size reads from shared memory for each of its
  /// multiply-adds.
  static constexpr double kNumbersPerMultiplyAdd =
      static_cast<double>(kRows + kColumns) / (kRows * kColumns);

  /// The number of parts of a size that cover it.
  [[nodiscard]] static constexpr int count_parts(int size, int part) {
    return (size + part - 1) / part;
  }

  /// The number of micro tiles that cover a matrix.
  [[nodiscard]] static constexpr int count(int rows, int columns) {
    return count_parts(rows, kRows) * count_parts(columns, kColumns);
  }

  /// The elements of the micro tiles that cover a matrix.
  [[nodiscard]] static constexpr int count_elements(int rows, int columns) {
    return count(rows, columns) * kRows * kColumns;
  }

  /// Returns a micro tile of a matrix.
  ///
  /// \param position  0 .. count(rows, columns) - 1
  constexpr MicroTile(int position, int num_rows, int num_columns)
      : rows(num_rows),
        columns(num_columns),
        tile_rows(count_parts(num_rows, kRows)),
        tile_columns(count_parts(num_columns, kColumns)),
        row(position % tile_rows),
        column(position / tile_rows) {}

  /// Row i of the tile in the matrix; may be behind the last.
  [[nodiscard]] constexpr int row_of(int i) const {
    return row + i * tile_rows;
  }
  [[nodiscard]] constexpr int column_of(int j) const {
    return column + j * tile_columns;
  }

  /// Returns true if element (i, j) of the tile is in the matrix.
  [[nodiscard]] constexpr bool has(int i, int j) const {
    return row_of(i) < rows && column_of(j) < columns;
  }

  int rows;
  int columns;
  int tile_rows;
  int tile_columns;
  int row;
  int column;
};

}  // namespace mlp::cuda
