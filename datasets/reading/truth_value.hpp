// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

/// Texts that stand for truth values, as pandas, Arrow, Spark and others write them.
namespace mlp::datasets {

/// The spellings of a truth value.
using TruthTexts = std::array<std::string_view, 3>;

inline constexpr TruthTexts kTrueTexts = {"True", "true", "TRUE"};
inline constexpr TruthTexts kFalseTexts = {"False", "false", "FALSE"};

/// Returns the truth value that a text stands for, or nothing.
[[nodiscard]] inline std::optional<bool> truth_value(std::string_view text) {
  const auto has = [&](const TruthTexts& texts) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  };
  if (has(kTrueTexts)) return true;
  if (has(kFalseTexts)) return false;
  return std::nullopt;
}

}  // namespace mlp::datasets
