// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/hidden_delta.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

using Numbers = std::vector<double>;

/// A hidden layer and which parts it has.
struct Layer {
  Index units = 0;
  Index size = 0;
  Activation activation;
  double dropout = 0.0;
  bool has_places = false;
  bool keeps_value = true;  ///< f(z) apart from the output
  bool adds = false;        ///< to a gradient that is 1
};

struct Result {
  Numbers delta;
  Numbers unrounded_delta;
  Numbers rounded_output_delta;
  Numbers bias_gradient;

  bool operator==(const Result&) const = default;
};

constexpr std::uint64_t kSeed = 78;
constexpr Index kLayer = 1;

std::vector<Index> places_of(Index size) {
  std::vector<Index> places;
  for (Index i = 0; i < size; ++i) places.push_back(size - i);
  return places;
}

/// The numbers that a layer reads, as its types have them.
template <typename Types>
struct Inputs {
  using Number = typename Types::Number;
  using Input = typename Types::Input;

  explicit Inputs(const Layer& layer)
      : output_delta(drawn_numbers<Number>(layer.units * layer.size, 21)),
        z(drawn_numbers<Number>(layer.units * layer.size, 22, 4.0)) {
    for (const Number number : z) {
      value.push_back(layer.activation.value(number));
    }
    output = converted<Input>(value);
  }

  /// Returns f(z) of element i, as the layer reads it.
  [[nodiscard]] double value_of(const Layer& layer, std::size_t i) const {
    return layer.keeps_value ? static_cast<double>(value[i])
                             : number_cast<double>(output[i]);
  }

  std::vector<Number> output_delta;
  std::vector<Number> z;
  std::vector<Number> value;
  std::vector<Input> output;
};

template <typename Types>
Result computed(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Stream stream;
  const Inputs<Types> inputs(layer);
  const auto output_delta = uploaded(inputs.output_delta, stream);
  const auto z = uploaded(inputs.z, stream);
  const auto value = uploaded(inputs.value, stream);
  const auto output = uploaded(inputs.output, stream);
  const auto places = uploaded(places_of(layer.size), stream);
  const auto seed = uploaded(std::vector<std::uint64_t>{kSeed}, stream);
  DeviceArray<Input> delta(output.size());
  DeviceArray<Number> unrounded_delta(output.size());
  DeviceArray<Input> rounded_output_delta(output.size());
  HiddenDelta<Number, Input> arrays;
  arrays.units = layer.units;
  arrays.size = layer.size;
  arrays.activation = layer.activation;
  arrays.dropout = {kLayer, layer.dropout, seed.data(),
                    layer.has_places ? places.data() : nullptr};
  arrays.output_delta = output_delta.data();
  if (layer.activation.needs_input()) arrays.z = z.data();
  if (layer.keeps_value) arrays.value = value.data();
  if (!layer.keeps_value) arrays.output = output.data();
  arrays.delta = delta.data();
  arrays.unrounded_delta = unrounded_delta.data();
  arrays.rounded_output_delta = rounded_output_delta.data();
  DeviceArray<double> partials(num_delta_partials(layer.units, layer.size));
  auto bias_gradient = uploaded(
      std::vector<Number>(static_cast<std::size_t>(layer.units), 1), stream);
  arrays.partials = partials.data();
  arrays.bias_gradient = {bias_gradient.data(), layer.adds};
  hidden_delta(arrays, stream.get());
  return {downloaded(delta, stream), downloaded(unrounded_delta, stream),
          downloaded(rounded_output_delta, stream),
          downloaded(bias_gradient, stream)};
}

/// Returns d loss / d z.
template <typename Types>
Numbers expected(const Layer& layer) {
  const Inputs<Types> inputs(layer);
  const DropoutMask mask(kSeed, kLayer, layer.dropout);
  Numbers deltas = converted<double>(inputs.output_delta);
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    const auto unit = static_cast<Index>(i) % layer.units;
    const auto column = static_cast<Index>(i) / layer.units;
    const Index place = layer.has_places ? layer.size - column : column;
    if (layer.dropout > 0.0) deltas[i] *= mask.factor(place, unit);
    deltas[i] *= layer.activation.derivative(static_cast<double>(inputs.z[i]),
                                             inputs.value_of(layer, i));
  }
  return deltas;
}

