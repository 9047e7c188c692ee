// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "../../../datasets/binary/binary_values.hpp"

namespace mlp::datasets::detail {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kNumPieces = 12;

/// Counts the bytes of some pieces that are as they were.
std::size_t num_kept(const std::string& bytes, std::size_t first_piece) {
  return static_cast<std::size_t>(std::count(
      bytes.begin() + static_cast<std::ptrdiff_t>(first_piece * kPieceBytes),
      bytes.end(), 'x'));
}

}  // namespace

TEST_SUITE("datasets/reading/piece_release") {
  TEST_CASE("keeps what follows a piece that was not read") {
    std::string bytes(kNumPieces * kPieceBytes, 'x');
    PieceRelease release(bytes.data(), kPieceBytes, kNumPieces);

    for (const std::size_t piece : {0u, 1u, 2u, 4u, 5u, 6u, 7u, 8u, 9u}) {
      release.finish(piece);
    }

    CHECK(release.end() <= 3 * kPieceBytes);
    CHECK(num_kept(bytes, 3) == (kNumPieces - 3) * kPieceBytes);
  }

  TEST_CASE("releases what was read in any order") {
    std::string bytes(kNumPieces * kPieceBytes, 'x');
    PieceRelease release(bytes.data(), kPieceBytes, kNumPieces);

    for (std::size_t piece = kNumPieces - 1; piece-- > 0;) {
      release.finish(piece);
    }

    CHECK(release.end() > (kNumPieces - 4) * kPieceBytes);
    CHECK(release.end() <= (kNumPieces - 1) * kPieceBytes);
    CHECK(num_kept(bytes, kNumPieces - 1) == kPieceBytes);
  }

  TEST_CASE("keeps the end of a last piece that is short") {
    std::string bytes(4 * kPieceBytes + 1, 'x');
    PieceRelease release(bytes.data(), kPieceBytes, 5);

    for (std::size_t piece = 0; piece < 5; ++piece) release.finish(piece);

    CHECK(release.end() <= 4 * kPieceBytes);
    CHECK(bytes.back() == 'x');
  }
}

}  // namespace mlp::datasets::detail
