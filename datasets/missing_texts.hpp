// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/number_text.hpp"
#include "../core/suggestion.hpp"
#include "input_column.hpp"

namespace mlp::datasets {

/// The texts that stand for a missing value, in any case, if no option gives others.
/// An empty field is always missing.
inline constexpr std::array<std::string_view, 5> kMissingTexts = {
    "?", "NA", "N/A", "NULL", "NaN"};

/// The texts of a file that mean a missing value, beside the empty one.
class MissingTexts {
 public:
  /// The default: kMissingTexts.
  MissingTexts() = default;

  /// Replaces the default. A number stands for all of its spellings.
  ///
  /// \param texts  in any order; one that occurs twice counts once
  explicit MissingTexts(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    given_ = std::move(texts);
    for (const std::string& text : *given_) {
      if (const auto number = parse_double(text)) numbers_.push_back(*number);
    }
  }

  /// Returns true if a field says that its value is missing.
  [[nodiscard]] bool has(std::string_view text) const {
    if (text.empty()) return true;
    const auto is_text = [&](std::string_view missing) {
      return equals_ignoring_case(text, missing);
    };
    if (!given_) {
      constexpr std::size_t kMaxBytes = 4;
      return text.size() <= kMaxBytes &&
             std::any_of(kMissingTexts.begin(), kMissingTexts.end(), is_text);
    }
    if (std::any_of(given_->begin(), given_->end(), is_text)) return true;
    const auto number = numbers_.empty() ? std::nullopt : parse_double(text);
    return number && has_number(*number);
  }

  /// The numbers among the given texts.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

  [[nodiscard]] bool has_number(double number) const {
    return std::find(numbers_.begin(), numbers_.end(), number) !=
           numbers_.end();
  }

  /// The texts that replace the default; nothing if none are given.
  [[nodiscard]] const std::optional<std::vector<std::string>>& given() const {
    return given_;
  }

 private:
  std::optional<std::vector<std::string>> given_;
  std::vector<double> numbers_;
};

/// Returns true if the texts of a column of numbers are few and the same, such as "unknown",
/// so that they probably mean a missing value.
///
/// \param texts        different ones that are no numbers
/// \param num_texts    values that are one of them
/// \param num_numbers  values that are numbers
template <typename Texts>
[[nodiscard]] bool may_mean_missing(const Texts& texts, Index num_texts,
                                    Index num_numbers) {
  constexpr std::size_t kMostTexts = 3;
  const bool has_digits =
      std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
        return text.find_first_of("0123456789") != text.npos;
      });
  return !has_digits && num_texts != 0 && num_numbers > num_texts &&
         texts.size() <= kMostTexts;
}

/// Returns the texts that mean a missing value by the rules of a model.
[[nodiscard]] inline MissingTexts missing_texts_of(const InputRules& rules) {
  return rules.missing_texts.empty() ? MissingTexts()
                                     : MissingTexts(rules.missing_texts);
}

}  // namespace mlp::datasets
