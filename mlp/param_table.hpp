// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "params.hpp"
#include "topology.hpp"

namespace mlp {

/// One hyper-parameter: the only place that ties Spark's name, the flag, the
/// member of Params, the valid values and the sentence together. Help,
/// validation, completion and JSON are made from it.
struct ParamInfo {
  std::string_view name;      ///< Spark's
  std::string_view flag;      ///< of the command line
  std::string_view type;      ///< what a value looks like
  std::string_view interval;  ///< completes "<name> must be ..."
  std::string_view sentence;  ///< what it does
  std::string_view example;   ///< a value
  bool is_stored;             ///< stands under params in a model file

  /// Sets the member from text; false where the text is not of the type.
  bool (*parse)(Params&, std::string_view);

  /// True where the member's value is allowed.
  bool (*is_valid)(const Params&);

  /// The value as JSON; "" where it is not set.
  std::string (*format)(const Params&);
};

namespace detail {

/// Splits "a,b,c" or "[a, b, c]"; nothing where an item does not parse.
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

template <auto member>
bool parse_int_param(Params& params, std::string_view text) {
  const auto value = parse_int(text);
  if (value) params.*member = *value;
  return value.has_value();
}

template <auto member>
bool parse_double_param(Params& params, std::string_view text) {
  const auto value = parse_double(text);
  if (value) params.*member = *value;
  return value.has_value();
}

template <auto member>
std::string format_int_param(const Params& params) {
  return std::to_string(params.*member);
}

template <auto member>
std::string format_double_param(const Params& params) {
  return format_double(params.*member);
}

inline bool parse_layers(Params& params, std::string_view text) {
  auto layers = parse_list<Index>(text, parse_int);
  if (layers) params.layers = std::move(*layers);
  return layers.has_value();
}

inline bool are_layers_valid(const Params& params) {
  return params.layers.size() >= 2 &&
         std::all_of(params.layers.begin(), params.layers.end(),
                     [](Index size) { return size > 0; });
}

inline std::string format_layers(const Params& params) {
  return params.layers.empty() ? "" : format_list(params.layers);
}

inline bool parse_solver(Params& params, std::string_view text) {
  if (text != "l-bfgs" && text != "gd") return false;
  params.solver = text == "gd" ? Solver::kGradientDescent : Solver::kLbfgs;
  return true;
}

inline std::string format_solver(const Params& params) {
  return params.solver == Solver::kLbfgs ? "\"l-bfgs\"" : "\"gd\"";
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

inline bool parse_thresholds(Params& params, std::string_view text) {
  auto thresholds = parse_list<double>(text, parse_double);
  if (thresholds) params.thresholds = std::move(*thresholds);
  return thresholds.has_value();
}

inline bool are_thresholds_valid(const Params& params) {
  const auto& t = params.thresholds;
  return std::all_of(t.begin(), t.end(), [](double x) { return x >= 0.0; }) &&
         std::count(t.begin(), t.end(), 0.0) <= 1;
}

inline std::string format_thresholds(const Params& params) {
  return params.thresholds.empty() ? "" : format_list(params.thresholds);
}

}  // namespace detail

/// The table, in the order of the help.
inline constexpr std::array<ParamInfo, 9> kParamTable{{
    {"layers", "--layers", "sizes", "at least 2 sizes, each > 0",
     "Sizes of the layers from the features to the classes.", "4,5,4,3", false,
     detail::parse_layers, detail::are_layers_valid, detail::format_layers},
    {"maxIter", "--max-iter", "integer", "an integer >= 0",
     "Iterations at most.", "200", true,
     detail::parse_int_param<&Params::max_iter>,
     [](const Params& p) { return p.max_iter >= 0; },
     detail::format_int_param<&Params::max_iter>},
    {"tol", "--tol", "number", "a number >= 0, and <= 1 with solver gd",
     "Stops where the objective, the gradient or the weights change by no more "
     "than this, relatively.",
     "1e-4", true, detail::parse_double_param<&Params::tol>,
     [](const Params& p) {
       return p.tol >= 0.0 && (p.solver == Solver::kLbfgs || p.tol <= 1.0);
     },
     detail::format_double_param<&Params::tol>},
    {"blockSize", "--block-size", "integer", "an integer > 0",
     "Rows per block. Spark averages blocks, so that it changes the result; it "
     "is no mini-batch.",
     "64", true, detail::parse_int_param<&Params::block_size>,
     [](const Params& p) { return p.block_size > 0; },
     detail::format_int_param<&Params::block_size>},
    {"solver", "--solver", "name", "l-bfgs or gd",
     "How the objective is minimised.", "gd", true, detail::parse_solver,
     [](const Params&) { return true; }, detail::format_solver},
    {"stepSize", "--step-size", "number", "a number > 0",
     "Step of solver gd; l-bfgs searches its own.", "0.1", true,
     detail::parse_double_param<&Params::step_size>,
     [](const Params& p) { return p.step_size > 0.0; },
     detail::format_double_param<&Params::step_size>},
    {"seed", "--seed", "integer", "an integer of 64 bits",
     "Seed of the initial weights, and of --split.", "1234", true,
     detail::parse_int_param<&Params::seed>, [](const Params&) { return true; },
     detail::format_int_param<&Params::seed>},
    {"initialWeights", "--initial-weights", "file", "finite numbers",
     "Starts from these weights, a JSON array or a model, and not from the "
     "seed.",
     "model.json", false, detail::parse_initial_weights,
     detail::are_initial_weights_valid, detail::format_initial_weights},
    {"thresholds", "--thresholds", "numbers",
     "numbers >= 0, at most one of them 0",
     "One per class: the class with the largest probability / threshold is "
     "predicted.",
     "0.5,0.3,0.2", false, detail::parse_thresholds,
     detail::are_thresholds_valid, detail::format_thresholds},
}};

/// Finds a hyper-parameter by Spark's name; null where there is none.
[[nodiscard]] inline const ParamInfo* find_param(std::string_view name) {
  const auto found =
      std::find_if(kParamTable.begin(), kParamTable.end(),
                   [&](const ParamInfo& info) { return info.name == name; });
  return found == kParamTable.end() ? nullptr : &*found;
}

namespace detail {

/// Names the upper bound of an integer where a text is beyond it.
inline std::string describe_bound(const ParamInfo& info,
                                  std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const bool is_beyond = info.type == "integer" && !text.empty() &&
                         text.find_first_not_of("0123456789") == text.npos &&
                         !parse_int(text);
  return is_beyond ? " and <= 9223372036854775807" : "";
}

}  // namespace detail

/// Sets a hyper-parameter from text.
///
/// \throws ParamError naming the parameter, what it must be and the text
inline void set_param(Params& params, const ParamInfo& info,
                      std::string_view text) {
  if (!info.parse(params, text)) {
    throw ParamError(std::string(info.name) + " must be " +
                     std::string(info.interval) +
                     detail::describe_bound(info, text) + "; got '" +
                     std::string(text) + "'");
  }
}

/// Checks every hyper-parameter by itself, then those that depend on layers.
///
/// \throws ParamError naming the parameter, what it must be and the value
inline void validate(const Params& params) {
  if (params.layers.empty()) {
    throw ParamError(
        "layers must be at least 2 sizes, each > 0; got none: set layers");
  }
  for (const ParamInfo& info : kParamTable) {
    if (!info.is_valid(params)) {
      throw ParamError(std::string(info.name) + " must be " +
                       std::string(info.interval) + "; got " +
                       info.format(params));
    }
  }
  const Topology topology(params.layers);
  if (params.initial_weights &&
      params.initial_weights->size() != topology.num_weights()) {
    throw ParamError("initialWeights must be " +
                     std::to_string(topology.num_weights()) +
                     " numbers for layers " + format_list(params.layers) +
                     "; got " + std::to_string(params.initial_weights->size()));
  }
  if (!params.thresholds.empty() &&
      static_cast<Index>(params.thresholds.size()) != topology.num_classes()) {
    throw ParamError("thresholds must be " +
                     std::to_string(topology.num_classes()) +
                     " numbers, one per class; got " +
                     std::to_string(params.thresholds.size()));
  }
}

}  // namespace mlp
