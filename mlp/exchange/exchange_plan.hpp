// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// The type to which the numbers of a gradient are rounded to be sent.
enum class WireType {
  kAsComputed,  ///< no rounding

  /// Each rounding changes a number by at most 2^-11 of it. A number below 2^-25
  /// becomes 0, one above 65,504 infinite.
  kFloat16,

  /// Each rounding changes a number by at most 2^-8 of it, in the range of single
  /// precision.
  kBfloat16,
};

inline constexpr auto kWireNames = std::to_array<Named<WireType>>({
    {WireType::kAsComputed, "asComputed"},
    {WireType::kFloat16, "float16"},
    {WireType::kBfloat16, "bfloat16"},
});

/// How several ranks exchange the gradients of a training by mini-batches. It
/// changes only the rounding of the result; all ranks have the same plan.
struct ExchangePlan {
  /// The size of the buckets in which a gradient is sent while it is computed; 0
  /// sends it as a whole when it is computed. Raise it if the latency of a sum is
  /// high, lower it if layers are small and slow to compute.
  Index bucket_bytes = Index{1} << 20;

  WireType wire = WireType::kAsComputed;

  /// The threads that compute on each rank; 0 takes FitOptions::num_threads. One
  /// thread less leaves a core to the sending.
  int num_threads = 0;

  friend bool operator==(const ExchangePlan&, const ExchangePlan&) = default;
};

namespace detail {

[[noreturn]] inline void refuse_exchange_word(std::string_view word,
                                              std::string_view rule) {
  throw ParamError("an exchange plan must have " + std::string(rule) +
                   "; got '" + std::string(word) + "'");
}

/// Reads a number 0 .. max.
inline std::int64_t parse_exchange_number(std::string_view word,
                                          std::string_view text,
                                          std::int64_t max) {
  const std::optional<std::int64_t> number = parse_int(text);
  if (!number || *number < 0 || *number > max) {
    refuse_exchange_word(
        word, std::string(word.substr(0, word.find('=')))
                  .append(" as an integer 0.." + std::to_string(max)));
  }
  return *number;
}

inline void parse_exchange_word(std::string_view word, ExchangePlan& plan) {
  constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
  constexpr std::int64_t kMaxThreads = 1024;
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view text = word.substr(std::min(equals + 1, word.size()));
  if (name == "bucketBytes") {
    plan.bucket_bytes =
        static_cast<Index>(parse_exchange_number(word, text, kMaxBytes));
  } else if (name == "threads") {
    plan.num_threads =
        static_cast<int>(parse_exchange_number(word, text, kMaxThreads));
  } else if (name == "wire") {
    const auto wire = find_named(kWireNames, text);
    if (!wire) {
      std::vector<std::string> words;
      for (const auto& known : kWireNames) {
        words.push_back(std::string("wire=").append(known.name));
      }
      refuse_exchange_word(word, join_choices(std::vector<std::string_view>(
                                     words.begin(), words.end())));
    }
    plan.wire = *wire;
  } else {
    refuse_exchange_word(word, "words bucketBytes=, wire= and threads=");
  }
}

}  // namespace detail

/// The name of a wire type in texts.
[[nodiscard]] inline std::string_view name_of(WireType wire) {
  return name_in(kWireNames, wire);
}

/// Writes a plan as one line, which parse_exchange_plan() reads.
[[nodiscard]] inline std::string format_exchange_plan(
    const ExchangePlan& plan) {
  return "bucketBytes=" + std::to_string(plan.bucket_bytes) +
         " wire=" + std::string(name_of(plan.wire)) +
         " threads=" + std::to_string(plan.num_threads);
}

/// Reads a plan from words separated by blanks or commas, in any order. Members
/// without a word keep their defaults.
///
/// \throws ParamError naming the word that cannot be read, or that occurs twice
[[nodiscard]] inline ExchangePlan parse_exchange_plan(std::string_view text) {
  ExchangePlan plan;
  std::vector<std::string_view> names;
  constexpr std::string_view kBlanks = " ,\t\n";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return plan;
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    detail::parse_exchange_word(word, plan);
    const std::string_view name = word.substr(0, word.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      detail::refuse_exchange_word(word, "each word once");
    }
    names.push_back(name);
  }
}

}  // namespace mlp
