// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/batch_norm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "../../../mlp/network/batch_norm.hpp"
#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

using Numbers = std::vector<double>;

// Of means over up to 3000 instances; the differences from the mean lose digits.
template <typename Number>
constexpr double kRounding = std::is_same_v<Number, double> ? 1e-12 : 1e-5;

constexpr double kMixedRounding = 0.01;  // of a delta that becomes a BFloat16

struct Layer {
  Index units = 0;
  Index size = 0;
  bool is_frozen = false;
};

/// Instances of at least two.
const std::vector<std::pair<Index, Index>> kShapes = {
    {1, 2}, {1, 700}, {3, 2}, {31, 17}, {32, 16}, {33, 40}, {70, 3}, {5, 3000}};

struct Output {
  Numbers z;
  Numbers normalised;
  Numbers deviation;
  Numbers mean;
  Numbers variance;

  bool operator==(const Output&) const = default;
};

template <typename Number>
struct Inputs {
  explicit Inputs(const Layer& layer)
      : z(drawn_numbers<Number>(layer.units * layer.size, 31, 3.0)),
        biases(drawn_numbers<Number>(layer.units, 32)),
        scales(drawn_numbers<Number>(layer.units, 33, 2.0)),
        shifts(drawn_numbers<Number>(layer.units, 34)),
        mean(drawn_numbers<Number>(layer.units, 35)),
        variance(drawn_numbers<Number>(layer.units, 36)) {
    for (Number& number : variance) number = std::fabs(number) + Number{1};
  }

  std::vector<Number> z;
  std::vector<Number> biases;
  std::vector<Number> scales;
  std::vector<Number> shifts;
  std::vector<Number> mean;
  std::vector<Number> variance;
};

template <typename Number>
Output computed_output(const Layer& layer) {
  const Stream stream;
  const Inputs<Number> inputs(layer);
  auto z = uploaded(inputs.z, stream);
  const auto biases = uploaded(inputs.biases, stream);
  const auto scales = uploaded(inputs.scales, stream);
  const auto shifts = uploaded(inputs.shifts, stream);
  auto mean = uploaded(inputs.mean, stream);
  auto variance = uploaded(inputs.variance, stream);
  DeviceArray<Number> normalised(z.size());
  DeviceArray<double> deviation(layer.units);
  batch_norm_output<Number>(
      {layer.units, layer.size, layer.is_frozen, biases.data(), scales.data(),
       shifts.data(), mean.data(), variance.data(), z.data(), normalised.data(),
       deviation.data()},
      stream.get());
  return {downloaded(z, stream), downloaded(normalised, stream),
          downloaded(deviation, stream), downloaded(mean, stream),
          downloaded(variance, stream)};
}

/// What ReferenceNetwork computes.
template <typename Number>
Output expected_output(const Layer& layer) {
  const Inputs<Number> inputs(layer);
  const auto vector_of = [](const std::vector<Number>& numbers) -> Vector {
    return Eigen::Map<const Eigen::VectorX<Number>>(
               numbers.data(), static_cast<Index>(numbers.size()))
        .template cast<double>();
  };
  Matrix z = vector_of(inputs.z).reshaped(layer.units, layer.size);
  z.colwise() += vector_of(inputs.biases);
  Vector mean = vector_of(inputs.mean);
  Vector variance = vector_of(inputs.variance);
  const auto size = static_cast<double>(layer.size);
  const Vector batch_mean = layer.is_frozen ? mean : Vector(z.rowwise().mean());
  Matrix normalised = z.colwise() - batch_mean;
  Vector deviation = layer.is_frozen
                         ? variance
                         : Vector(normalised.rowwise().squaredNorm() / size);
  if (!layer.is_frozen) {
    mean += 0.1 * (batch_mean - mean);
    variance += 0.1 * (deviation * (size / (size - 1)) - variance);
  }
  deviation = (deviation.array() + 1e-5).sqrt();
  normalised.array().colwise() /= deviation.array();
  z = (normalised.array().colwise() * vector_of(inputs.scales).array())
          .colwise() +
      vector_of(inputs.shifts).array();
  const auto numbers_of = [](const auto& numbers) {
    return Numbers(numbers.data(), numbers.data() + numbers.size());
  };
  return {numbers_of(z), numbers_of(normalised), numbers_of(deviation),
          numbers_of(mean), numbers_of(variance)};
}

template <typename Number>
void check_output(const Layer& layer) {
  CAPTURE(layer.units);
  CAPTURE(layer.size);
  const Output found = computed_output<Number>(layer);
  const Output wanted = expected_output<Number>(layer);
  CHECK(difference_of(found.z, wanted.z) < kRounding<Number>);
  CHECK(difference_of(found.normalised, wanted.normalised) < kRounding<Number>);
  CHECK(difference_of(found.deviation, wanted.deviation) < kRounding<Number>);
  CHECK(difference_of(found.mean, wanted.mean) < kRounding<Number>);
  CHECK(difference_of(found.variance, wanted.variance) < kRounding<Number>);
}

