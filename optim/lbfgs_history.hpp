// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../core/byte_stream.hpp"
#include "../core/types.hpp"
#include "add_and_dot.hpp"
#include "resumable.hpp"

namespace mlp::optim {

/// The last corrections (s, y), s = x' - x and y = g' - g, and the inverse
/// Hessian they stand for.
///
/// Pairs are never skipped, damped or filtered: Breeze does none of it. Memory:
/// 2 history_size num_weights doubles, taken as corrections come.
///
/// \source Nocedal and Wright 2006, Numerical Optimization, algorithm 7.4;
///         Breeze optimize/LBFGS.scala, ApproximateInverseHessian
class LbfgsHistory {
 public:
  explicit LbfgsHistory(Index history_size)
      : capacity_(static_cast<std::size_t>(history_size)) {}

  void clear() { size_ = 0; }

  [[nodiscard]] Index size() const { return static_cast<Index>(size_); }

  /// Records one correction; the oldest beyond history_size is forgotten.
  ///
  /// \param step    x' - x              [num_weights]
  /// \param change  g' - g              [num_weights]
  void push(const Vector& x, const Vector& new_x, const Vector& gradient,
            const Vector& new_gradient) {
    if (capacity_ == 0) return;
    newest_ = (newest_ + 1) % capacity_;
    if (newest_ == corrections_.size()) corrections_.emplace_back();
    Correction& pair = corrections_[newest_];
    pair.s = new_x - x;
    pair.y = new_gradient - gradient;
    pair.curvature = pair.s.dot(pair.y);
    size_ = std::min(size_ + 1, capacity_);
  }

  /// Computes direction = -H gradient by the two-loop recursion.
  ///
  /// \param      gradient   [num_weights]
  /// \param[out] direction  [num_weights]
  /// \return false where the curvature s.y is negative or a coefficient is not
  ///         a number: the history is of no use, direction is undefined
  /// \cost   8 history_size num_weights flops
  [[nodiscard]] bool descend(const Vector& gradient, Vector& direction) {
    direction = gradient;
    double scale = 1.0;
    if (size_ > 0) {
      const Correction& newest = at(0);
      const double curvature = newest.curvature;
      if (curvature < 0.0 || std::isnan(curvature)) return false;
      scale = curvature / newest.y.squaredNorm();
    }
    if (size_ == 0) {
      direction *= -1.0;
      return true;
    }
    // Each pass subtracts one correction and meets the next: the direction is
    // read once for both.
    coefficients_.resize(size_);
    double product = at(0).s.dot(direction);
    for (std::size_t age = 0; age < size_; ++age) {
      const Correction& pair = at(age);
      coefficients_[age] = product / pair.curvature;
      if (std::isnan(coefficients_[age])) return false;
      const bool is_last = age + 1 == size_;
      const Vector& next = is_last ? pair.y : at(age + 1).s;
      product = add_and_dot(-coefficients_[age], pair.y, next, direction);
    }
    // The scale multiplies the direction and the product met already.
    direction *= scale;
    product *= scale;
    for (std::size_t age = size_; age-- > 0;) {
      const Correction& pair = at(age);
      const double b = product / pair.curvature;
      const Vector& next = age == 0 ? pair.y : at(age - 1).y;
      product = add_and_dot(coefficients_[age] - b, pair.s, next, direction);
    }
    direction *= -1.0;
    return true;
  }

  /// Writes the corrections from the oldest to the newest.
  void save(ByteWriter& state) const {
    state.write(static_cast<std::int64_t>(capacity_));
    state.write(static_cast<std::int64_t>(size_));
    for (std::size_t age = size_; age-- > 0;) {
      state.write_vector(at(age).s);
      state.write_vector(at(age).y);
      state.write(at(age).curvature);
    }
  }

  /// Takes the corrections that save() wrote.
  ///
  /// \throws ModelError where history_size or the number of weights is another
  void restore(ByteReader& state, Index num_weights) {
    state.require_equal(static_cast<Index>(capacity_), "history_size");
    const auto size = static_cast<std::size_t>(state.read<std::int64_t>());
    if (size > capacity_) {
      state.refuse("the number of corrections must be 0 to " +
                   std::to_string(capacity_) + "; got " +
                   std::to_string(static_cast<std::int64_t>(size)));
    }
    corrections_.clear();
    for (std::size_t i = 0; i < size; ++i) {
      Correction pair;
      pair.s = read_flat<double>(state, num_weights);
      pair.y = read_flat<double>(state, num_weights);
      pair.curvature = state.read<double>();
      corrections_.push_back(std::move(pair));
    }
    size_ = size;
    newest_ = size - 1;
  }

 private:
  struct Correction {
    Vector s;
    Vector y;
    double curvature = 0.0;  ///< s.y
  };

  /// The correction of an age, 0 for the newest.
  [[nodiscard]] const Correction& at(std::size_t age) const {
    return corrections_[(newest_ + capacity_ - age) % capacity_];
  }

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::size_t newest_ = static_cast<std::size_t>(-1);
  std::vector<Correction> corrections_;
  std::vector<double> coefficients_;
};

}  // namespace mlp::optim
