// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_reader.hpp"

#include <algorithm>
#include <array>
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
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr std::array<Unit, 9> kUnits = {{{"kib", 1024.0},
                                                  {"mib", 1048576.0},
                                                  {"gib", 1073741824.0},
                                                  {"tib", 1099511627776.0},
                                                  {"kb", 1e3},
                                                  {"mb", 1e6},
                                                  {"gb", 1e9},
                                                  {"tb", 1e12},
                                                  {"b", 1.0}}};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z'
               ? static_cast<char>(letter - 'A' + 'a')
               : letter;
  });
  std::string_view number_text = lower;
  double factor = 1.0;
  for (const Unit& unit : kUnits) {
    if (!number_text.ends_with(unit.name)) continue;
    factor = unit.bytes;
    number_text.remove_suffix(unit.name.size());
    break;
  }
  // Less is a number whose unit was forgotten.
  constexpr double kLeast = 1e6;
  constexpr double kMost = 1e18;
  const auto number = parse_double(number_text);
  const double bytes = number ? *number * factor : 0.0;
  if (!(bytes >= kLeast && bytes <= kMost)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

}  // namespace mlp::cli
