// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cuda/kernels/output/output_delta.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../../mlp/backend/apply_loss.hpp"
#include "../../shuffled_orders.hpp"
#include "../kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

using Numbers = std::vector<double>;

constexpr double kLossRounding = 1e-12;  // the loss is computed in double
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The last layer and its instances.
struct Layer {
  Index num_outputs = 0;
  Index size = 0;
  LossFunction loss_function = {};
  Likelihood likelihood = Likelihood::kLogSumExp;
  Numbers z = {};  ///< without biases
  bool has_biases = true;
  Numbers weights = {};     ///< or empty
  Numbers divisor = {};     ///< 1 number, or empty
  Numbers weight_sum = {};  ///< 1 number, or empty
};

struct Result {
  Numbers delta;
  Numbers losses;

  bool operator==(const Result&) const = default;
};

Layer drawn_layer(Index num_outputs, Index size, LossFunction loss_function,
                  Likelihood likelihood = Likelihood::kLogSumExp) {
  Layer layer{num_outputs, size, loss_function, likelihood};
  layer.z = drawn_numbers(num_outputs * size, 51, 5.0);
  return layer;
}

Numbers biases_of(const Layer& layer) {
  return layer.has_biases
             ? drawn_numbers(layer.num_outputs, 52)
             : Numbers(static_cast<std::size_t>(layer.num_outputs));
}

std::vector<std::int32_t> labels_of(const Layer& layer) {
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < layer.size; ++i) {
    labels.push_back(static_cast<std::int32_t>(i * 7 % layer.num_outputs));
  }
  return labels;
}

Numbers targets_of(const Layer& layer) {
  return drawn_numbers(layer.num_outputs * layer.size, 53);
}

template <typename Types>
Result computed(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Stream stream;
  const auto product = uploaded(converted<Number>(layer.z), stream);
  const auto biases = uploaded(converted<Number>(biases_of(layer)), stream);
  const auto labels = uploaded(labels_of(layer), stream);
  const auto targets = uploaded(targets_of(layer), stream);
  const auto weights = uploaded(layer.weights, stream);
  const auto divisor = uploaded(layer.divisor, stream);
  const auto weight_sum = uploaded(layer.weight_sum, stream);
  DeviceArray<Input> delta(product.size());
  DeviceArray<double> losses(layer.size);
  LossTarget target;
  target.num_outputs = layer.num_outputs;
  target.size = layer.size;
  target.loss_function = layer.loss_function;
  target.likelihood = layer.likelihood;
  target.labels = labels.data();
  target.targets = targets.data();
  target.weights = weights.data();
  target.divisor = divisor.data();
  target.weight_sum = weight_sum.data();
  OutputDelta<Number, Input> arrays;
  arrays.target = target;
  arrays.product = product.data();
  if (layer.has_biases) arrays.biases = biases.data();
  arrays.delta = delta.data();
  arrays.losses = losses.data();
  output_delta(arrays, stream.get());
  return {downloaded(delta, stream), downloaded(losses, stream)};
}

double share_of(const Layer& layer, Index i) {
  const double weight =
      layer.weights.empty() ? 1.0 : layer.weights[static_cast<std::size_t>(i)];
  if (layer.divisor.empty()) return weight;
  double divisor = layer.divisor[0];
  if (divisor == 0.0) {
    divisor = layer.weight_sum.empty() ? static_cast<double>(layer.size)
                                       : layer.weight_sum[0];
  }
  return divisor == 0.0 ? 0.0 : weight / divisor;
}

/// Computes what apply_loss() makes of z, rounded as the types have it.
template <typename Types>
Result expected(const Layer& layer) {
  using Number = typename Types::Number;
  const auto product = converted<Number>(layer.z);
  const auto biases = converted<Number>(biases_of(layer));
  const auto labels = labels_of(layer);
  const Numbers targets = targets_of(layer);
  InstanceRange instances;
  instances.size = layer.size;
  instances.labels = labels.data();
  instances.targets = targets.data();
  Result result;
  for (Index j = 0; j < layer.size; ++j) {
    Vector z(layer.num_outputs);
    for (Index i = 0; i < layer.num_outputs; ++i) {
      const auto at = static_cast<std::size_t>(i + j * layer.num_outputs);
      const Number sum = product[at] + biases[static_cast<std::size_t>(i)];
      z[i] = static_cast<double>(sum);
    }
    result.losses.push_back(apply_loss(layer.loss_function, layer.likelihood,
                                       instances, j, share_of(layer, j), z));
    result.delta.insert(result.delta.end(), z.begin(), z.end());
  }
  return result;
}

template <typename Types>
void check_layer(const Layer& layer) {
  CAPTURE(layer.num_outputs);
  CAPTURE(layer.size);
  const Result found = computed<Types>(layer);
  const Result wanted = expected<Types>(layer);
  CHECK(difference_of(found.losses, wanted.losses) < kLossRounding);
  CHECK(difference_of(found.delta, wanted.delta) < Types::kRounding);
}

const std::vector<std::pair<Index, Index>> kShapes = {
    {1, 1}, {2, 300}, {3, 1}, {10, 129}, {63, 5}, {64, 5}, {65, 9}, {200, 33}};

