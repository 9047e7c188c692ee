// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cuda/kernels/output/narrow_output.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>
#include <vector>

#include "../../../../mlp/backend/apply_loss.hpp"
#include "../../shuffled_orders.hpp"
#include "../kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

using Numbers = std::vector<double>;

/// The last two layers and their instances.
struct Layer {
  Index units = 0;
  Index num_outputs = 0;
  Index size = 0;
  Activation activation = {};
  LossFunction loss_function = {};
  Likelihood likelihood = Likelihood::kLogSumExp;
  bool has_weights = false;
  bool adds = false;         ///< to sums that are 1
  bool is_in_place = false;  ///< f(z) is computed in the memory of the product
};

struct Result {
  Numbers value;
  Numbers delta;
  Numbers output_delta;
  Numbers loss;
  Numbers bias_gradient;
  Numbers output_bias_gradient;

  bool operator==(const Result&) const = default;
};

/// The numbers that the kernel reads.
template <typename Number>
struct Inputs {
  explicit Inputs(const Layer& layer)
      : product(drawn_numbers<Number>(layer.units * layer.size, 1, 3.0)),
        biases(drawn_numbers<Number>(layer.units, 2)),
        output_weights(
            drawn_numbers<Number>(layer.num_outputs * layer.units, 3)),
        output_biases(drawn_numbers<Number>(layer.num_outputs, 4)),
        targets(drawn_numbers(layer.num_outputs * layer.size, 5)) {
    for (Index i = 0; i < layer.size; ++i) {
      labels.push_back(static_cast<std::int32_t>(i * 7 % layer.num_outputs));
      // Every third instance has no weight.
      if (layer.has_weights) weights.push_back(static_cast<double>(i % 3));
    }
  }

  std::vector<Number> product;
  std::vector<Number> biases;
  std::vector<Number> output_weights;
  std::vector<Number> output_biases;
  Numbers targets;
  std::vector<std::int32_t> labels;
  Numbers weights;
};

template <typename Types>
Result computed(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Stream stream;
  const Inputs<Number> inputs(layer);
  DeviceArray<Number> product = uploaded(inputs.product, stream);
  const auto biases = uploaded(inputs.biases, stream);
  const auto output_weights = uploaded(inputs.output_weights, stream);
  const auto output_biases = uploaded(inputs.output_biases, stream);
  const auto targets = uploaded(inputs.targets, stream);
  const auto labels = uploaded(inputs.labels, stream);
  const auto weights = uploaded(inputs.weights, stream);
  DeviceArray<Input> value(product.size());
  DeviceArray<Input> delta(product.size());
  DeviceArray<Input> output_delta(targets.size());
  DeviceArray<double> partials(
      num_narrow_partials(layer.units, layer.num_outputs, layer.size));
  const auto ones = [&](auto number, Index size) {
    using T = decltype(number);
    return uploaded(std::vector<T>(static_cast<std::size_t>(size), T{1}),
                    stream);
  };
  DeviceArray<double> loss = ones(1.0, 1);
  DeviceArray<Number> bias_gradient = ones(Number{1}, layer.units);
  DeviceArray<Number> output_bias_gradient = ones(Number{1}, layer.num_outputs);
  NarrowOutput<Number, Input> arrays;
  arrays.target.num_outputs = layer.num_outputs;
  arrays.target.size = layer.size;
  arrays.target.loss_function = layer.loss_function;
  arrays.target.likelihood = layer.likelihood;
  arrays.target.labels = labels.data();
  arrays.target.targets = targets.data();
  arrays.target.weights = weights.data();
  arrays.units = layer.units;
  arrays.activation = layer.activation;
  arrays.product = product.data();
  arrays.biases = biases.data();
  arrays.output_weights = output_weights.data();
  arrays.output_biases = output_biases.data();
  arrays.value = value.data();
  if constexpr (std::is_same_v<Number, Input>) {
    if (layer.is_in_place) arrays.value = product.data();
  }
  arrays.delta = delta.data();
  arrays.output_delta = output_delta.data();
  arrays.partials = partials.data();
  arrays.loss = {loss.data(), layer.adds};
  arrays.bias_gradient = {bias_gradient.data(), layer.adds};
  arrays.output_bias_gradient = {output_bias_gradient.data(), layer.adds};
  narrow_output(arrays, stream.get());
  const Numbers values = layer.is_in_place ? downloaded(product, stream)
                                           : downloaded(value, stream);
  return {values,
          downloaded(delta, stream),
          downloaded(output_delta, stream),
          downloaded(loss, stream),
          downloaded(bias_gradient, stream),
          downloaded(output_bias_gradient, stream)};
}

