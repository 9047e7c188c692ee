// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_reader.hpp"

#include <algorithm>
#include <limits>

#include "../../core/error.hpp"
#include "lenient_value.hpp"

namespace mlp::cli {

void refuse_value(std::string_view name, std::string_view rule,
                  const std::string& value) {
  const OptionInfo* option = find_option(name);
  throw ParamError(std::string("--")
                       .append(name)
                       .append(": must be ")
                       .append(rule)
                       .append("; got '" + value + "'")
                       .append(option ? value_hint(*option, value) : ""));
}

double FlagReader::number(FlagName name, const Interval& interval,
                          double otherwise, std::string_view noun,
                          std::string_view note) const {
  const auto parse = [&](std::string_view text) {
    const auto number = parse_double(text);
    return number && interval.contains(*number) ? number : std::nullopt;
  };
  return parsed(name, parse, describe_interval(noun, interval, note).view())
      .value_or(otherwise);
}

std::int64_t FlagReader::integer(FlagName name, const Interval& interval,
                                 std::int64_t otherwise) const {
  const auto parse = [&](std::string_view text) {
    const auto number = parse_int(text);
    return number && interval.contains(*number) ? number : std::nullopt;
  };
  ConstantText rule;
  rule.append("an integer from ").append(interval.lower);
  rule.append(" to ").append(interval.upper);
  return parsed(name, parse, rule.view()).value_or(otherwise);
}

void FlagReader::refuse_both(FlagName first, FlagName second,
                             std::string_view advice) const {
  if (!has(first) || !has(second)) return;
  throw ParamError(std::string("--")
                       .append(first.view())
                       .append(": cannot be combined with --")
                       .append(second.view())
                       .append(advice));
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z'
               ? static_cast<char>(letter - 'A' + 'a')
               : letter;
  });
  std::string_view number_text = lower;
  const auto drop = [&](char letter) {
    if (!number_text.ends_with(letter)) return false;
    number_text.remove_suffix(1);
    return true;
  };
  drop('b');
  const bool is_binary = drop('i');
  bool has_prefix = false;
  double factor = 1.0;
  for (const char prefix : {'k', 'm', 'g', 't'}) {
    factor *= is_binary ? 1024.0 : 1000.0;
    has_prefix = drop(prefix);
    if (has_prefix) break;
  }
  if (!has_prefix && is_binary) return std::nullopt;
  if (!has_prefix) factor = 1.0;
  // Less is a number whose unit was forgotten.
  constexpr double kLeast = 1e6;
  constexpr double kMost = 1e18;
  const auto number = parse_double(number_text);
  const double bytes = number ? *number * factor : 0.0;
  if (!(bytes >= kLeast && bytes <= kMost)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

}  // namespace mlp::cli
