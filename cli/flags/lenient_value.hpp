// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "../../mlp/params/value_spelling.hpp"
#include "option_table.hpp"

/// Names that are values of flags, such as relu in --activation relu, are found
/// in any of their spellings. Files are read strictly.
namespace mlp::cli {

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

/// Writes the names in the value of a flag as its list has them: leakyRelu
/// becomes leaky-relu. Words that name nothing are kept, and refused later.
[[nodiscard]] inline std::string written_value(const OptionInfo& option,
                                               const std::string& value) {
  return mlp::written_value({option.name, option.choices, option.is_list},
                            value);
}

/// Returns what to add to the refusal of a value, "; did you mean ...?", or an
/// empty text.
[[nodiscard]] inline std::string value_hint(const OptionInfo& option,
                                            std::string_view value) {
  const std::string canonical = canonical_name(value);
  for (const ValueHint& hint : kValueHints) {
    const bool is_it =
        hint.flag == option.name && canonical_name(hint.name) == canonical;
    if (is_it) return std::string("; ").append(hint.sentence);
  }
  const bool is_file = option.name == "output" &&
                       value.find_first_of("./") != std::string_view::npos;
  if (!is_file) return "";
  return std::string("; write the result to a file with -o ").append(value);
}

}  // namespace mlp::cli
