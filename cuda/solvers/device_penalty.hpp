// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <span>
#include <vector>

#include "../../core/index.hpp"
#include "../../mlp/backend/penalty.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "../steps/penalty.hpp"

namespace mlp::cuda {

/// Makes the kind of each weight.
///
/// \param ranges  the weights that change, in order
/// \return [num_weights]
[[nodiscard]] std::vector<WeightKind> weight_kinds(
    std::span<const optim::UpdateRange> ranges, Index num_weights);

/// The penalty of an objective on the device, and which weights change.
class DevicePenalty {
 public:
  DevicePenalty(const Penalty& penalty, Index num_weights,
                const Stream& stream);

  /// Adds the penalty to the work of the stream; see add_penalty().
  ///
  /// \param         weights   [num_weights]
  /// \param[in,out] gradient  [num_weights]
  /// \param[in,out] value     [1]
  template <typename Number>
  void add(const Number* weights, Number* gradient, double* value) {
    if (is_plain_) return;
    add_penalty(terms_,
                std::span<const WeightKind>(
                    kinds_.data(), static_cast<std::size_t>(kinds_.size())),
                weights, PenaltyTarget<Number>{value, gradient},
                partials_.data(), stream_.get());
  }

  /// The kind of each weight, on the device   [num_weights].
  [[nodiscard]] const WeightKind* kinds() const { return kinds_.data(); }

 private:
  const Stream& stream_;
  PenaltyTerms terms_;
  bool is_plain_;  ///< all weights change, and nothing is added or clipped
  DeviceArray<WeightKind> kinds_;
  DeviceArray<double> partials_;
};

}  // namespace mlp::cuda
