// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/kernels/hidden_output.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>
#include <vector>

#include "../shuffled_orders.hpp"
#include "kernel_numbers.hpp"

namespace mlp::cuda {

namespace {

using namespace testing;

using Numbers = std::vector<double>;

enum class Skip { kNone, kInput, kProduct };

/// A hidden layer and which parts it has.
struct Layer {
  Index units = 0;
  Index size = 0;
  Activation activation;
  double dropout = 0.0;
  bool has_places = false;
  bool has_biases = true;
  bool keeps_z = true;
  bool keeps_value = true;
  Skip skip = Skip::kNone;
};

struct Result {
  Numbers z;
  Numbers value;
  Numbers output;

  bool operator==(const Result&) const = default;
};

constexpr std::uint64_t kSeed = 77;
constexpr Index kLayer = 3;

std::vector<Index> places_of(Index size) {
  std::vector<Index> places;
  for (Index i = 0; i < size; ++i) places.push_back(3 * i + 1);
  return places;
}

/// The numbers that a layer reads, as its types have them.
template <typename Types>
struct Inputs {
  using Number = typename Types::Number;
  using Input = typename Types::Input;

  explicit Inputs(const Layer& layer)
      : product(drawn_numbers<Number>(layer.units * layer.size, 11, 4.0)),
        skip_product(drawn_numbers<Number>(layer.units * layer.size, 12)),
        skip_input(drawn_numbers<Input>(layer.units * layer.size, 13)),
        biases(drawn_numbers<Number>(layer.units, 14)) {}

