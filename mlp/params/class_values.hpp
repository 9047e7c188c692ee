// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/suggestion.hpp"
#include "../../core/types.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/reading/quoted.hpp"

/// Numbers of classes that are given by the names of the classes, such as weights
/// and thresholds.
namespace mlp {

/// Numbers with the name of a class each.
using NamedNumbers = std::vector<std::pair<std::string, double>>;

namespace detail {

/// Reads a name up to '=', in double quotes if it has a comma or '='; two double
/// quotes in them are one.
///
/// \param[in,out] text  what is left, without the name and '=' afterwards
inline std::optional<std::string> take_name(std::string_view& text) {
  std::string name;
  if (text.empty() || text.front() != '"') {
    const std::size_t end = text.find_first_of("=,");
    if (end == text.npos || text[end] == ',') return std::nullopt;
    name = text.substr(0, end);
    text.remove_prefix(end + 1);
    return name;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      name += text[i];
    } else if (text.substr(i + 1, 1) == "\"") {
      name += text[i++];
    } else {
      if (text.substr(i + 1, 1) != "=") return std::nullopt;
      text.remove_prefix(i + 2);
      return name;
    }
  }
  return std::nullopt;
}

/// Refuses the name of no class.
[[noreturn]] inline void refuse_class(const std::string& parameter,
                                      const std::string& name,
                                      const std::vector<std::string>& names) {
  Suggestion suggestion(name);
  for (const std::string& known : names) {
    suggestion.consider(known, datasets::in_quotes(known));
  }
  throw ParamError(parameter,
                   "must name classes of the labels, " +
                       datasets::quoted_list(names) + "; got " +
                       datasets::in_quotes(name) +
                       (suggestion.best().empty()
                            ? ""
                            : "; did you mean " + suggestion.best() + '?'));
}

}  // namespace detail

/// Reads "yes=100,no=1". A name with a comma or '=' is in double quotes.
///
/// \returns nothing if the text has another form
[[nodiscard]] inline std::optional<NamedNumbers> parse_named_numbers(
    std::string_view text) {
  NamedNumbers numbers;
  while (true) {
    auto name = detail::take_name(text);
    if (!name) return std::nullopt;
    const std::size_t end = text.find(',');
    const auto number = parse_double(text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.emplace_back(*std::move(name), *number);
    if (end == text.npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

/// Returns the number of each class   [num_classes]
///
/// \param parameter  Spark's name of the hyper-parameter, for messages
/// \param names      of the classes; those of class indices are 0, 1, 2, ...
/// \param otherwise  of a class without a number; nothing if each needs one
/// \throws ParamError for a name that is unknown, occurs twice or is missing
[[nodiscard]] inline std::vector<double> numbers_of_classes(
    const std::string& parameter, const NamedNumbers& numbers,
    const std::vector<std::string>& names, std::optional<double> otherwise) {
  const datasets::NameTable table(names);
  std::vector<std::optional<double>> found(names.size());
  for (const auto& [name, number] : numbers) {
    const Index index = table.find(name);
    if (index < 0) detail::refuse_class(parameter, name, names);
    auto& place = found[static_cast<std::size_t>(index)];
    if (place) {
      throw ParamError(parameter, "must name each class once; got " +
                                      datasets::in_quotes(name) + " twice");
    }
    place = number;
  }
  std::vector<double> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!found[i] && !otherwise) {
      throw ParamError(parameter,
                       "must have a number for each class; got none "
                       "for " +
                           datasets::in_quotes(names[i]));
    }
    all.push_back(found[i] ? *found[i] : *otherwise);
  }
  return all;
}

/// Returns numbers that are in the order of the names in the order of the class
/// indices. Numbers behind those of the names keep their places.
///
/// \param names  of the first classes; at most as many as numbers
[[nodiscard]] inline std::vector<double> in_index_order(
    const std::vector<double>& numbers, const std::vector<std::string>& names) {
  std::vector<double> of_index = numbers;
  const std::vector<Index> order = datasets::order_by_name(names);
  for (std::size_t i = 0; i < order.size(); ++i) {
    of_index[static_cast<std::size_t>(order[i])] = numbers[i];
  }
  return of_index;
}

/// Returns the weights with which all classes that occur weigh the same, n / (k *
/// count), and 1 for a class that does not occur.
///
/// \param counts  instances of each class, or the sums of their weights
///                [num_classes]
/// \source scikit-learn, compute_class_weight("balanced")
[[nodiscard]] inline std::vector<double> balanced_class_weights(
    const ConstVectorRef& counts) {
  const auto num_occurring =
      static_cast<double>((counts.array() > 0.0).count());
  std::vector<double> weights;
  for (const double count : counts) {
    weights.push_back(count > 0.0 ? counts.sum() / (num_occurring * count)
                                  : 1.0);
  }
  return weights;
}

/// Returns "no 1, yes 100", in the order of the names, at most 20 of them.
[[nodiscard]] inline std::string describe_class_numbers(
    const std::vector<double>& numbers, const std::vector<std::string>& names) {
  constexpr std::size_t kMaxShown = 20;
  const std::vector<Index> order = datasets::order_by_name(names);
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMaxShown); ++i) {
    const auto at = static_cast<std::size_t>(order[i]);
    text += (i == 0 ? "" : ", ") + names[at] + ' ' + format_double(numbers[at]);
  }
  if (order.size() <= kMaxShown) return text;
  return text + " and " + std::to_string(order.size() - kMaxShown) + " more";
}

}  // namespace mlp
