// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_reader.hpp"

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

}  // namespace mlp::cli
