// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"

namespace mlp {

/// Which layers training leaves as they are   [num_layers], or empty for none.
///
/// The batch normalisation of a frozen layer computes as in scoring, and its
/// running statistics stay; dropout goes on.
using FrozenLayers = std::vector<bool>;

/// A mini-batch, or the part of it that one rank has.
struct MiniBatch {
  /// Positions in the instances of bind(): >= 1 of them, >= 2 with batch
  /// normalisation.
  std::span<const Index> instances;

  std::uint64_t dropout_seed = 0;  ///< of this step

  /// Of each instance in the mini-batch of all ranks, which dropout asks for;
  /// empty for 0, 1, 2, ...
  std::span<const Index> places = {};

  /// What the sum of w l is divided by; 0 for the sum of w.
  double divisor = 0.0;

  /// Called when the gradient of a layer and of all behind it is final, from any
  /// thread and not always in order; layers may be left out. Must not throw. May
  /// be null.
  const std::function<void(Index layer)>* on_layer_done = nullptr;
};

/// The arithmetic of one network on mini-batches, in training: batch normalisation
/// by the mini-batch, dropout.
///
/// \tparam Number  double or float: of features, weights, outputs and gradient.
///                 The loss is summed in double precision.
template <typename Number>
class BatchEvaluator {
 public:
  virtual ~BatchEvaluator() = default;

  /// Tells the instances that batches are made of. What they point to must stay
  /// alive and as it is; instances without weights weigh 1 each.
  ///
  /// \cost may keep the features in a form of its own
  virtual void bind(const InstanceRange& instances) = 0;

  /// Computes sum of w l / sum of w over the instances of a batch, w their weight
  /// and l their loss, and its gradient; 0 for both where the weights sum to 0.
  ///
  /// \param         weights     [topology.num_weights()]
  /// \param[in,out] statistics  running ones   [topology.num_statistics()]
  /// \param[out]    gradient    [topology.num_weights()]; 0 for frozen layers
  /// \param         pool        the bits do not depend on its threads
  /// \return in nats, or half the square of the target's unit
  virtual double value_and_gradient(const MiniBatch& batch,
                                    const Number* weights, Number* statistics,
                                    Number* gradient, ThreadPool& pool) = 0;
};

}  // namespace mlp
