// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "names.hpp"

namespace mlp {

/// The numbers from a lower end to an upper end, which is optional. Checks and
/// their messages use it. Its ends are integers.
struct Interval {
  static constexpr std::int64_t kNoEnd =
      std::numeric_limits<std::int64_t>::max();

  std::int64_t lower = 0;
  bool includes_lower = true;  ///< the lower end belongs to the interval
  std::int64_t upper = kNoEnd;
  bool includes_upper = true;  ///< the upper end belongs to the interval

  [[nodiscard]] constexpr Interval and_at_most(std::int64_t end) const {
    return {lower, includes_lower, end, true};
  }
  [[nodiscard]] constexpr Interval and_below(std::int64_t end) const {
    return {lower, includes_lower, end, false};
  }

  [[nodiscard]] constexpr bool is_bounded() const { return upper != kNoEnd; }

  /// Returns true if a number is in the interval. NaN never is.
  template <typename Number>
  [[nodiscard]] constexpr bool contains(Number number) const {
    const auto low = static_cast<Number>(lower);
    const auto high = static_cast<Number>(upper);
    return (includes_lower ? number >= low : number > low) &&
           (!is_bounded() || (includes_upper ? number <= high : number < high));
  }

  /// Appends the interval as ">= 0 and < 1".
  ///
  /// \param[in,out] text  a ConstantText
  template <typename Text>
  constexpr void append_to(Text& text) const {
    text.append(includes_lower ? ">= " : "> ").append(lower);
    if (!is_bounded()) return;
    text.append(includes_upper ? " and <= " : " and < ").append(upper);
  }

  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

/// Returns the interval of the numbers >= a lower end.
[[nodiscard]] constexpr Interval at_least(std::int64_t lower) {
  return {lower, true};
}

/// Returns the interval of the numbers > a lower end.
[[nodiscard]] constexpr Interval above(std::int64_t lower) {
  return {lower, false};
}

/// Returns the end of a sentence, such as "a number >= 0 and < 1".
///
/// \param noun  what the values are, such as "a number"
/// \param note  what follows the interval
[[nodiscard]] constexpr ConstantText describe_interval(
    std::string_view noun, const Interval& interval,
    std::string_view note = {}) {
  ConstantText text;
  text.append(noun).append(" ");
  interval.append_to(text);
  return text.append(note);
}

}  // namespace mlp
