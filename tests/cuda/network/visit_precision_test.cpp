// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/visit_precision.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace {

using mlp::Precision;

/// The bytes of a number and of a factor.
std::pair<std::size_t, std::size_t> sizes_of(Precision precision) {
  return mlp::cuda::visit_precision(precision, [](auto types) {
    using Types = decltype(types);
    return std::pair(sizeof(typename Types::Number),
                     sizeof(typename Types::Input));
  });
}

TEST_SUITE("cuda/network/visit_precision") {
  TEST_CASE("names the types of numbers and factors") {
    using Sizes = std::pair<std::size_t, std::size_t>;

    CHECK(sizes_of(Precision::kFloat64) == Sizes(8, 8));
    CHECK(sizes_of(Precision::kFloat32) == Sizes(4, 4));
    CHECK(sizes_of(Precision::kTensorFloat32) == Sizes(4, 4));
    CHECK(sizes_of(Precision::kBfloat16) == Sizes(4, 2));
  }
}

}  // namespace
