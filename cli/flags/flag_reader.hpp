// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/interval.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "command_line.hpp"
#include "option_table.hpp"

namespace mlp::cli {

/// The name of a flag, without the dashes. A name that the option table lacks
/// does not compile.
class FlagName {
 public:
  // NOLINTNEXTLINE: a literal is a name.
  consteval FlagName(const char* name) : name_(name) {
    for (const OptionInfo& option : kOptionTable) {
      if (option.name == name_) return;
    }
    throw "the option table has no flag of this name";
  }

  explicit FlagName(const OptionInfo& option) : name_(option.name) {}

  [[nodiscard]] std::string_view view() const { return name_; }

 private:
  std::string_view name_;
};

/// Refuses the value of a flag.
///
/// \param rule  completes "must be ..."
/// \throws ParamError "--name: must be <rule>; got '<value>'"
[[noreturn]] void refuse_value(std::string_view name, std::string_view rule,
                               const std::string& value);

/// Reads the values of flags as types, and refuses the others by the flag's
/// name. Each read returns the default if the flag was not given.
class FlagReader {
 public:
  /// \param line  must outlive this object
  explicit FlagReader(const CommandLine& line) : line_(line) {}

  [[nodiscard]] bool has(FlagName name) const { return line_.has(name.view()); }

  [[nodiscard]] std::string text(FlagName name,
                                 const std::string& otherwise = "") const {
    return line_.value(name.view()).value_or(otherwise);
  }

  /// Reads a value by a function from a text to an optional value.
  ///
  /// \param rule  completes "must be ..." if the function returns nothing
  /// \throws ParamError naming the flag
  template <typename Parse>
  [[nodiscard]] auto parsed(FlagName name, Parse parse,
                            std::string_view rule) const
      -> decltype(parse(std::string_view())) {
    const auto text = line_.value(name.view());
    if (!text) return std::nullopt;
    auto value = parse(std::string_view(*text));
    if (!value) refuse(name, rule);
    return value;
  }

  /// Reads one of several names.
  ///
  /// \param list  an array of Named
  /// \param note  follows the names in the sentence
  template <typename List, typename Value>
  [[nodiscard]] Value choice(FlagName name, const List& list, Value otherwise,
                             std::string_view note = {}) const {
    const auto names = mlp::detail::collect_names(list);
    return parsed(
               name,
               [&](std::string_view text) { return find_named(list, text); },
               join_choices(names).append(note))
        .value_or(otherwise);
  }

  /// Reads a number of an interval.
  ///
  /// \param noun  what the value is
  /// \param note  follows the interval in the sentence
  [[nodiscard]] double number(FlagName name, const Interval& interval,
                              double otherwise,
                              std::string_view noun = "a number",
                              std::string_view note = {}) const;

  /// Reads an integer of an interval that has both ends.
  [[nodiscard]] std::int64_t integer(FlagName name, const Interval& interval,
                                     std::int64_t otherwise) const;

  /// Refuses the value of a flag, which may be missing.
  ///
  /// \param rule  completes "must be ..."
  [[noreturn]] void refuse(FlagName name, std::string_view rule) const {
    refuse_value(name.view(), rule, text(name));
  }

  /// Throws if both of two flags are given.
  ///
  /// \param advice  follows the name of the second
  void refuse_both(FlagName first, FlagName second,
                   std::string_view advice = "; use only one of them") const;

 private:
  const CommandLine& line_;
};

/// What parse_bytes() reads, for messages.
inline constexpr std::string_view kBytesRule =
    "a number of bytes, at least 1MB, such as 500MB, 8G or 8GiB";

/// Reads a number of bytes with or without a unit, in any case: 500MB, 8g, 1.5GiB. The
/// units K, M, G and T are powers of 1000, and Ki, Mi, Gi and Ti powers of 1024; a B may
/// follow.
///
/// \return empty unless it is at least 1 MB
[[nodiscard]] std::optional<std::size_t> parse_bytes(std::string_view text);

}  // namespace mlp::cli