/// Returns the sums of the deltas over the instances.
Numbers sums_of(const Layer& layer, const Numbers& deltas) {
  Numbers sums(static_cast<std::size_t>(layer.units), layer.adds ? 1.0 : 0.0);
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    sums[i % sums.size()] += deltas[i];
  }
  return sums;
}

template <typename Types>
void check_layer(const Layer& layer) {
  CAPTURE(layer.units);
  CAPTURE(layer.size);
  CAPTURE(layer.activation.name());
  const Result found = computed<Types>(layer);
  const Numbers wanted = expected<Types>(layer);
  constexpr double kNumberRounding =
      std::is_same_v<typename Types::Number, double> ? 1e-14 : 1e-6;
  CHECK(difference_of(found.unrounded_delta, wanted) < kNumberRounding);
  CHECK(difference_of(found.delta, wanted) < Types::kRounding);
  CHECK(difference_of(found.bias_gradient, sums_of(layer, found.delta)) <
        kNumberRounding);
  CHECK(found.rounded_output_delta ==
        converted<double>(converted<typename Types::Input>(
            Inputs<Types>(layer).output_delta)));
}

TEST_SUITE("cuda/kernels/hidden_delta") {
  TEST_CASE_TEMPLATE("multiplies by the derivative of every activation", Types,
                     Doubles, Floats, Mixed) {
    for (const std::string_view name : Activation::names()) {
      for (const auto& [units, size] : testing::kShapes) {
        Layer layer{units, size, *Activation::find(name)};
        check_layer<Types>(layer);
        layer.keeps_value = false;
        check_layer<Types>(layer);
      }
    }
  }

  TEST_CASE_TEMPLATE("drops the units that the forward pass dropped", Types,
                     Doubles, Floats, Mixed) {
    for (const auto& [units, size] : testing::kShapes) {
      Layer layer{units, size, Activation(), 0.4};
      check_layer<Types>(layer);
      layer.has_places = true;
      check_layer<Types>(layer);
    }
  }

  TEST_CASE_TEMPLATE("computes many slices and tiles, and adds to sums", Types,
                     Doubles, Floats, Mixed) {
    for (const auto& [units, size] :
         {std::pair<Index, Index>{11, 5'001}, {44, 1'024}, {140, 700}}) {
      Layer layer{units, size, Activation(), 0.2};
      check_layer<Types>(layer);
      layer.adds = true;
      check_layer<Types>(layer);
    }
  }

  TEST_CASE("divides many instances into so many slices at most") {
    CHECK(num_delta_partials(3, 1) == 3);
    CHECK(num_delta_partials(3, 1024) == 3 * 8);
    CHECK(num_delta_partials(3, 1'000'000) <= 3 * 256);
  }

  TEST_CASE("computes in the memory of the delta") {
    const Stream stream;
    DeviceArray<float> delta =
        uploaded(std::vector<float>{1.0F, 2.0F, 3.0F}, stream);
    const auto output = uploaded(std::vector<float>{0.0F, 0.5F, 2.0F}, stream);
    HiddenDelta<float, float> layer;
    layer.units = 3;
    layer.size = 1;
    layer.activation = Activation::of<activations::Relu>();
    layer.output_delta = delta.data();
    layer.output = output.data();
    layer.delta = delta.data();

    hidden_delta(layer, stream.get());

    CHECK(delta.download(stream) == std::vector<float>{0.0F, 2.0F, 3.0F});
  }

  TEST_CASE_TEMPLATE("gives the same bits in any order", Types, Doubles,
                     Mixed) {
    for (const Index units : {10, 12}) {
      const Layer layer{units, 120, Activation(), 0.3, true};

      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return computed<Types>(layer); }));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
