// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../core/types.hpp"
#include "allreduce.hpp"

namespace mlp::distributed {

/// Vector sums without rounding errors, independent of the order of additions.
///
/// Each number is split into three parts. Each part is a multiple of a fixed
/// power of two and so small that a double can sum up to kMaxTerms of them
/// exactly. An ordinary sum over ranks, in any order, is then exact as well; it
/// transfers three times as many bytes. The parts keep a precision of 2^-139
/// relative to the largest number that fits.
///
/// \source Demmel and Nguyen 2013, Fast Reproducible Floating-Point Summation
///         (extraction into fixed bins)
class ExactSum {
 public:
  /// Maximum number of terms of a sum over all ranks.
  static constexpr Index kMaxTerms = 64;

  /// The largest magnitude that fits, as a multiple of the scale.
  static constexpr double kLimit = 0x1p20;

  /// The factor by which the scale grows if a number does not fit.
  static constexpr double kGrowth = 0x1p40;

  /// \param size       number of sums
  /// \param num_plain  count of additional numbers that are summed as doubles
  explicit ExactSum(Index size, Index num_plain = 0)
      : size_(size),
        numbers_(static_cast<std::size_t>(3 * size + num_plain), 0.0) {}

  /// Sets all sums to zero.
  ///
  /// \param scale  a power of two, the same on all ranks
  void clear(double scale) {
    scale_ = scale;
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
  }

  /// Adds numbers to the sums first .. first + count - 1. Several threads may
  /// add to different sums at the same time.
  ///
  /// \param first    index of the first sum
  /// \param numbers  [count]
  /// \return the largest magnitude of the numbers divided by the scale; NaN is
  ///         ignored. If fits() is false for it, the sums are wrong.
  double add(Index first, const double* numbers, Index count) {
    double* const high = numbers_.data() + first;
    double* const middle = high + size_;
    double* const low = middle + size_;
    const double inverse = 1.0 / scale_;
    double largest = 0.0;
    for (Index i = 0; i < count; ++i) {
      const double number = numbers[i] * inverse;
      const double top = round_to(kHighUnit, number);
      const double rest = number - top;
      const double next = round_to(kMiddleUnit, rest);
      high[i] += top;
      middle[i] += next;
      low[i] += round_to(kLowUnit, rest - next);
      largest = std::max(largest, std::abs(number));
    }
    return largest;
  }

  /// Tests if numbers fit the scale, given the largest magnitude from add().
  /// Infinity counts as fitting because it does not fit any scale.
  [[nodiscard]] static bool fits(double largest) {
    return !(largest > kLimit) || std::isinf(largest);
  }

  /// Rounds the sums first .. first + count - 1 to double.
  ///
  /// \param[out] sums  [count]
  void read(Index first, double* sums, Index count) const {
    const double* const high = numbers_.data() + first;
    const double* const middle = high + size_;
    const double* const low = middle + size_;
    for (Index i = 0; i < count; ++i) {
      sums[i] = (high[i] + (middle[i] + low[i])) * scale_;
    }
  }

  /// Returns the numbers to sum over ranks: the parts, then the plain numbers
  /// [3 size + num_plain].
  [[nodiscard]] std::span<double> numbers() { return numbers_; }

  /// Returns the plain numbers [num_plain].
  [[nodiscard]] std::span<double> plain() {
    return numbers().subspan(3 * static_cast<std::size_t>(size_));
  }

 private:
  // A sum of kMaxTerms multiples of a unit, each below 2^46 units, is below
  // 2^52 units.
  static constexpr double kHighUnit = 0x1p-26;
  static constexpr double kMiddleUnit = 0x1p-72;
  static constexpr double kLowUnit = 0x1p-118;

  /// Rounds to a multiple of a unit by adding and subtracting a large number,
  /// which drops the lower bits.
  ///
  /// \pre |number| < 2^51 units
  static double round_to(double unit, double number) {
    const double shift = unit * 0x1.8p52;
    return (number + shift) - shift;
  }

  Index size_;
  double scale_ = 1.0;
  std::vector<double> numbers_;  // high, middle, low [size] each, plain
};

/// Computes exact sums over all ranks at the smallest scale that fits.
///
/// \param sum  its last plain number is overwritten
/// \param add  a function that adds this rank's terms to sum and returns the
///             largest result of ExactSum::add(); it may be called several
///             times
template <typename Add>
void sum_over_ranks(Allreduce& allreduce, ExactSum& sum, const Add& add) {
  double scale = 1.0;
  do {
    sum.clear(scale);
    const double largest = add();
    sum.plain().back() = ExactSum::fits(largest) ? 0.0 : 1.0;
    allreduce.sum(sum.numbers());
    scale *= ExactSum::kGrowth;
  } while (sum.plain().back() > 0.0);
}

}  // namespace mlp::distributed