/// Computes the same in double precision, from what the kernel reads.
template <typename Types>
Result expected(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Inputs<Number> inputs(layer);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  InstanceRange instances;
  instances.size = layer.size;
  instances.labels = inputs.labels.data();
  instances.targets = inputs.targets.data();
  Result result;
  result.loss.assign(1, layer.adds ? 1.0 : 0.0);
  result.bias_gradient.assign(at(layer.units), result.loss[0]);
  result.output_bias_gradient.assign(at(layer.num_outputs), result.loss[0]);
  for (Index j = 0; j < layer.size; ++j) {
    Vector z(layer.num_outputs);
    for (Index i = 0; i < layer.num_outputs; ++i) {
      z[i] = static_cast<double>(inputs.output_biases[at(i)]);
    }
    for (Index u = 0; u < layer.units; ++u) {
      const Number sum =
          inputs.product[at(u + j * layer.units)] + inputs.biases[at(u)];
      result.value.push_back(number_cast<double>(number_cast<Input>(
          static_cast<Number>(layer.activation.value(sum)))));
      for (Index i = 0; i < layer.num_outputs; ++i) {
        z[i] += result.value.back() *
                static_cast<double>(
                    inputs.output_weights[at(i + u * layer.num_outputs)]);
      }
    }
    const double weight = inputs.weights.empty() ? 1.0 : inputs.weights[at(j)];
    result.loss[0] += apply_loss(layer.loss_function, layer.likelihood,
                                 instances, j, weight, z);
    for (Index i = 0; i < layer.num_outputs; ++i) {
      result.output_delta.push_back(z[i]);
      result.output_bias_gradient[at(i)] += z[i];
    }
    for (Index u = 0; u < layer.units; ++u) {
      double delta = 0.0;
      for (Index i = 0; i < layer.num_outputs; ++i) {
        delta +=
            z[i] * static_cast<double>(
                       inputs.output_weights[at(i + u * layer.num_outputs)]);
      }
      const double value = result.value[at(u + j * layer.units)];
      delta *= layer.activation.derivative(value, value);
      result.delta.push_back(delta);
      result.bias_gradient[at(u)] += delta;
    }
  }
  return result;
}

template <typename Types>
void check_layer(const Layer& layer) {
  CAPTURE(layer.units);
  CAPTURE(layer.num_outputs);
  CAPTURE(layer.size);
  CAPTURE(layer.activation.name());
  const Result found = computed<Types>(layer);
  const Result wanted = expected<Types>(layer);
  // Sums of up to 300 products, of factors that were rounded as often.
  constexpr double kSum = std::is_same_v<typename Types::Number, double>
                              ? 1e-12
                              : 20 * Types::kRounding;
  CHECK(difference_of(found.value, wanted.value) < Types::kRounding);
  CHECK(difference_of(found.loss, wanted.loss) < kSum);
  CHECK(difference_of(found.output_delta, wanted.output_delta) < kSum);
  CHECK(difference_of(found.delta, wanted.delta) < kSum);
  CHECK(difference_of(found.bias_gradient, wanted.bias_gradient) < kSum);
  CHECK(difference_of(found.output_bias_gradient, wanted.output_bias_gradient) <
        kSum);
}

TEST_SUITE("cuda/kernels/output/narrow_output") {
  TEST_CASE_TEMPLATE("computes the last two layers of any size", Types, Doubles,
                     Floats, Mixed) {
    for (const Index units : {1, 31, 32, 33, 100}) {
      for (const Index num_outputs : {1, 2, 4, 5, 8, 10, 13, 15}) {
        for (const Index size : {1, 128, 300}) {
          check_layer<Types>({units, num_outputs, size});
        }
      }
    }
  }

  TEST_CASE_TEMPLATE("has the activations whose derivative needs no z", Types,
                     Doubles, Floats, Mixed) {
    for (const std::string_view name : Activation::names()) {
      const Activation activation = *Activation::find(name);
      if (activation.needs_input()) continue;
      check_layer<Types>({40, 3, 150, activation});
    }
  }

  TEST_CASE_TEMPLATE("computes every loss, with weights", Types, Doubles,
                     Floats) {
    for (const Loss kind :
         {Loss::kSoftmaxNll, Loss::kSquaredError, Loss::kSigmoidSquaredError}) {
      for (const Likelihood likelihood :
           {Likelihood::kLogSumExp, Likelihood::kOfProbabilities}) {
        Layer layer{20, 3, 200};
        layer.loss_function.kind = kind;
        layer.likelihood = likelihood;
        layer.has_weights = true;
        check_layer<Types>(layer);
        layer.adds = true;
        check_layer<Types>(layer);
      }
    }
  }

  TEST_CASE("adds the sums of more blocks than a block has threads") {
    check_layer<Doubles>({3, 2, 9000});
  }

  TEST_CASE("computes in the memory of the product") {
    Layer layer{45, 10, 140};
    const Result wanted = computed<Doubles>(layer);
    layer.is_in_place = true;

    CHECK(computed<Doubles>(layer) == wanted);
  }

  TEST_CASE_TEMPLATE("gives the same bits in any order", Types, Doubles,
                     Mixed) {
    CHECK(testing::is_same_in_shuffled_orders([] {
      return computed<Types>({45, 10, 140});
    }));
  }
}

}  // namespace

}  // namespace mlp::cuda
