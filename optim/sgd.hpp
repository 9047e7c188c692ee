// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"
#include "resumable.hpp"
#include "update_range.hpp"

namespace mlp::optim {

struct SgdOptions {
  /// Velocity kept from step to step, 0 <= momentum < 1. 0.9 sums about ten
  /// gradients; 0 keeps no velocity and takes no memory.
  double momentum = 0.0;

  /// Steps along the gradient plus momentum times the new velocity.
  bool is_nesterov = false;

  /// Adds weight_decay w to the gradient where a range decays; >= 0.
  double weight_decay = 0.0;
};

/// Stochastic gradient descent with momentum: v = momentum v + g and
/// w = w - step_size v, or, with Nesterov's, w - step_size (g + momentum v).
///
/// v begins as 0, so that the first step has v = g. Element by element: ranges
/// may be split among threads in any way without a change in any bit.
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

  /// Begins the next step, before update() is called for its ranges.
  void begin_step(double step_size) {
    ++num_steps_;
    step_size_ = static_cast<Number>(step_size);
  }

  /// Makes the step in one range. Several threads may call it at once with
  /// ranges that do not overlap.
  ///
  /// \param[in,out] weights   [num_weights]
  /// \param         gradient  [num_weights]
  /// \pre  begin_step() was called for this step; the range lies within
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

  /// Steps begun so far.
  [[nodiscard]] Index num_steps() const { return num_steps_; }

  /// Writes what the next steps depend on; weights and options are not part.
  void save(ByteWriter& state) const {
    state.write_text(kStateName);
    write_rule_sizes<Number>(state, num_weights_, num_steps_);
    state.write_flag(has_velocity());
    if (has_velocity()) state.write_vector(velocity_);
  }

  /// Takes what save() wrote.
  ///
  /// \throws ModelError where the state ends early or is of another rule,
  ///         number type, number of weights, or has velocity where this has not
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
    // The step is along own g + ahead v.
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
