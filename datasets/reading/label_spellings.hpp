// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../core/types.hpp"

/// The texts of integer labels that a file writes in another way, such as 1.0 or 01.
namespace mlp::datasets::detail {

/// Returns true for digits without a leading 0, with or without a minus sign.
inline bool is_plain_integer(std::string_view text) {
  if (text == "0") return true;
  if (text.substr(0, 1) == "-") text.remove_prefix(1);
  return !text.empty() && text.front() != '0' &&
         text.find_first_not_of("0123456789") == text.npos;
}

/// Counts how often each number has which spelling.
class LabelSpellings {
 public:
  /// \param text  is no plain integer
  void add(double number, std::string_view text, Index count = 1) {
    if (is_off_) return;
    if (number != std::floor(number) || by_number_.size() > kMaxNumbers) {
      return turn_off();
    }
    const auto [place, is_new] =
        by_number_.try_emplace(number, Spelling{std::string(text), 0});
    Spelling& known = place->second;
    known.count += count;
    if (known.text != text) known.text.clear();
  }

  /// Adds what another reader found in other rows.
  void merge(const LabelSpellings& other) {
    if (other.is_off_) turn_off();
    for (const auto& [number, spelling] : other.by_number_) {
      add(number, spelling.text, spelling.count);
    }
  }

  /// Returns the numbers that have one spelling in all rows, another than the
  /// usual one, and the spelling.
  ///
  /// \cost one pass over the labels if there is any such spelling
  [[nodiscard]] std::vector<std::pair<double, std::string>> of(
      const ConstVectorRef& labels) const {
    std::vector<std::pair<double, std::string>> found;
    if (by_number_.empty()) return found;
    std::unordered_map<double, Index> counts;
    for (const double label : labels) ++counts[label];
    for (const auto& [number, spelling] : by_number_) {
      const bool is_only = counts[number] == spelling.count;
      if (is_only && !spelling.text.empty()) {
        found.emplace_back(number, spelling.text);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  struct Spelling {
    std::string text;  ///< empty if there are several
    Index count = 0;
  };

  /// Fractions and very many numbers are no classes.
  static constexpr std::size_t kMaxNumbers = 10000;

  void turn_off() {
    is_off_ = true;
    by_number_.clear();
  }

  std::unordered_map<double, Spelling> by_number_;
  bool is_off_ = false;
};

}  // namespace mlp::datasets::detail
