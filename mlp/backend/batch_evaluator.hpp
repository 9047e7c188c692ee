// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Evaluates a network on mini-batches: loss and gradient for training.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"

namespace mlp {

/// The layers that training does not change   [num_layers], or empty for none.
///
/// Batch normalisation of a frozen layer computes as in scoring, and its
/// running statistics do not change. Dropout is still applied.
using FrozenLayers = std::vector<bool>;

/// A mini-batch, or the part of it that belongs to one rank.
struct MiniBatch {
  /// Positions in the instances of bind(): at least 1, at least 2 with batch
  /// normalisation.
  std::span<const Index> instances;

  std::uint64_t dropout_seed = 0;  ///< the seed of this step

  /// The position of each instance in the mini-batch of all ranks, used by
  /// dropout; empty for 0, 1, 2, ...
  std::span<const Index> places = {};

  /// The divisor of the sum of w l; 0 for the sum of w.
  double divisor = 0.0;

  /// Called when the gradients of a layer and of all later layers are final. It
  /// is called on any thread, not always in order, and may skip layers. Must
  /// not throw. May be null.
  const std::function<void(Index layer)>* on_layer_done = nullptr;

  /// When it becomes true, the evaluation may end early; its results and the
  /// running statistics are then undefined. May be null.
  const std::atomic<bool>* is_stopping = nullptr;
};

/// Evaluates one network on mini-batches with batch normalisation and dropout.
///
/// \tparam Number  double or float: the type of features, weights, outputs and
///                 gradient. The loss is summed in double precision.
template <typename Number>
class BatchEvaluator {
 public:
  virtual ~BatchEvaluator() = default;

  /// Sets the instances that mini-batches are taken from. Their data must stay
  /// alive and unchanged. Instances without weights have weight 1.
  ///
  /// \cost may store a copy of the features
  virtual void bind(const InstanceRange& instances) = 0;

  /// Computes sum of w l / sum of w over the instances of a mini-batch, and its
  /// gradient. w is the weight of an instance, l its loss. Both results are 0
  /// if the weights sum to 0.
  ///
  /// \param         weights     [topology.num_weights()]
  /// \param[in,out] statistics  running statistics
  ///                            [topology.num_statistics()]
  /// \param[out]    gradient    [topology.num_weights()]; 0 for frozen layers
  /// \param         pool        the number of threads does not change the bits
  /// \return in nats, or half the square of the target's unit
  virtual double value_and_gradient(const MiniBatch& batch,
                                    const Number* weights, Number* statistics,
                                    Number* gradient, ThreadPool& pool) = 0;
};

}  // namespace mlp
