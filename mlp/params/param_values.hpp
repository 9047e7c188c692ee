// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parses and formats the value of each kind of hyper-parameter.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../network/topology.hpp"
#include "params.hpp"

namespace mlp {

/// Splits "a,b,c" or "[a, b, c]"; returns nothing if an item cannot be parsed.
template <typename T, typename ParseItem>
std::optional<std::vector<T>> parse_list(std::string_view text,
                                         ParseItem parse_item) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<T> items;
  if (text.empty()) return items;
  while (true) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    const auto value = parse_item(item);
    if (!value) return std::nullopt;
    items.push_back(static_cast<T>(*value));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mlp

namespace mlp::detail {

/// The type of the member that a pointer to a member names.
template <auto member>
using MemberOf = std::remove_cvref_t<decltype(Params().*member)>;

template <auto member>
bool parse_number(Params& params, std::string_view text) {
  if constexpr (std::is_integral_v<MemberOf<member>>) {
    const auto value = parse_int(text);
    if (value) params.*member = *value;
    return value.has_value();
  } else {
    const auto value = parse_double(text);
    if (value) params.*member = *value;
    return value.has_value();
  }
}

template <auto member>
std::string format_number(const Params& params) {
  if constexpr (std::is_integral_v<MemberOf<member>>) {
    return std::to_string(params.*member);
  } else {
    return format_double(params.*member);
  }
}

template <auto member>
bool parse_ints(Params& params, std::string_view text) {
  auto numbers = parse_list<Index>(text, parse_int);
  if (numbers) params.*member = std::move(*numbers);
  return numbers.has_value();
}

inline bool are_layers_valid(const Params& params) {
  return Topology::are_sizes(params.layers);
}

inline bool is_anything(const Params& /*params*/) { return true; }

template <auto member, const auto& names>
bool parse_choice(Params& params, std::string_view text) {
  const auto choice = find_named(names, text);
  if (choice) params.*member = *choice;
  return choice.has_value();
}

template <auto member, const auto& names>
std::string format_choice(const Params& params) {
  return json_string(name_in(names, params.*member));
}

template <auto member>
bool parse_flag(Params& params, std::string_view text) {
  if (text != "true" && text != "false") return false;
  params.*member = text == "true";
  return true;
}

template <auto member>
std::string format_flag(const Params& params) {
  return params.*member ? "true" : "false";
}

template <auto member>
bool parse_doubles(Params& params, std::string_view text) {
  auto numbers = parse_list<double>(text, parse_double);
  if (numbers) params.*member = std::move(*numbers);
  return numbers.has_value();
}

template <auto member>
std::string format_numbers(const Params& params) {
  return (params.*member).empty() ? "" : format_list(params.*member);
}

inline bool parse_step_size(Params& params, std::string_view text) {
  params.step_size = parse_double(text);
  return params.step_size.has_value();
}

inline std::string format_step_size(const Params& params) {
  return format_double(resolved_step_size(params));
}

inline bool parse_gradient_tol(Params& params, std::string_view text) {
  params.gradient_tol = parse_double(text);
  return params.gradient_tol.has_value();
}

inline std::string format_gradient_tol(const Params& params) {
  return params.gradient_tol ? format_double(*params.gradient_tol) : "";
}

inline bool parse_activation(Params& params, std::string_view text) {
  auto list = parse_list<Activation>(
      text, [](std::string_view name) { return Activation::find(name); });
  if (list) params.activation = std::move(*list);
  return list.has_value();
}

/// Parses names of activations, separated by commas.
inline std::string list_activations(
    const std::vector<Activation>& activations) {
  std::vector<std::string_view> names;
  for (const Activation& activation : activations) {
    names.push_back(activation.name());
  }
  return join_names(names, ",");
}

inline std::string format_activation(const Params& params) {
  return params.activation.empty()
             ? ""
             : json_string(list_activations(params.activation));
}

inline bool parse_init(Params& params, std::string_view text) {
  const auto found = find_initialization(text);
  if (found) params.init = *found;
  return found.has_value();
}

inline bool parse_schedule(Params& params, std::string_view text) {
  const auto schedule = optim::parse_step_schedule(text);
  if (schedule) params.schedule = *schedule;
  return schedule.has_value();
}

inline std::string format_schedule(const Params& params) {
  return json_string(optim::format_step_schedule(params.schedule));
}

inline bool parse_encoding(Params& params, std::string_view text) {
  const auto encoding = parse_numeric_encoding(text);
  if (encoding) params.numeric_encoding = *encoding;
  return encoding.has_value();
}

inline std::string format_encoding(const Params& params) {
  return json_string(format_numeric_encoding(params.numeric_encoding));
}

inline bool is_dropout_valid(const Params& params) {
  return std::all_of(
      params.dropout.begin(), params.dropout.end(),
      [](double rate) { return Topology::kDropoutRates.contains(rate); });
}

inline bool are_class_weights_valid(const Params& params) {
  const auto& w = params.class_weights;
  return std::all_of(w.begin(), w.end(), [](double x) { return x >= 0.0; }) &&
         (w.empty() ||
          std::any_of(w.begin(), w.end(), [](double x) { return x > 0.0; }));
}

inline bool is_freeze_valid(const Params& params) {
  return std::all_of(params.freeze.begin(), params.freeze.end(),
                     [](Index layer) { return layer >= 1; });
}

inline bool parse_initial_weights(Params& params, std::string_view text) {
  const auto weights = parse_list<double>(text, parse_double);
  if (!weights) return false;
  params.initial_weights = Eigen::Map<const Vector>(
      weights->data(), static_cast<Index>(weights->size()));
  return true;
}

inline bool are_initial_weights_valid(const Params& params) {
  return !params.initial_weights || params.initial_weights->allFinite();
}

inline std::string format_initial_weights(const Params& params) {
  return params.initial_weights ? format_list(*params.initial_weights) : "";
}

inline bool are_thresholds_valid(const Params& params) {
  const auto& t = params.thresholds;
  return std::all_of(t.begin(), t.end(), [](double x) { return x >= 0.0; }) &&
         std::count(t.begin(), t.end(), 0.0) <= 1;
}

}  // namespace mlp::detail
