// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "../network/initialization.hpp"

/// Other spellings of names that are values of hyper-parameters, such as ReLU for relu.
namespace mlp {

/// Spells a name as it is compared: without dashes and underscores, in lower case, so
/// that max-iter, maxIter and max_iter are one.
[[nodiscard]] inline std::string canonical_name(std::string_view name) {
  std::string canonical;
  for (const char letter : name) {
    if (letter == '-' || letter == '_') continue;
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    canonical += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return canonical;
}

/// Another name of a value that means exactly the same.
struct OtherName {
  std::string_view param;  ///< Spark's name, or that of another setting
  std::string_view name;
  std::string_view written;  ///< the name in the list of the values
};

/// The table. The other names of init that files may contain are in
/// kInitializationAliases.
inline constexpr auto kOtherNames = std::to_array<OtherName>({
    {"activation", "logistic", "sigmoid"},
    {"activation", "silu", "swish"},
    {"init", "kaiming-uniform", "he-uniform"},
    {"init", "kaiming-normal", "he-normal"},
    {"precision", "double", "float64"},
    {"precision", "bfloat16", "bf16"},
    {"precision", "tensorfloat32", "tf32"},
});

/// The names that a setting takes.
struct NamedChoices {
  std::string_view param;
  std::span<const std::string_view> names;
  bool is_list = false;  ///< a value is several names, separated by commas
};

namespace detail {

/// Returns the name in the list that a word spells, or an empty text.
inline std::string_view find_written(const NamedChoices& choices,
                                     std::string_view word) {
  const std::string canonical = canonical_name(word);
  for (const std::string_view name : choices.names) {
    if (canonical_name(name) == canonical) return name;
  }
  for (const OtherName& other : kOtherNames) {
    const bool is_it =
        other.param == choices.param && canonical_name(other.name) == canonical;
    if (is_it) return other.written;
  }
  if (choices.param != "init") return {};
  for (const auto& alias : kInitializationAliases) {
    if (canonical_name(alias.name) != canonical) continue;
    return initialization_name(alias.value);
  }
  return {};
}

}  // namespace detail

/// Writes the names in a value as their list has them: leakyRelu becomes leaky-relu.
/// Words that name nothing are kept.
[[nodiscard]] inline std::string written_value(const NamedChoices& choices,
                                               std::string_view value) {
  if (choices.names.empty()) return std::string(value);
  const std::string_view ends = choices.is_list ? ",[] " : "";
  std::string written;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end =
        std::min(value.find_first_of(ends, begin), value.size());
    const std::string_view word = value.substr(begin, end - begin);
    const std::string_view name = detail::find_written(choices, word);
    written += name.empty() ? word : name;
    if (end == value.size()) return written;
    written += value[end];
    begin = end + 1;
  }
}

/// Returns what to add to the refusal of a value: "; did you mean 'relu'?", or an empty
/// text if the value spells no names of the list.
[[nodiscard]] inline std::string did_you_mean(const NamedChoices& choices,
                                              std::string_view value) {
  const std::string written = written_value(choices, value);
  return written == value ? "" : "; did you mean '" + written + "'?";
}

}  // namespace mlp
