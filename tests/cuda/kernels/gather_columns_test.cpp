// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/gather_columns.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

constexpr Index kNumColumns = 50;

/// Draws columns, some of them several times.
std::vector<Index> drawn_positions(Index size) {
  std::vector<Index> positions;
  for (Index i = 0; i < size; ++i) positions.push_back(i * 7 % kNumColumns);
  return positions;
}

/// Draws integers that all types have.
template <typename T>
std::vector<T> drawn_integers(Index size) {
  std::vector<T> numbers;
  for (Index i = 0; i < size; ++i) {
    numbers.push_back(number_cast<T>(static_cast<float>(i * 31 % 127)));
  }
  return numbers;
}

template <typename From, typename To>
std::vector<double> gathered(Index rows, Index size, double scale) {
  const Stream stream;
  const DeviceArray<From> from =
      uploaded(drawn_integers<From>(rows * kNumColumns), stream);
  const DeviceArray<Index> positions = uploaded(drawn_positions(size), stream);
  DeviceArray<To> to(rows * size);
  gather_columns(rows,
                 std::span(positions.data(), static_cast<std::size_t>(size)),
                 from.data(), scale, to.data(), stream.get());
  return downloaded(to, stream);
}

template <typename From, typename To>
void check_gather(Index rows, Index size, double scale) {
  CAPTURE(rows);
  CAPTURE(size);
  const auto from = converted<double>(drawn_integers<From>(rows * kNumColumns));
  std::vector<double> expected;
  for (const Index position : drawn_positions(size)) {
    for (Index i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i + position * rows);
      expected.push_back(from[at] * scale);
    }
  }
  CHECK(gathered<From, To>(rows, size, scale) ==
        converted<double>(converted<To>(expected)));
}

template <typename From, typename To>
void check_gather(double scale) {
  for (const auto& [rows, size] : testing::kShapes) {
    check_gather<From, To>(rows, size, scale);
  }
}

TEST_SUITE("cuda/kernels/gather_columns") {
  TEST_CASE("copies columns of all types") {
    check_gather<double, double>(1.0);
    check_gather<float, float>(1.0);
    check_gather<BFloat16, BFloat16>(1.0);
    check_gather<std::int32_t, std::int32_t>(1.0);
  }

  TEST_CASE("scales numbers of 8 bits") {
    check_gather<std::uint8_t, double>(1.0 / 255.0);
    check_gather<std::uint8_t, float>(1.0 / 255.0);
    check_gather<std::uint8_t, BFloat16>(1.0 / 255.0);
  }

  TEST_CASE("strides over more elements than the grid has threads") {
    for (const Index rows : {1, 11, 44, 700}) {
      const Index size = 4000 / rows + 1;
      const auto gather = [&] {
        return gathered<float, float>(rows, size, 1.0);
      };

      CHECK(with_two_blocks(gather) == gather());
    }
  }

  TEST_CASE("gives the same bits in any order") {
    CHECK(testing::is_same_in_shuffled_orders(
        [] { return gathered<std::uint8_t, double>(12, 100, 0.1); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
