// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "../../core/index.hpp"
#include "../../mlp/network/topology.hpp"
#include "../kernels/number_types.hpp"
#include "../runtime/device_array.hpp"

namespace mlp::cuda {

/// How much of a network is computed.
enum class PassKind { kForward, kForwardAndBackward };

/// The memory of the device in which a network computes some instances.
///
/// An array that a layer does not need is empty.
///
/// \tparam Number  double or float: of products and element-wise work
/// \tparam Input   Number, or BFloat16 with Number = float: of factors of products
template <typename Number, typename Input>
struct PassArrays {
  /// True if the product of a layer can be turned into its output in place.
  static constexpr bool kIsInPlace = std::is_same_v<Number, Input>;

  /// Of one hidden layer   [output_size x capacity], unless stated.
  struct Layer {
    DeviceArray<Input> output;  ///< y
    DeviceArray<Number> z;      ///< if the activation's derivative needs it
    DeviceArray<Number> value;  ///< f(z) if it is not the output
    DeviceArray<Number> normalised;  ///< with batch normalisation
    DeviceArray<double> deviation;   ///< with batch normalisation [output_size]
  };

  PassArrays(const Topology& topology, PassKind kind, Index capacity);

  /// Returns the bytes that the arrays take for each instance.
  [[nodiscard]] static std::size_t bytes_per_instance(const Topology& topology,
                                                      PassKind kind);

  Index capacity;             ///< the most instances that are computed at once
  std::vector<Layer> layers;  ///< the hidden ones

  /// Products, and in the backward pass d loss / d y. Each array is large enough for
  /// every layer   [largest output_size x capacity].
  DeviceArray<Number> scratch[2];

  /// d loss / d z where scratch cannot contain it
  /// [largest output_size x capacity], or empty
  DeviceArray<Input> delta;

  /// d loss / d y in the type of factors of products, for a projection if Number is
  /// another type   [largest output_size x capacity], or empty
  DeviceArray<Input> rounded_delta;

  /// d loss / d z of the last layer, if has_narrow_output()
  /// [num_classes x capacity], or empty
  DeviceArray<Input> narrow_delta;

  DeviceArray<double> losses;  ///< [capacity]

  /// Of column_sum(), hidden_delta() and narrow_output().
  DeviceArray<double> partials;
};

/// Returns the most partial sums that column_sum() and hidden_delta() need for so
/// many units and up to so many instances.
[[nodiscard]] Index most_partials(Index units, Index capacity);

/// Returns true if narrow_output() can compute the last two layers.
[[nodiscard]] bool has_narrow_output(const Topology& topology);

/// Returns true if the derivative of the activation of layer k needs z.
[[nodiscard]] bool needs_z(const Topology& topology, Index k);

/// Returns true if f(z) of layer k is not its output in training.
[[nodiscard]] bool has_branch(const Topology& topology, Index k);

}  // namespace mlp::cuda
