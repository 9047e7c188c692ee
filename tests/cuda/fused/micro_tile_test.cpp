// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/micro_tile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

using mlp::cuda::MicroTile;

/// How often the micro tiles of a matrix have each of its elements.
std::vector<int> count_owners(int rows, int columns) {
  std::vector<int> owners(static_cast<std::size_t>(rows * columns));
  for (int position = 0; position < MicroTile::count(rows, columns);
       ++position) {
    const MicroTile tile(position, rows, columns);
    for (int i = 0; i < MicroTile::kRows; ++i) {
      for (int j = 0; j < MicroTile::kColumns; ++j) {
        if (!tile.has(i, j)) continue;
        const int element = tile.row_of(i) + tile.column_of(j) * rows;
        ++owners[static_cast<std::size_t>(element)];
      }
    }
  }
  return owners;
}

TEST_SUITE("cuda/fused/micro_tile") {
  TEST_CASE("covers each element of a matrix once, whatever its sizes") {
    for (int rows = 1; rows <= 19; ++rows) {
      for (int columns = 1; columns <= 19; ++columns) {
        const std::vector<int> owners = count_owners(rows, columns);
        CHECK(std::all_of(owners.begin(), owners.end(),
                          [](int count) { return count == 1; }));
      }
    }
  }

  TEST_CASE("counts the tiles of a matrix, those at its edges included") {
    CHECK(MicroTile::count(64, 64) == 256);
    CHECK(MicroTile::count(10, 65) == 3 * 17);
    CHECK(MicroTile::count_elements(10, 65) == 3 * 17 * 16);
    CHECK(MicroTile::count(1, 1) == 1);
  }

  TEST_CASE("gives neighbouring positions neighbouring rows") {
    const MicroTile first(0, 64, 8);
    const MicroTile second(1, 64, 8);

    CHECK(first.row_of(0) == 0);
    CHECK(second.row_of(0) == 1);
    CHECK(first.row_of(1) == 16);
    CHECK(second.column_of(0) == 0);
  }
}

}  // namespace
