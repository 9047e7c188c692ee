// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../core/interval.hpp"
#include "../../core/names.hpp"
#include "param_values.hpp"
#include "params.hpp"

namespace mlp {

/// Whether a model file contains a hyper-parameter. Hyper-parameters that Spark
/// lacks are written only if they were set, so the files of Spark's models do
/// not change.
enum class Stored { kNever, kAlways, kWhenSet };

/// One hyper-parameter: Spark's name, the flag, the member of Params, the valid
/// values and the sentence. Help, validation, completion and JSON use this
/// description, and tests compare the documents with it.
struct ParamInfo {
  std::string_view name;      ///< Spark's name, or a name in Spark's style
  std::string_view flag;      ///< of the command line
  std::string_view type;      ///< what a value looks like; empty for a switch
  std::string_view interval;  ///< completes "<name> must be ..."
  std::string_view sentence;  ///< what it does
  std::string_view example;   ///< a value
  Stored stored;              ///< under params in a model file

  /// Sets the member from text; returns false if the text is not of the type.
  bool (*parse)(Params&, std::string_view);

  /// Returns true if the value of the member is allowed.
  bool (*is_valid)(const Params&);

  /// Returns the value as JSON, or "" if it is not set.
  std::string (*format)(const Params&);

  /// The allowed names; if is_list, the allowed items, separated by commas.
  std::span<const std::string_view> choices = {};
  bool is_list = false;

  /// The interval of one number, null for another type.
  const Interval* bounds = nullptr;
};

namespace detail {

template <Interval interval>
inline constexpr Interval kBounds = interval;

template <bool is_integer, Interval interval, const auto& note>
inline constexpr ConstantText kIntervalText =
    describe_interval(is_integer ? "an integer" : "a number", interval, note);

inline constexpr std::string_view kNoNote = "";
inline constexpr std::string_view kClipsNothing = "; 0 clips nothing";
inline constexpr std::string_view kNeverStops = "; 0 never stops";

/// Makes the row of a number.
///
/// \tparam member    of Params, an integer or a number
/// \tparam interval  its valid values
/// \tparam note      follows the interval in sentences
/// \param  type      what a value looks like; empty for the member's type
template <auto member, Interval interval, const auto& note = kNoNote>
constexpr ParamInfo number_param(std::string_view name, std::string_view flag,
                                 std::string_view sentence,
                                 std::string_view example, Stored stored,
                                 std::string_view type = {}) {
  constexpr bool kIsInteger = std::is_integral_v<MemberOf<member>>;
  if (type.empty()) type = kIsInteger ? "integer" : "number";
  return {name,
          flag,
          type,
          kIntervalText<kIsInteger, interval, note>.view(),
          sentence,
          example,
          stored,
          parse_number<member>,
          [](const Params& p) { return interval.contains(p.*member); },
          format_number<member>,
          {},
          false,
          &kBounds<interval>};
}

/// Makes the row of a switch.
template <auto member>
constexpr ParamInfo switch_param(std::string_view name, std::string_view flag,
                                 std::string_view sentence, Stored stored) {
  return {name,        flag,
          "",          "true or false",
          sentence,    "true",
          stored,      parse_flag<member>,
          is_anything, format_flag<member>};
}

/// Makes the row of a choice between several names.
///
/// \tparam list  the values with their names
template <auto member, const auto& list>
constexpr ParamInfo choice_param(std::string_view name, std::string_view flag,
                                 std::string_view sentence,
                                 std::string_view example, Stored stored) {
  return {name,          flag,
          "name",        kChoices<kNamesOf<list>>,
          sentence,      example,
          stored,        parse_choice<member, list>,
          is_anything,   format_choice<member, list>,
          kNamesOf<list>};
}

}  // namespace detail

}  // namespace mlp
