// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "../../core/index.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/network/topology.hpp"
#include "device_context.hpp"

namespace mlp::cuda {

/// The forward pass of a network for instances of the host, some thousands at a
/// time.
///
/// Thread safety: the caller has the lock of the context.
class ScoringPass {
 public:
  virtual ~ScoringPass() = default;

  /// Copies the weights to the device, rounded to the types of the computation.
  ///
  /// \param weights  on the host   [topology.num_weights()]
  virtual void set_weights(const double* weights) = 0;

  /// Computes the output of layer k, of the last layer z, and waits for it.
  ///
  /// \param      features     on the host   [num_features x size]
  /// \param[out] output       on the host   [output_size(k) x size]
  /// \param      is_stopping  asked before each part; true ends the call, whose
  ///                          result is then undefined. May be empty.
  virtual void compute(const double* features, Index size, Index k,
                       double* output,
                       const std::function<bool()>& is_stopping) = 0;

  /// Computes the same with input and output in single precision.
  virtual void compute(const float* features, Index size, Index k,
                       float* output,
                       const std::function<bool()>& is_stopping) = 0;
};

/// Makes the pass of a precision. Memory is allocated by the first calls.
///
/// \param context  must outlive the result
[[nodiscard]] std::unique_ptr<ScoringPass> make_scoring_pass(
    const Topology& topology, Precision precision, DeviceContext& context);

}  // namespace mlp::cuda