struct Delta {
  Numbers delta;
  Numbers scale_gradient;
  Numbers shift_gradient;

  bool operator==(const Delta&) const = default;
};

template <typename Number>
struct DeltaInputs {
  explicit DeltaInputs(const Layer& layer)
      : scales(drawn_numbers<Number>(layer.units, 41)),
        normalised(drawn_numbers<Number>(layer.units * layer.size, 42, 2.0)),
        output_delta(drawn_numbers<Number>(layer.units * layer.size, 43)),
        deviation(drawn_numbers(layer.units, 44)) {
    for (double& number : deviation) number = std::fabs(number) + 0.5;
  }

  std::vector<Number> scales;
  std::vector<Number> normalised;
  std::vector<Number> output_delta;
  Numbers deviation;
};

template <typename Types>
Delta computed_delta(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Stream stream;
  const DeltaInputs<Number> inputs(layer);
  const auto scales = uploaded(inputs.scales, stream);
  const auto deviation = uploaded(inputs.deviation, stream);
  const auto normalised = uploaded(inputs.normalised, stream);
  const auto output_delta = uploaded(inputs.output_delta, stream);
  DeviceArray<Input> delta(output_delta.size());
  DeviceArray<Number> scale_gradient(layer.is_frozen ? 0 : layer.units);
  DeviceArray<Number> shift_gradient(layer.is_frozen ? 0 : layer.units);
  batch_norm_delta<Number, Input>(
      {layer.units, layer.size, layer.is_frozen, scales.data(),
       deviation.data(), layer.is_frozen ? nullptr : normalised.data(),
       output_delta.data(), delta.data(), scale_gradient.data(),
       shift_gradient.data()},
      stream.get());
  return {downloaded(delta, stream), downloaded(scale_gradient, stream),
          downloaded(shift_gradient, stream)};
}

/// Computes the formula of the header.
template <typename Number>
Delta expected_delta(const Layer& layer) {
  const DeltaInputs<Number> inputs(layer);
  const auto units = static_cast<std::size_t>(layer.units);
  const auto delta = converted<double>(inputs.output_delta);
  const auto normalised = converted<double>(inputs.normalised);
  Delta sums{delta, Numbers(units, 0.0), Numbers(units, 0.0)};
  for (std::size_t i = 0; i < delta.size() && !layer.is_frozen; ++i) {
    sums.scale_gradient[i % units] += delta[i] * normalised[i];
    sums.shift_gradient[i % units] += delta[i];
  }
  const auto size = static_cast<double>(layer.size);
  for (std::size_t i = 0; i < delta.size(); ++i) {
    const std::size_t unit = i % units;
    sums.delta[i] -= sums.shift_gradient[unit] / size +
                     normalised[i] * sums.scale_gradient[unit] / size;
    sums.delta[i] *=
        static_cast<double>(inputs.scales[unit]) / inputs.deviation[unit];
  }
  if (layer.is_frozen) return {sums.delta, {}, {}};
  return sums;
}

template <typename Types>
void check_delta(const Layer& layer) {
  using Number = typename Types::Number;
  CAPTURE(layer.units);
  CAPTURE(layer.size);
  const Delta found = computed_delta<Types>(layer);
  const Delta wanted = expected_delta<Number>(layer);
  constexpr bool kIsMixed =
      !std::is_same_v<typename Types::Number, typename Types::Input>;
  CHECK(difference_of(found.delta, wanted.delta) <
        (kIsMixed ? kMixedRounding : kRounding<Number>));
  CHECK(difference_of(found.scale_gradient, wanted.scale_gradient) <
        kRounding<Number>);
  CHECK(difference_of(found.shift_gradient, wanted.shift_gradient) <
        kRounding<Number>);
}

TEST_SUITE("cuda/kernels/batch_norm") {
  TEST_CASE_TEMPLATE("normalises by the mini-batch and moves the statistics",
                     Number, double, float) {
    for (const auto& [units, size] : kShapes) {
      check_output<Number>({units, size, false});
    }
  }

  TEST_CASE_TEMPLATE("normalises frozen layers by the running statistics",
                     Number, double, float) {
    check_output<Number>({33, 1, true});
    for (const auto& [units, size] : kShapes) {
      check_output<Number>({units, size, true});
    }
  }

  TEST_CASE_TEMPLATE("computes the delta and the gradients", Types, Doubles,
                     Floats, Mixed) {
    for (const auto& [units, size] : kShapes) {
      check_delta<Types>({units, size, false});
    }
  }

  TEST_CASE_TEMPLATE("scales the delta of frozen layers only", Types, Doubles,
                     Floats, Mixed) {
    check_delta<Types>({33, 1, true});
    for (const auto& [units, size] : kShapes) {
      check_delta<Types>({units, size, true});
    }
  }

  TEST_CASE("gives the same bits in any order") {
    for (const Layer& layer : {Layer{37, 45, false}, Layer{37, 45, true}}) {
      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return computed_output<float>(layer); }));
      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return computed_delta<Mixed>(layer); }));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
