// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "../../core/index.hpp"
#include "../kernels/convert.hpp"
#include "../kernels/number_types.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"

namespace mlp::cuda {

/// The weights of a network in the types of its computation, on the device
/// [num_weights] each.
template <typename Number, typename Input>
struct NetworkWeights {
  const Number* numbers = nullptr;  ///< read, but for the factors of products
  const Input* operands = nullptr;  ///< W and projections, as factors
};

/// Memory for the weights of an evaluation, rounded to the types of the
/// computation.
///
/// \tparam Master  double or float: the type in which the weights are trained
/// \tparam Number  double or float, at most as precise
/// \tparam Input   Number, or BFloat16 with Number = float
template <typename Master, typename Number, typename Input>
class WeightCopies {
 public:
  explicit WeightCopies(Index num_weights) : num_weights_(num_weights) {
    if constexpr (kHasNumbers) numbers_ = DeviceArray<Number>(num_weights);
    if constexpr (kHasOperands) operands_ = DeviceArray<Input>(num_weights);
  }

  /// The bytes of a weight.
  static constexpr std::size_t kBytes =
      (!std::is_same_v<Master, Number> ? sizeof(Number) : 0) +
      (!std::is_same_v<Number, Input> ? sizeof(Input) : 0);

  /// Adds the copies to the stream. Types that are equal share memory.
  ///
  /// \param weights  on the device; must stay as it is while the result is used
  ///                 [num_weights]
  /// \cost  reads the weights once for each other type
  NetworkWeights<Number, Input> make(const Master* weights,
                                     const Stream& stream) {
    NetworkWeights<Number, Input> copies;
    if constexpr (kHasNumbers) {
      convert(num_weights_, weights, 1.0, numbers_.data(), stream.get());
      copies.numbers = numbers_.data();
    } else {
      copies.numbers = weights;
    }
    if constexpr (kHasOperands) {
      convert(num_weights_, copies.numbers, 1.0, operands_.data(),
              stream.get());
      copies.operands = operands_.data();
    } else {
      copies.operands = copies.numbers;
    }
    return copies;
  }

 private:
  static constexpr bool kHasNumbers = !std::is_same_v<Master, Number>;
  static constexpr bool kHasOperands = !std::is_same_v<Number, Input>;

  Index num_weights_;
  DeviceArray<Number> numbers_;  // [num_weights], or empty
  DeviceArray<Input> operands_;  // [num_weights], or empty
};

}  // namespace mlp::cuda
