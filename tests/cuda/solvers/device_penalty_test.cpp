// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/device_penalty.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../device_numbers.hpp"

namespace mlp::cuda {

namespace {

using Numbers = std::vector<double>;
using testing::uploaded;

/// The gradient (1, 2, 3, 4) at the weights (10, 20, 30, 40), then the value 5.
Numbers penalised(const Penalty& terms) {
  const Stream stream;
  DevicePenalty penalty(terms, 4, stream);
  const DeviceArray<double> weights = uploaded(Numbers{10, 20, 30, 40}, stream);
  DeviceArray<double> gradient = uploaded(Numbers{1, 2, 3, 4}, stream);
  DeviceArray<double> value = uploaded(Numbers{5}, stream);
  penalty.add(weights.data(), gradient.data(), value.data());
  Numbers result = gradient.download(stream);
  result.push_back(value.download(stream)[0]);
  return result;
}

TEST_SUITE("cuda/solvers/device_penalty") {
  TEST_CASE("changes nothing without terms and frozen weights") {
    CHECK(penalised({{{0, 2, true}, {2, 2, false}}}) == Numbers{1, 2, 3, 4, 5});
  }

  TEST_CASE("clears the elements of frozen weights") {
    CHECK(penalised({{{1, 2, true}}}) == Numbers{0, 2, 3, 0, 5});
  }

  // 5 + 0.5 / 2 * (10^2 + 20^2)
  TEST_CASE("penalises the weights that decay") {
    CHECK(penalised({{{0, 2, true}, {2, 2, false}}, 0.5}) ==
          Numbers{6, 12, 3, 4, 130});
  }

  TEST_CASE("lists the kind of each weight") {
    const std::vector<optim::UpdateRange> ranges = {{1, 1, true},
                                                    {3, 2, false}};

    CHECK(weight_kinds(ranges, 6) ==
          std::vector<WeightKind>{WeightKind::kFixed, WeightKind::kDecays,
                                  WeightKind::kFixed, WeightKind::kMoves,
                                  WeightKind::kMoves, WeightKind::kFixed});
  }
}

}  // namespace

}  // namespace mlp::cuda
