// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"
#include "resumable.hpp"
#include "update_range.hpp"

/// Stochastic gradient descent, with optional momentum.
namespace mlp::optim {

/// Hyper-parameters of stochastic gradient descent.
struct SgdOptions {
  /// Factor of the velocity from one step to the next, 0 <= momentum < 1. 0.9
  /// sums about ten gradients; 0 stores no velocity.
  double momentum = 0.0;

  /// Uses Nesterov's momentum: the step is along gradient + momentum velocity.
  bool is_nesterov = false;

  /// Adds weight_decay w to the gradient in the ranges that decay; >= 0.
  double weight_decay = 0.0;
};

/// The update rule of stochastic gradient descent.
///
/// A step computes v = momentum v + g and w = w - step_size v, or
/// w = w - step_size (g + momentum v) with Nesterov's momentum. v starts at 0.
/// Each weight is updated on its own, so threads may share the ranges in any
/// way and get the same bits.
///
/// \source Sutskever, Martens, Dahl and Hinton 2013, section 2, with the step
///         size outside of v as in torch.optim.SGD
template <typename Number>
class Sgd {
 public:
  /// \pre 0 <= options.momentum < 1, options.weight_decay >= 0
  Sgd(Index num_weights, const SgdOptions& options)
      : options_(options), num_weights_(num_weights) {
    if (has_velocity()) velocity_.setZero(num_weights);
  }

  /// Starts the next step. Call it before update().
  void begin_step(double step_size) {
    ++num_steps_;
    step_size_ = static_cast<Number>(step_size);
  }

  /// Updates the weights of one range. Several threads may call this function
  /// at the same time with ranges that do not overlap.
  ///
  /// \param[in,out] weights   [num_weights]
  /// \param         gradient  [num_weights]
  /// \pre  begin_step() was called for this step; the range is valid
  /// \cost one pass that reads three arrays and writes two
  void update(const UpdateRange& range, FlatRef<Number> weights,
              const ConstFlatRef<Number>& gradient) {
    Number* w = weights.data() + range.first;
    const Number* g = gradient.data() + range.first;
    const auto decay =
        static_cast<Number>(range.decays ? options_.weight_decay : 0.0);
    if (has_velocity()) {
      move_with_velocity(range.size, decay, g, velocity_.data() + range.first,
                         w);
    } else {
      move(range.size, decay, g, w);
    }
  }

  /// Returns the number of steps started so far.
  [[nodiscard]] Index num_steps() const { return num_steps_; }

  /// The velocity   [num_weights], or [0] without momentum.
  [[nodiscard]] const auto& velocity() const { return velocity_; }

  /// Takes over the state of a rule that runs elsewhere.
  ///
  /// \param velocity  [num_weights], or [0] without momentum
  void set_state(Index num_steps,
                 Eigen::Matrix<Number, Eigen::Dynamic, 1> velocity) {
    num_steps_ = num_steps;
    velocity_ = std::move(velocity);
  }

  /// Writes the number of steps and the velocity. The weights and the options
  /// are not included.
  void save(ByteWriter& state) const {
    state.write_text(kStateName);
    write_rule_sizes<Number>(state, num_weights_, num_steps_);
    state.write_flag(has_velocity());
    if (has_velocity()) state.write_vector(velocity_);
  }

  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early, has another update rule,
  ///         number type or number of weights, or if only one of both has
  ///         velocity
  void restore(ByteReader& state) {
    state.require_text(kStateName, "the update rule");
    num_steps_ = read_rule_sizes<Number>(state, num_weights_);
    if (state.read_flag() != has_velocity()) {
      state.refuse(
          "momentum must be 0 in both runs or in none; got 0 in one; resume "
          "with the momentum of the run that wrote the state");
    }
    if (has_velocity()) velocity_ = read_flat<Number>(state, num_weights_);
  }

 private:
  using Chunk = detail::UpdateChunk<Number>;

  static constexpr std::string_view kStateName = "sgd 1";
  static constexpr Index kChunk = Chunk::SizeAtCompileTime;

  [[nodiscard]] bool has_velocity() const { return options_.momentum != 0.0; }

  void move(Index size, Number decay, const Number* gradient,
            Number* weights) const {
    for (Index i = 0; i < size; i += kChunk) {
      const Index count = std::min(kChunk, size - i);
      Chunk w = detail::load_chunk(weights + i, count);
      const Chunk g = detail::load_chunk(gradient + i, count) + decay * w;
      w -= step_size_ * g;
      detail::store_chunk(w, count, weights + i);
    }
  }

  void move_with_velocity(Index size, Number decay, const Number* gradient,
                          Number* velocity, Number* weights) const {
    const auto momentum = static_cast<Number>(options_.momentum);
    // The step is along own g + ahead v: v, or g + momentum v with Nesterov's.
    const auto own = static_cast<Number>(options_.is_nesterov ? 1.0 : 0.0);
    const Number ahead = options_.is_nesterov ? momentum : Number{1};
    for (Index i = 0; i < size; i += kChunk) {
      const Index count = std::min(kChunk, size - i);
      Chunk w = detail::load_chunk(weights + i, count);
      const Chunk g = detail::load_chunk(gradient + i, count) + decay * w;
      const Chunk v = momentum * detail::load_chunk(velocity + i, count) + g;
      w -= step_size_ * (own * g + ahead * v);
      detail::store_chunk(v, count, velocity + i);
      detail::store_chunk(w, count, weights + i);
    }
  }

  SgdOptions options_;
  Index num_weights_;
  Index num_steps_ = 0;
  Number step_size_ = 0;
  Eigen::Matrix<Number, Eigen::Dynamic, 1> velocity_;  // [num_weights] or [0]
};

}  // namespace mlp::optim