const std::vector<LossFunction> kLosses = {{Loss::kSoftmaxNll},
                                           {Loss::kSoftmaxNll, 0.1},
                                           {Loss::kSoftmaxNll, 1.0},
                                           {Loss::kSquaredError},
                                           {Loss::kSigmoidSquaredError}};

/// Outputs that are not finite, or whose probabilities underflow; the labels are
/// 0, 7 modulo 3, ..
Numbers extreme_outputs() {
  return {kNan, 1.0,     2.0,       1.0,        kNan,       2.0,
          kNan, kNan,    kNan,      kInfinity,  1.0,        2.0,
          1.0,  2.0,     kInfinity, -kInfinity, -kInfinity, -kInfinity,
          0.0,  -1000.0, 0.0,       -1000.0,    0.0,        -1000.0,
          0.0,  0.0,     -1000.0,   1e308,      -1e308,     0.0,
          -0.0, 0.0,     0.0,       -1e308,     -1e308,     1e308};
}

/// Adds outputs, all of them the lowest, so that a warp computes the instances.
Layer widened(const Layer& layer, Index num_outputs) {
  Layer wide = layer;
  wide.num_outputs = num_outputs;
  wide.z.assign(static_cast<std::size_t>(num_outputs * layer.size), -700.0);
  for (Index j = 0; j < layer.size; ++j) {
    for (Index i = 0; i < layer.num_outputs; ++i) {
      wide.z[static_cast<std::size_t>(i * 31 % num_outputs + j * num_outputs)] =
          layer.z[static_cast<std::size_t>(i + j * layer.num_outputs)];
    }
  }
  return wide;
}

TEST_SUITE("cuda/kernels/output/output_delta") {
  TEST_CASE_TEMPLATE("computes every loss for every size", Types, Doubles,
                     Floats, Mixed) {
    for (const LossFunction& loss : kLosses) {
      for (const auto& [num_outputs, size] : kShapes) {
        Layer layer = drawn_layer(num_outputs, size, loss);
        check_layer<Types>(layer);
        layer.likelihood = Likelihood::kOfProbabilities;
        layer.has_biases = false;
        check_layer<Types>(layer);
      }
    }
  }

  TEST_CASE_TEMPLATE("multiplies by the weight of the instance", Types, Doubles,
                     Floats, Mixed) {
    for (const auto& [num_outputs, size] : kShapes) {
      Layer layer = drawn_layer(num_outputs, size, {});
      layer.weights = drawn_numbers(size, 54);
      check_layer<Types>(layer);
      layer.divisor = {3.0};
      check_layer<Types>(layer);
    }
  }

  TEST_CASE("divides by the sum of the weights if the divisor is 0") {
    for (const double weight_sum : {7.0, 0.0}) {
      Layer layer = drawn_layer(3, 40, {});
      layer.divisor = {0.0};
      check_layer<Doubles>(layer);
      layer.weights = drawn_numbers(40, 55);
      layer.weight_sum = {weight_sum};
      check_layer<Doubles>(layer);
    }
  }

  TEST_CASE("is as finite as the reference") {
    for (const Likelihood likelihood :
         {Likelihood::kOfProbabilities, Likelihood::kLogSumExp}) {
      for (const double smoothing : {0.0, 0.1}) {
        Layer layer{3, 12, {Loss::kSoftmaxNll, smoothing}, likelihood};
        layer.z = extreme_outputs();
        layer.has_biases = false;
        for (const Layer& each : {layer, widened(layer, 70)}) {
          const Result found = computed<Doubles>(each);
          const Result wanted = expected<Doubles>(each);
          for (std::size_t i = 0; i < 12; ++i) {
            CAPTURE(i);
            CHECK(std::isnan(found.losses[i]) == std::isnan(wanted.losses[i]));
            CHECK(std::isinf(found.losses[i]) == std::isinf(wanted.losses[i]));
          }
          for (std::size_t i = 0; i < wanted.delta.size(); ++i) {
            CHECK(std::isnan(found.delta[i]) == std::isnan(wanted.delta[i]));
          }
        }
      }
    }
  }

  TEST_CASE("gives instances of weight 0 no loss, finite or not") {
    for (const Index num_outputs : {3, 70}) {
      Layer layer{num_outputs, 2, {}};
      layer.z = Numbers(static_cast<std::size_t>(2 * num_outputs), kNan);
      layer.weights = {0.0, 0.0};

      const Result found = computed<Doubles>(layer);

      CHECK(found.losses == Numbers{0.0, 0.0});
      CHECK(found.delta == Numbers(layer.z.size(), 0.0));
    }
  }

  TEST_CASE("strides over more instances than the grid has threads") {
    for (const Layer& layer :
         {drawn_layer(2, 700, {}), drawn_layer(64, 50, {})}) {
      const auto compute = [&] { return computed<Doubles>(layer); };

      CHECK(with_two_blocks(compute) == compute());
    }
  }

  TEST_CASE("gives the same bits in any order") {
    for (const Index num_outputs : {10, 100}) {
      const Layer layer =
          drawn_layer(num_outputs, 70, {}, Likelihood::kOfProbabilities);

      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return computed<Mixed>(layer); }));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
