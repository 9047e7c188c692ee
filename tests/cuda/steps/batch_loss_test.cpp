// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/batch_loss.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../device_numbers.hpp"

namespace mlp::cuda {

namespace {

using testing::uploaded;

/// The gradient (1, 2, 3) of a mini-batch of 6 with loss 10, divided by a
/// weight; then the loss.
template <typename Number>
std::vector<Number> divided_by(double weight) {
  const Stream stream;
  const DeviceArray<double> size = uploaded(std::vector<double>{6}, stream);
  DeviceArray<BatchSums> sums =
      uploaded(std::vector<BatchSums>{{10, weight, 0}}, stream);
  DeviceArray<Number> gradient = uploaded(std::vector<Number>{1, 2, 3}, stream);
  divide_by_weight(size.data(), sums.data(), 3, gradient.data(), stream.get());
  std::vector<Number> result = gradient.download(stream);
  result.push_back(static_cast<Number>(sums.download(stream)[0].loss));
  return result;
}

TEST_SUITE("cuda/steps/batch_loss") {
  TEST_CASE_TEMPLATE("divides by the weight instead of the size", Number,
                     double, float) {
    CHECK(divided_by<Number>(3) == std::vector<Number>{2, 4, 6, 20});
    CHECK(divided_by<Number>(6) == std::vector<Number>{1, 2, 3, 10});
    CHECK(divided_by<Number>(0) == std::vector<Number>{0, 0, 0, 0});
  }

  TEST_CASE("adds the loss of each mini-batch by its size") {
    const Stream stream;
    const DeviceArray<double> size = uploaded(std::vector<double>{4}, stream);
    const DeviceArray<double> loss = uploaded(std::vector<double>{0.5}, stream);
    DeviceArray<double> sum = uploaded(std::vector<double>{10}, stream);

    for (int i = 0; i < 3; ++i) {
      add_to_epoch(size.data(), loss.data(), sum.data(), stream.get());
    }

    CHECK(sum.download(stream) == std::vector<double>{16});
  }
}

}  // namespace

}  // namespace mlp::cuda