  std::vector<Number> product;
  std::vector<Number> skip_product;
  std::vector<Input> skip_input;
  std::vector<Number> biases;
};

template <typename Types>
Result computed(const Layer& layer) {
  using Number = typename Types::Number;
  using Input = typename Types::Input;
  const Stream stream;
  const Inputs<Types> inputs(layer);
  const auto product = uploaded(inputs.product, stream);
  const auto skip_product = uploaded(inputs.skip_product, stream);
  const auto skip_input = uploaded(inputs.skip_input, stream);
  const auto biases = uploaded(inputs.biases, stream);
  const auto places = uploaded(places_of(layer.size), stream);
  const auto seed = uploaded(std::vector<std::uint64_t>{kSeed}, stream);
  const Index num_elements = layer.units * layer.size;
  DeviceArray<Number> z(layer.keeps_z ? num_elements : 0);
  DeviceArray<Number> value(layer.keeps_value ? num_elements : 0);
  DeviceArray<Input> output(num_elements);
  HiddenOutput<Number, Input> arrays;
  arrays.units = layer.units;
  arrays.size = layer.size;
  arrays.activation = layer.activation;
  arrays.dropout = {kLayer, layer.dropout, seed.data(),
                    layer.has_places ? places.data() : nullptr};
  arrays.product = product.data();
  if (layer.has_biases) arrays.biases = biases.data();
  if (layer.skip == Skip::kInput) arrays.skip_input = skip_input.data();
  if (layer.skip == Skip::kProduct) arrays.skip_product = skip_product.data();
  arrays.z = z.data();
  arrays.value = value.data();
  arrays.output = output.data();
  hidden_output(arrays, stream.get());
  return {downloaded(z, stream), downloaded(value, stream),
          downloaded(output, stream)};
}

template <typename Types>
Result expected(const Layer& layer) {
  const Inputs<Types> inputs(layer);
  const auto skip_product = converted<double>(inputs.skip_product);
  const auto skip_input = converted<double>(inputs.skip_input);
  const auto biases = converted<double>(inputs.biases);
  const DropoutMask mask(kSeed, kLayer, layer.dropout);
  Result result;
  Numbers z = converted<double>(inputs.product);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto unit = static_cast<Index>(i) % layer.units;
    const auto column = static_cast<Index>(i) / layer.units;
    if (layer.has_biases) z[i] += biases[static_cast<std::size_t>(unit)];
    const double value = layer.activation.value(z[i]);
    const Index place = layer.has_places ? 3 * column + 1 : column;
    const double factor = layer.dropout > 0.0 ? mask.factor(place, unit) : 1.0;
    const double skip = layer.skip == Skip::kInput     ? skip_input[i]
                        : layer.skip == Skip::kProduct ? skip_product[i]
                                                       : 0.0;
    if (layer.keeps_z) result.z.push_back(z[i]);
    if (layer.keeps_value) result.value.push_back(value);
    result.output.push_back(value * factor + skip);
  }
  return result;
}

template <typename Types>
void check_layer(const Layer& layer) {
  CAPTURE(layer.units);
  CAPTURE(layer.size);
  CAPTURE(layer.activation.name());
  const Result found = computed<Types>(layer);
  const Result wanted = expected<Types>(layer);
  constexpr double kNumberRounding =
      std::is_same_v<typename Types::Number, double> ? 1e-14 : 1e-6;
  CHECK(difference_of(found.z, wanted.z) < kNumberRounding);
  CHECK(difference_of(found.value, wanted.value) < kNumberRounding);
  CHECK(difference_of(found.output, wanted.output) < Types::kRounding);
}

TEST_SUITE("cuda/kernels/hidden_output") {
  TEST_CASE_TEMPLATE("computes every activation for every size", Types, Doubles,
                     Floats, Mixed) {
    for (const std::string_view name : Activation::names()) {
      for (const auto& [units, size] : testing::kShapes) {
        Layer layer{units, size, *Activation::find(name)};
        check_layer<Types>(layer);
        layer.keeps_z = false;
        layer.keeps_value = false;
        layer.has_biases = false;
        check_layer<Types>(layer);
      }
    }
  }

  TEST_CASE_TEMPLATE("drops units by the place of the instance", Types, Doubles,
                     Floats, Mixed) {
    for (const auto& [units, size] : testing::kShapes) {
      Layer layer{units, size, Activation(), 0.4};
      check_layer<Types>(layer);
      layer.has_places = true;
      check_layer<Types>(layer);
    }
  }

  TEST_CASE_TEMPLATE("adds what the layer skips after dropout", Types, Doubles,
                     Floats, Mixed) {
    for (const Skip skip : {Skip::kInput, Skip::kProduct}) {
      for (const auto& [units, size] : testing::kShapes) {
        Layer layer{units, size, Activation()};
        layer.skip = skip;
        check_layer<Types>(layer);
        layer.dropout = 0.5;
        check_layer<Types>(layer);
      }
    }
  }

  TEST_CASE("strides over more elements than the grid has threads") {
    for (const Index units : {11, 44, 1100}) {
      const Layer layer{units, 8000 / units + 1, Activation(), 0.2};
      const auto compute = [&] { return computed<Mixed>(layer); };

      CHECK(with_two_blocks(compute) == compute());
    }
  }

  TEST_CASE("computes in the memory of the product") {
    const Stream stream;
    DeviceArray<double> numbers =
        uploaded(std::vector<double>{-1.0, 0.5, 2.0, -3.0}, stream);
    HiddenOutput<double, double> layer;
    layer.units = 4;
    layer.size = 1;
    layer.activation = Activation::of<activations::Relu>();
    layer.product = numbers.data();
    layer.output = numbers.data();

    hidden_output(layer, stream.get());

    CHECK(numbers.download(stream) == std::vector<double>{0.0, 0.5, 2.0, 0.0});
  }

  TEST_CASE("computes z alone") {
    const Stream stream;
    DeviceArray<float> numbers =
        uploaded(std::vector<float>{1.0F, 2.0F, 3.0F, 4.0F}, stream);
    const auto biases = uploaded(std::vector<float>{0.5F, -2.0F}, stream);
    HiddenOutput<float, BFloat16> layer;
    layer.units = 2;
    layer.size = 2;
    layer.product = numbers.data();
    layer.biases = biases.data();
    layer.z = numbers.data();

    hidden_output(layer, stream.get());

    CHECK(numbers.download(stream) ==
          std::vector<float>{1.5F, 0.0F, 3.5F, 2.0F});
  }

  TEST_CASE_TEMPLATE("gives the same bits in any order", Types, Doubles,
                     Mixed) {
    for (const Index units : {10, 12}) {
      Layer layer{units, 120, Activation(), 0.3, true};
      layer.skip = Skip::kInput;

      CHECK(testing::is_same_in_shuffled_orders(
          [&] { return computed<Types>(layer); }));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
