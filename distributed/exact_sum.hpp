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

/// Vectors summed without rounding, so that neither the order of the additions nor
/// who makes them changes a bit of the result.
///
/// Each number becomes three, each a multiple of a fixed power of two and so small
/// that up to kMaxTerms of them add exactly in a double. An ordinary sum over
/// ranks, whatever its order, is then exact too: it needs three times the bytes
/// and no other transport. Numbers keep 2^-139 of the largest that fits.
///
/// \source Demmel and Nguyen 2013, Fast Reproducible Floating-Point Summation
///         (extraction into fixed bins)
class ExactSum {
 public:
  /// Terms of a sum over all ranks.
  static constexpr Index kMaxTerms = 64;

  /// Numbers up to this times the scale fit.
  static constexpr double kLimit = 0x1p20;

  /// How much the scale grows where a number does not fit.
  static constexpr double kGrowth = 0x1p40;

  /// \param size       of each term
  /// \param num_plain  numbers behind the parts that are summed as they are
  explicit ExactSum(Index size, Index num_plain = 0)
      : size_(size),
        numbers_(static_cast<std::size_t>(3 * size + num_plain), 0.0) {}

  /// Begins anew.
  ///
  /// \param scale  a power of two, the same on all ranks
  void clear(double scale) {
    scale_ = scale;
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
  }

  /// Adds numbers to some of the sums. Threads may add to different ones.
  ///
  /// \param first    of the sums
  /// \param numbers  [count]
  /// \return the largest magnitude among the numbers, in scales, NaN left out;
  ///         the sums are wrong unless it fits()
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

  /// True where numbers whose largest magnitude add() gave fit the scale, or are
  /// not finite and would fit none.
  [[nodiscard]] static bool fits(double largest) {
    return !(largest > kLimit) || std::isinf(largest);
  }

  /// Rounds some of the sums.
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

  /// What is summed over ranks: the parts, then the plain numbers
  /// [3 size + num_plain]
  [[nodiscard]] std::span<double> numbers() { return numbers_; }

  /// [num_plain]
  [[nodiscard]] std::span<double> plain() {
    return numbers().subspan(3 * static_cast<std::size_t>(size_));
  }

 private:
  // The sum of kMaxTerms multiples of a unit below 2^46 units fits 2^52.
  static constexpr double kHighUnit = 0x1p-26;
  static constexpr double kMiddleUnit = 0x1p-72;
  static constexpr double kLowUnit = 0x1p-118;

  /// Rounds to a multiple of a unit, by an addition in which the others' bits
  /// have no place.
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

/// Sums over all ranks, at the smallest scale that fits the numbers of all.
///
/// \param sum  its last plain number is written over
/// \param add  add() adds this rank's terms to sum, and returns the largest
///             magnitude that ExactSum::add() gave
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
