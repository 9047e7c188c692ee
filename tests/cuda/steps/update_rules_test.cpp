// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/update_rules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../optim/adam.hpp"
#include "../../../optim/sgd.hpp"
#include "../device_numbers.hpp"
#include "../shuffled_orders.hpp"

namespace mlp::cuda {

namespace {

using testing::drawn_numbers;
using testing::uploaded;

constexpr Index kSize = 700;
constexpr int kSteps = 5;
constexpr double kStepSize = 0.1;

// Weights are about 1; each of the steps rounds a few times.
template <typename Number>
constexpr double kRounding = 32.0 * std::numeric_limits<Number>::epsilon();

const std::vector<optim::UpdateRange> kRanges = {{100, 300, true},
                                                 {400, 200, false}};

std::vector<WeightKind> kinds() {
  std::vector<WeightKind> kinds(kSize, WeightKind::kFixed);
  std::fill(kinds.begin() + 100, kinds.begin() + 400, WeightKind::kDecays);
  std::fill(kinds.begin() + 400, kinds.begin() + 600, WeightKind::kMoves);
  return kinds;
}

template <typename Number>
using Flat = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

template <typename Number>
std::vector<Number> gradient_of(int step) {
  return drawn_numbers<Number>(kSize, 10 + static_cast<std::uint64_t>(step));
}

/// The weights after some steps of a rule of the host.
template <typename Number, typename Rule>
std::vector<Number> on_the_host(Rule rule, std::vector<Number> weights) {
  Eigen::Map<Flat<Number>> w(weights.data(), kSize);
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<Number> gradient = gradient_of<Number>(step);
    const Flat<Number> g =
        Eigen::Map<const Flat<Number>>(gradient.data(), kSize);
    rule.begin_step(kStepSize);
    for (const optim::UpdateRange& range : kRanges) rule.update(range, w, g);
  }
  return weights;
}

/// The weights after some steps on the device.
///
/// \param update  called with the vectors and two vectors of zeros
template <typename Number, typename Update>
std::vector<Number> on_the_device(const std::vector<UpdateFactors>& steps,
                                  const std::vector<Number>& start,
                                  Update&& update) {
  const Stream stream;
  const std::vector<Number> zeros(kSize, Number{0});
  const DeviceArray<WeightKind> kind = uploaded(kinds(), stream);
  const DeviceArray<UpdateFactors> factors = uploaded(steps, stream);
  DeviceArray<Number> weights = uploaded(start, stream);
  DeviceArray<Number> first = uploaded(zeros, stream);
  DeviceArray<Number> second = uploaded(zeros, stream);
  DeviceArray<Number> gradient(kSize);
  for (int step = 0; step < kSteps; ++step) {
    gradient.upload(gradient_of<Number>(step), stream);
    update(UpdateVectors<Number>{kSize, kind.data(), factors.data() + step,
                                 gradient.data(), weights.data()},
           first.data(), second.data(), stream.get());
  }
  return weights.download(stream);
}

template <typename Number>
std::vector<Number> sgd_on_device(const optim::SgdOptions& options,
                                  const std::vector<Number>& start) {
  const std::vector<UpdateFactors> steps(kSteps, UpdateFactors{kStepSize, {}});
  return on_the_device<Number>(
      steps, start,
      [&](const UpdateVectors<Number>& vectors, Number* velocity, Number*,
          cudaStream_t stream) {
        update_by_sgd(options, vectors,
                      options.momentum == 0.0 ? nullptr : velocity, stream);
      });
}

template <typename Number>
std::vector<Number> adam_on_device(const optim::AdamOptions& options,
                                   const std::vector<Number>& start) {
  std::vector<UpdateFactors> steps;
  for (int t = 1; t <= kSteps; ++t) {
    steps.push_back({kStepSize, optim::adam_factors(options, t, kStepSize)});
  }
  return on_the_device<Number>(
      steps, start,
      [&](const UpdateVectors<Number>& vectors, Number* mean,
          Number* mean_square, cudaStream_t stream) {
        update_by_adam(options, vectors, mean, mean_square, stream);
      });
}

TEST_SUITE("cuda/steps/update_rules") {
  TEST_CASE_TEMPLATE("agrees with Sgd of the host", Number, double, float) {
    const auto start = drawn_numbers<Number>(kSize, 1);
    for (const optim::SgdOptions& options :
         {optim::SgdOptions{}, optim::SgdOptions{0.9, false, 0.0},
          optim::SgdOptions{0.5, true, 0.1},
          optim::SgdOptions{0, false, 0.2}}) {
      CAPTURE(options.momentum);

      const auto weights = sgd_on_device<Number>(options, start);

      const auto expected =
          on_the_host(optim::Sgd<Number>(kSize, options), start);
      CHECK(testing::largest_difference(weights, expected) < kRounding<Number>);
      CHECK(weights[0] == start[0]);
      CHECK(weights[kSize - 1] == start[kSize - 1]);
    }
  }

  TEST_CASE_TEMPLATE("agrees with Adam and AdamW of the host", Number, double,
                     float) {
    const auto start = drawn_numbers<Number>(kSize, 2);
    for (const double weight_decay : {0.0, 0.25}) {
      CAPTURE(weight_decay);
      optim::AdamOptions options;
      options.beta2 = 0.99;
      options.weight_decay = weight_decay;

      const auto weights = adam_on_device<Number>(options, start);

      const auto expected =
          on_the_host(optim::Adam<Number>(kSize, options), start);
      CHECK(testing::largest_difference(weights, expected) < kRounding<Number>);
      CHECK(weights[kSize - 1] == start[kSize - 1]);
    }
  }

  TEST_CASE("gives the same bits in any order") {
    const auto start = drawn_numbers<float>(kSize, 3);

    CHECK(testing::is_same_in_shuffled_orders([&] {
      return sgd_on_device<float>({0.9, true, 0.1}, start);
    }));
    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return adam_on_device<float>({}, start); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
