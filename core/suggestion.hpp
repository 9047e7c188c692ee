// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The word that was probably meant by a misspelt one.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlp {

/// Compares two words, ignoring the case of the letters A to Z.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view a,
                                                  std::string_view b) {
  const auto lower = [](char letter) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    return is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// Counts the letters to insert, remove, replace or swap with their neighbour
/// to turn one word into the other.
///
/// \cost a.size() * b.size() steps
/// \source Damerau 1964, CACM 7(3): the optimal string alignment distance
[[nodiscard]] inline std::size_t edit_distance(std::string_view a,
                                               std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool is_swap =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Compares words and remembers the one that was probably meant.
class Suggestion {
 public:
  /// \param word  what was written; no longer than kMaxLength to get help
  explicit Suggestion(std::string word) : word_(std::move(word)) {}

  /// \param candidate  what is compared
  /// \param shown      what best() returns for it
  void consider(std::string_view candidate, std::string shown) {
    if (word_.empty() || word_.size() > kMaxLength) return;
    const bool is_start =
        word_.size() >= 3 && candidate.substr(0, word_.size()) == word_;
    const std::size_t limit = std::max<std::size_t>(1, word_.size() / 3);
    // The distance is at least the difference of the lengths.
    const bool is_too_far = candidate.size() > word_.size() + limit ||
                            word_.size() > candidate.size() + limit;
    if (is_too_far && !is_start) return;
    const std::size_t distance = is_start ? 1 : edit_distance(word_, candidate);
    if (distance > limit || distance >= smallest_) return;
    smallest_ = distance;
    best_ = std::move(shown);
  }

  /// Returns the nearest candidate, or "" if none is near.
  [[nodiscard]] const std::string& best() const { return best_; }

 private:
  static constexpr std::size_t kMaxLength = 64;

  std::string word_;
  std::string best_;
  std::size_t smallest_ = static_cast<std::size_t>(-1);
};

}  // namespace mlp
