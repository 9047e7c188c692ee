// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/finite_kernels.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace mlp::cpu {
namespace {

bool is_finite(const FiniteKernels& kernels, const std::vector<double>& x) {
  return kernels.of_doubles(x.data(), static_cast<Index>(x.size()));
}

bool is_finite(const FiniteKernels& kernels, const std::vector<float>& x) {
  return kernels.of_floats(x.data(), static_cast<Index>(x.size()));
}

/// Puts each number that is not finite at each place of arrays of all sizes
/// around the vectors.
template <typename T>
void check_all_places(const FiniteKernels& kernels) {
  using Limits = std::numeric_limits<T>;
  for (std::size_t size = 0; size <= 80; ++size) {
    std::vector<T> x(size, Limits::max());
    CHECK(is_finite(kernels, x));
    for (std::size_t i = 0; i < size; ++i) {
      for (const T bad :
           {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
        x[i] = bad;
        CHECK_FALSE(is_finite(kernels, x));
      }
      x[i] = i % 2 == 0 ? Limits::lowest() : Limits::denorm_min();
    }
    CHECK(is_finite(kernels, x));
  }
}

}  // namespace

TEST_SUITE("cpu/base/finite_kernels") {
  TEST_CASE("finite kernels find NaN and infinity at every place") {
    REQUIRE_FALSE(usable_finite_kernels().empty());
    for (const FiniteKernels& kernels : usable_finite_kernels()) {
      CAPTURE(kernels.name);
      check_all_places<double>(kernels);
      check_all_places<float>(kernels);
    }
  }
}

}  // namespace mlp::cpu
