// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/limits.hpp"

#include <doctest/doctest.h>

#include <cstdint>

namespace mlp::datasets {

TEST_SUITE("datasets/reading/limits") {
  TEST_CASE("multiplies what 64 bits hold and nothing more") {
    const std::uint64_t half = std::uint64_t{1} << 32;

    CHECK(checked_product(half, half - 1) == half * (half - 1));
    CHECK_FALSE(checked_product(half, half).has_value());
    CHECK(checked_product(UINT64_MAX, 1) == UINT64_MAX);
    CHECK_FALSE(checked_product(UINT64_MAX, 2).has_value());
    CHECK(checked_product(UINT64_MAX, 0) == 0u);
  }

  TEST_CASE("accepts the widest instance and the largest matrix") {
    CHECK_NOTHROW(check_matrix_size("f", std::uint64_t{1} << 20, 1));
    CHECK_NOTHROW(
        check_matrix_size("f", std::uint64_t{1} << 20, std::uint64_t{1} << 17));
  }

  TEST_CASE("limits the contents of a compressed file by its size") {
    CHECK(datasets::max_inflated_bytes(0) == 67108864);
    CHECK(datasets::max_inflated_bytes(10000000) == 2627108864);
  }

  TEST_CASE("refuses one feature too many") {
    CHECK_THROWS_WITH_AS(
        check_matrix_size("f", (std::uint64_t{1} << 20) + 1, 1),
        "f: too many features; expected at most 1048576, got 1048577",
        DataError);
  }

  TEST_CASE("refuses a matrix beyond the limit of bytes") {
    CHECK_THROWS_WITH_AS(
        check_matrix_size("f", 1024, std::uint64_t{1} << 40),
        "f: too many values; expected at most 1099511627776 bytes of them, got "
        "1099511627776 instances of 1024 features",
        DataError);
  }

  TEST_CASE("refuses a matrix that no machine has memory for") {
    CHECK_NOTHROW(check_matrix_memory("f", 1000, 1000));
    CHECK_THROWS_AS(check_matrix_memory("f", 1 << 20, std::int64_t{1} << 40),
                    ResourceError);
  }

  TEST_CASE("refuses sizes whose product overflows 64 bits") {
    CHECK_THROWS_AS(check_matrix_size("f", 1 << 20, UINT64_MAX), DataError);
  }
}

}  // namespace mlp::datasets
