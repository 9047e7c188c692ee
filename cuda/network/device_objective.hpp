// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The objectives of solvers on the device.

#include <cstdint>
#include <functional>

#include "../../core/index.hpp"

namespace mlp::cuda {

/// Called while an evaluation is added to a stream: the gradients of this layer
/// and of all later layers are final behind the work that the stream has now. May
/// skip layers. Null if nobody waits for it.
using LayerEnqueued = std::function<void(Index layer)>;

/// The sum of weight times loss over all instances, and its gradient, at weights
/// in the memory of the device.
class DeviceObjective {
 public:
  virtual ~DeviceObjective() = default;

  /// Returns true if add_evaluation() may be captured in a graph: all data stay
  /// on the device.
  [[nodiscard]] virtual bool is_capturable() const = 0;

  /// Adds one evaluation to the stream of this object. The same weights give the
  /// same bits.
  ///
  /// \param      weights   on the device   [num_weights]
  /// \param[out] value     on the device   [1]
  /// \param[out] gradient  on the device   [num_weights]
  virtual void add_evaluation(const double* weights, double* value,
                              double* gradient,
                              const LayerEnqueued& on_layer) = 0;
};

/// A mini-batch in the memory of the device. The numbers that change in each step
/// are read there, so that a captured step can be repeated.
struct DeviceBatch {
  /// The numbers of one step, on the device.
  struct Step {
    std::uint64_t dropout_seed;
    double divisor;  ///< of the sum of w l; 0 for the sum of w
  };

  Index size = 0;                    ///< at least 1
  const Index* instances = nullptr;  ///< positions   [size]
  const Index* places = nullptr;  ///< in dropout [size]; null for 0, 1, 2, ..
  const Step* step = nullptr;     ///< [1]
};

/// The mean loss of mini-batches, and its gradient, in the memory of the device.
///
/// \tparam Number  double or float: the type of weights, statistics and gradient
template <typename Number>
class DeviceBatchObjective {
 public:
  virtual ~DeviceBatchObjective() = default;

  [[nodiscard]] virtual bool is_capturable() const = 0;

  /// Adds one evaluation to the stream of this object.
  ///
  /// \param         weights     on the device   [num_weights]
  /// \param[in,out] statistics  running, on the device   [num_statistics]
  /// \param[out]    loss        sum of w l / divisor, on the device   [1]
  /// \param[out]    gradient    on the device; 0 for frozen layers
  ///                            [num_weights]
  virtual void add_evaluation(const DeviceBatch& batch, const Number* weights,
                              Number* statistics, double* loss,
                              Number* gradient,
                              const LayerEnqueued& on_layer) = 0;
};

}  // namespace mlp::cuda
