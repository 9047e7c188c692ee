// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"
#include "resumable.hpp"
#include "update_range.hpp"

/// Adam and AdamW, update rules with a step length per weight.
namespace mlp::optim {

/// Hyper-parameters of Adam and AdamW.
struct AdamOptions {
  /// Decay rate of the mean gradient, 0 <= beta1 < 1.
  double beta1 = 0.9;

  /// Decay rate of the mean squared gradient, 0 <= beta2 < 1.
  double beta2 = 0.999;

  /// Added to the square root of the mean square; > 0. Larger values shorten
  /// the steps of weights with small gradients.
  double epsilon = 1e-8;

  /// Decoupled weight decay; > 0 selects AdamW. Before the step,
  /// w = w - step_size weight_decay w in the ranges that decay. The means do
  /// not include it.
  double weight_decay = 0.0;
};

namespace detail {

/// Computes correctly rounded square roots. Eigen's square roots of floats are
/// approximations whose bits depend on the processor.
template <typename Number>
inline void take_roots(UpdateChunk<Number>& chunk) {
#if defined(__SSE2__)
  if constexpr (std::is_same_v<Number, float>) {
    for (Index i = 0; i < UpdateChunk<Number>::SizeAtCompileTime; i += 4) {
      float* four = chunk.data() + i;
      _mm_storeu_ps(four, _mm_sqrt_ps(_mm_loadu_ps(four)));
    }
    return;
  }
#endif
  for (Number& number : chunk) number = std::sqrt(number);
}

}  // namespace detail

/// The Adam update rule, or AdamW if weight_decay > 0.
///
/// Step t computes m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
/// m' = m / (1 - beta1^t), v' = v / (1 - beta2^t) and
/// w = w - step_size m' / (sqrt(v') + epsilon).
/// Each weight is updated on its own, so threads may share the ranges in any
/// way and get the same bits.
///
/// \source Kingma and Ba 2015, algorithm 1; Loshchilov and Hutter 2019,
///         algorithm 2, with the decay times the step size as in
///         torch.optim.AdamW
template <typename Number>
class Adam {
 public:
  /// \pre 0 <= beta1, beta2 < 1, epsilon > 0, weight_decay >= 0
  Adam(Index num_weights, const AdamOptions& options) : options_(options) {
    mean_.setZero(num_weights);
    mean_square_.setZero(num_weights);
  }

  /// Starts the next step. Call it before update().
  void begin_step(double step_size) {
    ++num_steps_;
    const auto t = static_cast<double>(num_steps_);
    kept_ = static_cast<Number>(1.0 - step_size * options_.weight_decay);
    length_ =
        static_cast<Number>(step_size / (1.0 - std::pow(options_.beta1, t)));
    root_scale_ =
        static_cast<Number>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t)));
  }

  /// Updates the weights of one range. Several threads may call this function
  /// at the same time with ranges that do not overlap.
  ///
  /// \param[in,out] weights   [num_weights]
  /// \param         gradient  [num_weights]
  /// \pre  begin_step() was called for this step; the range is valid
  /// \cost one pass that reads four arrays and writes three
  void update(const UpdateRange& range, FlatRef<Number> weights,
              const ConstFlatRef<Number>& gradient) {
    const auto fresh1 = static_cast<Number>(1.0 - options_.beta1);
    const auto beta2 = static_cast<Number>(options_.beta2);
    const auto fresh2 = static_cast<Number>(1.0 - options_.beta2);
    const auto epsilon = static_cast<Number>(options_.epsilon);
    const Number kept = range.decays ? kept_ : Number{1};
    const Index end = range.first + range.size;
    for (Index i = range.first; i < end; i += kChunk) {
      const Index count = std::min(kChunk, end - i);
      const Chunk g = detail::load_chunk(gradient.data() + i, count);
      Chunk m = detail::load_chunk(mean_.data() + i, count);
      Chunk v = detail::load_chunk(mean_square_.data() + i, count);
      Chunk w = detail::load_chunk(weights.data() + i, count);
      m += fresh1 * (g - m);
      v = beta2 * v + fresh2 * (g * g);
      Chunk root = v;
      detail::take_roots<Number>(root);
      w = kept * w - length_ * (m / (root_scale_ * root + epsilon));
      detail::store_chunk(m, count, mean_.data() + i);
      detail::store_chunk(v, count, mean_square_.data() + i);
      detail::store_chunk(w, count, weights.data() + i);
    }
  }

  /// Returns the number of steps started so far.
  [[nodiscard]] Index num_steps() const { return num_steps_; }

  /// Writes the number of steps and both means. The weights and the options are
  /// not included.
  void save(ByteWriter& state) const {
    state.write_text(kStateName);
    write_rule_sizes<Number>(state, mean_.size(), num_steps_);
    state.write_vector(mean_);
    state.write_vector(mean_square_);
  }

  /// Restores the state that save() wrote.
  ///
  /// \throws ModelError if the state ends early or has another update rule,
  ///         number type or number of weights
  void restore(ByteReader& state) {
    const Index num_weights = mean_.size();
    state.require_text(kStateName, "the update rule");
    num_steps_ = read_rule_sizes<Number>(state, num_weights);
    mean_ = read_flat<Number>(state, num_weights);
    mean_square_ = read_flat<Number>(state, num_weights);
  }

 private:
  using Chunk = detail::UpdateChunk<Number>;

  static constexpr std::string_view kStateName = "adam 1";
  static constexpr Index kChunk = Chunk::SizeAtCompileTime;

  AdamOptions options_;
  Index num_steps_ = 0;
  Number kept_ = 1;        ///< factor of a decaying weight
  Number length_ = 0;      ///< step_size / (1 - beta1^t)
  Number root_scale_ = 1;  ///< 1 / sqrt(1 - beta2^t)
  Eigen::Matrix<Number, Eigen::Dynamic, 1> mean_, mean_square_;
};

}  // namespace mlp::optim
