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

namespace mlp::optim {

struct AdamOptions {
  /// Kept of the mean gradient from step to step, 0 <= beta1 < 1.
  double beta1 = 0.9;

  /// Kept of the mean square from step to step, 0 <= beta2 < 1.
  double beta2 = 0.999;

  /// Added to the root of the mean square; > 0. Larger values slow down weights
  /// whose gradients are small.
  double epsilon = 1e-8;

  /// AdamW where > 0: before the step w = w - step_size weight_decay w, where a
  /// range decays. It never enters the means.
  double weight_decay = 0.0;
};

namespace detail {

/// Takes square roots, each exactly rounded. Eigen's own of floats are
/// approximate, with bits that depend on the processor.
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

/// Adam, and AdamW where weight_decay > 0: m = beta1 m + (1 - beta1) g,
/// v = beta2 v + (1 - beta2) g^2, and w = w - step_size m' / (sqrt(v') + epsilon)
/// with m' = m / (1 - beta1^t) and v' = v / (1 - beta2^t) in step t.
///
/// Element by element: ranges may be split among threads in any way without a
/// change in any bit.
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

  /// Begins the next step, before update() is called for its ranges.
  void begin_step(double step_size) {
    ++num_steps_;
    const auto t = static_cast<double>(num_steps_);
    kept_ = static_cast<Number>(1.0 - step_size * options_.weight_decay);
    length_ =
        static_cast<Number>(step_size / (1.0 - std::pow(options_.beta1, t)));
    root_scale_ =
        static_cast<Number>(1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t)));
  }

  /// Makes the step in one range. Several threads may call it at once with
  /// ranges that do not overlap.
  ///
  /// \param[in,out] weights   [num_weights]
  /// \param         gradient  [num_weights]
  /// \pre  begin_step() was called for this step; the range lies within
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

  /// Steps begun so far.
  [[nodiscard]] Index num_steps() const { return num_steps_; }

  /// Writes what the next steps depend on; weights and options are not part.
  void save(ByteWriter& state) const {
    state.write_text(kStateName);
    write_rule_sizes<Number>(state, mean_.size(), num_steps_);
    state.write_vector(mean_);
    state.write_vector(mean_square_);
  }

  /// Takes what save() wrote.
  ///
  /// \throws ModelError where the state ends early or is of another rule,
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
  Number kept_ = 1;        ///< of a decaying weight
  Number length_ = 0;      ///< step_size / (1 - beta1^t)
  Number root_scale_ = 1;  ///< 1 / sqrt(1 - beta2^t)
  Eigen::Matrix<Number, Eigen::Dynamic, 1> mean_, mean_square_;
};

}  // namespace mlp::optim
