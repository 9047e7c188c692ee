// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/steps/penalty.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../cuda/steps/vector_sums.hpp"
#include "../../../mlp/objective/penalized_objective.hpp"
#include "../device_numbers.hpp"
#include "../shuffled_orders.hpp"

namespace mlp::cuda {

namespace {

using testing::drawn_numbers;
using testing::uploaded;

constexpr Index kSize = 3000;

// Some roundings of an element; sums of squares in other orders.
template <typename Number>
constexpr double kRounding = 8.0 * std::numeric_limits<Number>::epsilon();

/// Weights 0 .. 9 and the last ones do not change; 10 .. 1999 decay.
const std::vector<optim::UpdateRange> kRanges = {
    {10, 1000, true}, {1010, 990, true}, {2000, 900, false}};

std::vector<WeightKind> kinds() {
  std::vector<WeightKind> kinds(kSize, WeightKind::kFixed);
  for (const optim::UpdateRange& range : kRanges) {
    for (Index i = range.first; i < range.first + range.size; ++i) {
      kinds[static_cast<std::size_t>(i)] =
          range.decays ? WeightKind::kDecays : WeightKind::kMoves;
    }
  }
  return kinds;
}

/// A gradient, behind it the objective.
template <typename Number>
std::vector<Number> on_the_device(const PenaltyTerms& terms,
                                  const std::vector<Number>& weights,
                                  const std::vector<Number>& gradient,
                                  double objective) {
  const Stream stream;
  const DeviceArray<WeightKind> kind = uploaded(kinds(), stream);
  const DeviceArray<Number> w = uploaded(weights, stream);
  DeviceArray<Number> g = uploaded(gradient, stream);
  DeviceArray<double> value = uploaded(std::vector<double>{objective}, stream);
  DeviceArray<double> partials(2 * num_partials(kSize));
  add_penalty(terms, std::span<const WeightKind>(kind.data(), kSize), w.data(),
              mlp::cuda::PenaltyTarget<Number>{value.data(), g.data()},
              partials.data(), stream.get());
  std::vector<Number> result = g.download(stream);
  result.push_back(static_cast<Number>(value.download(stream)[0]));
  return result;
}

template <typename Number>
std::vector<Number> on_the_host(const PenaltyTerms& terms,
                                const std::vector<Number>& weights,
                                const std::vector<Number>& gradient,
                                double objective) {
  using Flat = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  const Flat w = Eigen::Map<const Flat>(weights.data(), kSize);
  Flat g = Flat::Zero(kSize);
  for (const optim::UpdateRange& range : kRanges) {
    g.segment(range.first, range.size) =
        Eigen::Map<const Flat>(gradient.data(), kSize)
            .segment(range.first, range.size);
  }
  const Penalty penalty = {kRanges, terms.reg_param, terms.clip_value,
                           terms.clip_norm};
  const double value = objective + apply_penalty(penalty, w, g);
  std::vector<Number> result(g.begin(), g.end());
  result.push_back(static_cast<Number>(value));
  return result;
}

TEST_SUITE("cuda/steps/penalty") {
  TEST_CASE_TEMPLATE("agrees with the host for all terms", Number, double,
                     float) {
    const auto weights = drawn_numbers<Number>(kSize, 1);
    const auto gradient = drawn_numbers<Number>(kSize, 2);
    for (const PenaltyTerms& terms :
         {PenaltyTerms{}, PenaltyTerms{0.5, 0, 0}, PenaltyTerms{0, 0.25, 0},
          PenaltyTerms{0, 0, 2.0}, PenaltyTerms{0, 0, 1e6},
          PenaltyTerms{0.1, 0.5, 3.0}}) {
      CAPTURE(terms.reg_param);
      CAPTURE(terms.clip_norm);

      const auto result = on_the_device(terms, weights, gradient, 0.75);

      const auto expected = on_the_host(terms, weights, gradient, 0.75);
      double worst = 0.0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double bound = std::abs(static_cast<double>(expected[i])) + 1.0;
        worst = testing::larger_difference(
            worst, std::abs(result[i] - expected[i]) / bound);
      }
      CHECK(worst < kRounding<Number>);
      CHECK(result[0] == 0);
      CHECK(result[kSize - 1] == 0);
    }
  }

  TEST_CASE("keeps elements that are not numbers, and then does not scale") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> gradient(kSize, 8.0);
    gradient[20] = nan;
    gradient[5] = nan;
    const std::vector<double> weights(kSize, 1.0);

    const std::vector<double> result =
        on_the_device({0.0, 4.0, 1.0}, weights, gradient, 0.0);

    CHECK(std::isnan(result[20]));
    CHECK(result[21] == 4.0);
    CHECK(result[5] == 0.0);
  }

  TEST_CASE("gives the same bits in any order") {
    const auto weights = drawn_numbers<double>(kSize, 3);
    const auto gradient = drawn_numbers<double>(kSize, 4);

    CHECK(testing::is_same_in_shuffled_orders([&] {
      return on_the_device({0.1, 0.5, 3.0}, weights, gradient, 0.5);
    }));
  }
}

}  // namespace

}  // namespace mlp::cuda
