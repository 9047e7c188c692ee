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
#include <utility>

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

/// The numbers that all weights share in a step of Adam.
struct AdamFactors {
  double kept = 1.0;        ///< of a weight that decays
  double length = 0.0;      ///< step_size / (1 - beta1^t)
  double root_scale = 1.0;  ///< 1 / sqrt(1 - beta2^t)
};

/// Computes the factors of a step.
///
/// \param step  t, counted from 1
[[nodiscard]] inline AdamFactors adam_factors(const AdamOptions& options,
                                              Index step, double step_size) {
  const auto t = static_cast<double>(step);
  return {1.0 - step_size * options.weight_decay,
          step_size / (1.0 - std::pow(options.beta1, t)),
          1.0 / std::sqrt(1.0 - std::pow(options.beta2, t))};
}

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
    const AdamFactors factors = adam_factors(options_, num_steps_, step_size);
    kept_ = static_cast<Number>(factors.kept);
    length_ = static_cast<Number>(factors.length);
    root_scale_ = static_cast<Number>(factors.root_scale);
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

  /// The mean gradient and the mean squared gradient   [num_weights].
  [[nodiscard]] const auto& mean() const { return mean_; }
  [[nodiscard]] const auto& mean_square() const { return mean_square_; }

  /// Takes over the state of a rule that runs elsewhere.
  ///
  /// \param mean, mean_square  [num_weights]
  void set_state(Index num_steps, Eigen::Matrix<Number, Eigen::Dynamic, 1> mean,
                 Eigen::Matrix<Number, Eigen::Dynamic, 1> mean_square) {
    num_steps_ = num_steps;
    mean_ = std::move(mean);
    mean_square_ = std::move(mean_square);
  }

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
  Number kept_ = 1;        // as AdamFactors
  Number length_ = 0;      // as AdamFactors
  Number root_scale_ = 1;  // as AdamFactors
  Eigen::Matrix<Number, Eigen::Dynamic, 1> mean_, mean_square_;
};

}  // namespace mlp::optim
