// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../resumable.hpp"

namespace mlp::optim {

/// Computes x += a y and then the dot product x^T z in one pass.
///
/// Eight independent partial sums hide the latency of the additions.
///
/// \param[in,out] x  += a y   [num_weights]
/// \return x^T z, with the new x
/// \pre    x, y and z have the same size
/// \cost   4 num_weights flops; reads three vectors and writes one
inline double add_and_dot(double a, const Vector& y, const Vector& z,
                          Vector& x) {
  constexpr Index kChains = 8;
  Eigen::Array<double, kChains, 1> sums;
  sums.setZero();
  Index i = 0;
  for (; i + kChains <= x.size(); i += kChains) {
    x.segment<kChains>(i) += a * y.segment<kChains>(i);
    sums += x.segment<kChains>(i).array() * z.segment<kChains>(i).array();
  }
  for (; i < x.size(); ++i) {
    x[i] += a * y[i];
    sums[i % kChains] += x[i] * z[i];
  }
  return sums.sum();
}

/// The last corrections of L-BFGS and the inverse Hessian that they define.
///
/// A correction is the pair s = x' - x and y = g' - g. As in Breeze, no pair is
/// skipped, damped or filtered. The history uses up to
/// 2 history_size num_weights doubles, allocated as corrections are added.
///
/// \source Nocedal and Wright 2006, Numerical Optimization, algorithm 7.4;
///         Breeze optimize/LBFGS.scala, ApproximateInverseHessian
class LbfgsHistory {
 public:
  explicit LbfgsHistory(Index history_size)
      : capacity_(static_cast<std::size_t>(history_size)) {}

  void clear() { size_ = 0; }

  [[nodiscard]] Index size() const { return static_cast<Index>(size_); }

  /// Records one correction. If the history is full, it replaces the oldest. If
  /// there is no memory for it, the history stays as it is.
  ///
  /// \param x, new_x                [num_weights]
  /// \param gradient, new_gradient  at x and at new_x   [num_weights]
  void push(const Vector& x, const Vector& new_x, const Vector& gradient,
            const Vector& new_gradient) {
    if (capacity_ == 0) return;
    const std::size_t next = (newest_ + 1) % capacity_;
    if (next == corrections_.size()) {
      corrections_.push_back({Vector(x.size()), Vector(x.size())});
    }
    Correction& pair = corrections_[next];
    pair.s = new_x - x;
    pair.y = new_gradient - gradient;
    pair.curvature = pair.s.dot(pair.y);
    newest_ = next;
    size_ = std::min(size_ + 1, capacity_);
  }

  /// Computes direction = -H gradient by the two-loop recursion.
  ///
  /// \param      gradient   [num_weights]
  /// \param[out] direction  [num_weights]
  /// \return false if the curvature s.y is negative or NaN or a coefficient is
  ///         NaN; direction is then undefined
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
    // Each pass subtracts one correction and computes the dot product with the
    // next one, so the direction is read only once for both.
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
    // product was computed before the scaling, so it is scaled too.
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

  /// Reads what save() wrote before the corrections.
  ///
  /// \return the number of corrections
  /// \throws ModelError if it is above history_size, or history_size differs
  [[nodiscard]] static Index read_size(ByteReader& state, Index history_size) {
    state.require_equal(history_size, "history_size");
    const auto size = state.read<std::int64_t>();
    if (size < 0 || size > history_size) {
      state.refuse("the number of corrections must be 0 to " +
                   std::to_string(history_size) + "; got " +
                   std::to_string(size));
    }
    return size;
  }

  /// Restores the corrections that save() wrote.
  ///
  /// \throws ModelError if history_size or the number of weights differs
  void restore(ByteReader& state, Index num_weights) {
    const auto size = static_cast<std::size_t>(
        read_size(state, static_cast<Index>(capacity_)));
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

  /// Returns the correction of the given age; the newest has age 0.
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
