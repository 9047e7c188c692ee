// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "../../mlp/network/initialization.hpp"
#include "option_table.hpp"

/// Names that are values of flags, such as relu in --activation relu, are found
/// in any of their spellings. Files are read strictly.
namespace mlp::cli {

/// Another name of a value that means exactly the same.
struct OtherName {
  std::string_view flag;
  std::string_view name;
  std::string_view written;  ///< the name in the list of the flag
};

/// The table. The other names of --init that files may contain are in
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

/// A name that other programs know for what this program does not have, or has
/// in several kinds.
struct ValueHint {
  std::string_view flag;
  std::string_view name;
  std::string_view sentence;  ///< follows the refusal
};

inline constexpr auto kValueHints = std::to_array<ValueHint>({
    {"activation", "identity",
     "without hidden layers the network is linear: --layers FEATURES,CLASSES"},
    {"activation", "linear",
     "without hidden layers the network is linear: --layers FEATURES,CLASSES"},
    {"activation", "gelu", "swish is a similar function"},
    {"activation", "softmax",
     "the output layer always has softmax; this flag is for hidden layers"},
    {"format", "json", "did you mean jsonl, one JSON object in each line?"},
    {"init", "kaiming", "did you mean he-normal or he-uniform?"},
    {"init", "normal", "did you mean he-normal or xavier-normal?"},
    {"init", "uniform", "did you mean he-uniform or xavier-uniform?"},
    {"missing", "median", "mean is the only number that can be filled in"},
    {"output", "probabilities", "did you mean probability?"},
    {"output", "proba", "did you mean probability?"},
    {"output", "raw", "did you mean rawPrediction?"},
    {"output", "logits", "did you mean rawPrediction?"},
    {"precision", "float", "did you mean float32 or float64?"},
    {"solver", "rmsprop", "adam is a similar solver"},
});

namespace detail {

/// Returns the name in the list of a flag that a word spells, or an empty text.
inline std::string_view find_written(const OptionInfo& option,
                                     std::string_view word) {
  const std::string canonical = canonical_flag(word);
  for (const std::string_view choice : option.choices) {
    if (canonical_flag(choice) == canonical) return choice;
  }
  for (const OtherName& other : kOtherNames) {
    const bool is_it =
        other.flag == option.name && canonical_flag(other.name) == canonical;
    if (is_it) return other.written;
  }
  if (option.name != "init") return {};
  for (const auto& alias : kInitializationAliases) {
    if (canonical_flag(alias.name) != canonical) continue;
    return initialization_name(alias.value);
  }
  return {};
}

}  // namespace detail

/// Writes the names in the value of a flag as its list has them: leakyRelu
/// becomes leaky-relu. Words that name nothing are kept, and refused later.
[[nodiscard]] inline std::string written_value(const OptionInfo& option,
                                               const std::string& value) {
  if (option.choices.empty()) return value;
  const std::string_view ends = option.is_list ? ",[] " : "";
  std::string written;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end =
        std::min(value.find_first_of(ends, begin), value.size());
    const std::string word = value.substr(begin, end - begin);
    const std::string_view name = detail::find_written(option, word);
    written += name.empty() ? std::string_view(word) : name;
    if (end == value.size()) return written;
    written += value[end];
    begin = end + 1;
  }
}

/// Returns what to add to the refusal of a value, "; did you mean ...?", or an
/// empty text.
[[nodiscard]] inline std::string value_hint(const OptionInfo& option,
                                            std::string_view value) {
  const std::string canonical = canonical_flag(value);
  for (const ValueHint& hint : kValueHints) {
    const bool is_it =
        hint.flag == option.name && canonical_flag(hint.name) == canonical;
    if (is_it) return std::string("; ").append(hint.sentence);
  }
  const bool is_file = option.name == "output" &&
                       value.find_first_of("./") != std::string_view::npos;
  if (!is_file) return "";
  return std::string("; write the result to a file with -o ").append(value);
}

}  // namespace mlp::cli
