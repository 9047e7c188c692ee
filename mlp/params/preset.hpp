// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../../activations/activation.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../network/initialization.hpp"
#include "export_format.hpp"
#include "params.hpp"

/// Sets of hyper-parameters for a table, so that a user needs to choose none.
namespace mlp {

/// Where hyper-parameters that nobody sets come from: Spark's defaults, or values
/// that give a good model of most tables.
enum class Preset { kSpark, kModern };

inline constexpr auto kPresetNames = std::to_array<Named<Preset>>({
    {Preset::kModern, "modern"},
    {Preset::kSpark, "spark"},
});

/// How much work a training without layers may take to find the best network.
enum class Effort { kQuick, kStandard, kBest };

inline constexpr auto kEffortNames = std::to_array<Named<Effort>>({
    {Effort::kQuick, "quick"},
    {Effort::kStandard, "standard"},
    {Effort::kBest, "best"},
});

/// Spark's names of hyper-parameters.
using ParamNames = std::span<const std::string_view>;

/// Returns true if a list of hyper-parameters has a name, Spark's.
[[nodiscard]] inline bool is_listed(ParamNames names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What the preset modern depends on.
struct TableFacts {
  Index num_features = 0;
  Index num_outputs = 0;  ///< classes; 1 for regression

  /// Of the training rows, over all ranks; their number if they have no weights.
  /// A row of weight 2 counts as two rows.
  double weight_sum = 0.0;

  /// The format that must be able to express the model.
  std::optional<ExportFormat> format = std::nullopt;

  /// The training rows over all ranks; 0 if weight_sum counts them.
  Index num_instances = 0;
};

/// Returns the number of training rows, whatever they weigh.
[[nodiscard]] inline double count_rows(const TableFacts& facts) {
  return facts.num_instances == 0 ? facts.weight_sum
                                  : static_cast<double>(facts.num_instances);
}

/// Chooses the size of the hidden layer of the preset modern for a table that is not wide:
/// twice the features and outputs, or more for many rows. It is a multiple of 16 from 16 to
/// 128.
[[nodiscard]] inline Index modern_hidden_size_of_narrow(
    const TableFacts& facts) {
  constexpr double kStep = 16.0;
  const double of_columns =
      2.0 * static_cast<double>(facts.num_features + facts.num_outputs);
  const double of_rows = 4.0 * std::sqrt(facts.weight_sum);
  const double steps = std::ceil(std::max(of_columns, of_rows) / kStep);
  return static_cast<Index>(kStep * std::clamp(steps, 1.0, 8.0));
}

/// Chooses the size of the hidden layer of the preset modern. A wide table, such as one of
/// thousands of genes of some patients, gets a smaller layer: a row needs no more than 6,400
/// weights, whose vectors take most of the time of l-bfgs. docs/quality.md has the
/// measurement.
[[nodiscard]] inline Index modern_hidden_size(const TableFacts& facts) {
  constexpr double kMostWeightsOfRow = 6400.0;
  constexpr double kStep = 16.0;
  const double of_weights = kMostWeightsOfRow * count_rows(facts) /
                            static_cast<double>(facts.num_features);
  const double most = kStep * std::max(std::floor(of_weights / kStep), 1.0);
  return std::min(modern_hidden_size_of_narrow(facts),
                  static_cast<Index>(std::min(most, 1e6)));
}

/// Rounds a positive number to two digits.
[[nodiscard]] inline double round_to_two_digits(double number) {
  const double digits = 1.0 - std::floor(std::log10(number));
  const double scale = std::pow(10.0, std::abs(digits));
  return digits < 0.0 ? std::round(number / scale) * scale
                      : std::round(number * scale) / scale;
}

/// Chooses the L2 penalty of the preset modern: features / free outputs / rows. Of
/// num_classes probabilities all but one are free. Many features explain noise in the
/// labels by chance; many classes tell more about each row; and the penalty counts
/// less the more rows there are. The quotient of features and free outputs is taken
/// as 1 to 10. The result is rounded to two digits, and at most 0.02.
[[nodiscard]] inline double modern_reg_param(const TableFacts& facts) {
  const auto num_free =
      static_cast<double>(std::max<Index>(facts.num_outputs - 1, 1));
  const double factor =
      std::clamp(static_cast<double>(facts.num_features) / num_free, 1.0, 10.0);
  const double exact = std::clamp(factor / facts.weight_sum, 1e-15, 0.02);
  return round_to_two_digits(exact);
}

/// Returns true if the preset modern counts the rows as many: l-bfgs then needs some
/// times the processor time of adam for the same loss of unseen rows. docs/quality.md
/// has the measurement.
[[nodiscard]] inline bool has_many_rows(const TableFacts& facts) {
  constexpr double kManyRows = 50000.0;
  return count_rows(facts) > kManyRows;
}

/// Chooses the solver of the preset modern: adam for many rows, unless the caller has
/// set what only l-bfgs reads.
[[nodiscard]] inline Solver modern_solver(const TableFacts& facts,
                                          ParamNames given) {
  const bool asks_for_lbfgs =
      is_listed(given, "tol") || is_listed(given, "gradientTol") ||
      is_listed(given, "historySize") || is_listed(given, "blockSize");
  return has_many_rows(facts) && !asks_for_lbfgs ? Solver::kAdam
                                                 : Solver::kLbfgs;
}

/// Returns true if the preset modern trains so few epochs that each counts, with a
/// step size that falls to 0.
[[nodiscard]] inline bool has_few_epochs(const Params& params,
                                         const TableFacts& facts) {
  return params.solver == Solver::kAdam && has_many_rows(facts);
}

/// Chooses the step size of the preset modern for mini-batches: in 100 epochs a table
/// of some hundred rows is then learnt. Momentum makes the steps of sgd longer.
[[nodiscard]] inline double modern_step_size(const Params& params,
                                             const TableFacts& facts) {
  if (has_few_epochs(params, facts)) return 0.005;
  return params.solver == Solver::kSgd ? 0.1 * (1.0 - params.momentum) : 0.01;
}

/// Returns true if the preset modern takes ReLU: no format must express the model, or
/// one that can express it. Sigmoid and Spark's initial weights are taken otherwise.
/// They are larger than those of he-normal, in which sigmoids with a penalty may not
/// learn at all.
[[nodiscard]] inline bool takes_relu(const TableFacts& facts) {
  ExportFacts with_relu;
  with_relu.activations.emplace_back(
      Activation::of<activations::Relu>().name());
  return !facts.format || !find_export_problem(*facts.format, with_relu);
}

/// One hyper-parameter that the preset modern sets.
struct ModernSetting {
  std::string_view name;  ///< Spark's

  /// \param given  Spark's names of the hyper-parameters that the caller has set
  void (*set)(Params& params, const TableFacts& facts, ParamNames given);

  /// Describes the value, for a person; "" if the solver does not use it.
  std::string (*describe)(const Params& params);
};

/// What the preset modern sets besides the layers, which come first.
///
/// blockSize 1 gives each row the same share of the objective; with Spark's 128 the
/// rows of a short last block count more. The features must be standardised, and
/// for regression the labels too: FitOptions::is_standardizing.
inline constexpr auto kModernSettings = std::to_array<ModernSetting>({
    {"activation",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       params.activation.clear();
       if (!takes_relu(facts)) return;
       params.activation.push_back(Activation::of<activations::Relu>());
     },
     [](const Params& params) {
       return std::string(params.activation.empty() ? Activation().name()
                                                    : "ReLU");
     }},
    {"init",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       params.init = takes_relu(facts) ? Initialization::kHeNormal
                                       : Initialization::kSpark;
     },
     [](const Params& params) {
       return "init " + std::string(name_in(kInitializationNames, params.init));
     }},
    {"regParam",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       params.reg_param = modern_reg_param(facts);
     },
     [](const Params& params) {
       return "L2 of " + format_double(params.reg_param);
     }},
    {"solver",
     [](Params& params, const TableFacts& facts, ParamNames given) {
       params.solver = modern_solver(facts, given);
     },
     [](const Params& params) {
       return std::string(name_in(kSolverNames, params.solver));
     }},
    {"maxIter",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       if (!has_mini_batches(params.solver)) params.max_iter = 300;
       if (has_few_epochs(params, facts)) params.max_iter = 40;
     },
     [](const Params& params) {
       return "at most " + std::to_string(params.max_iter) +
              (has_mini_batches(params.solver) ? " epochs" : " iterations");
     }},
    {"stepSize",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       if (has_mini_batches(params.solver)) {
         params.step_size = modern_step_size(params, facts);
       }
     },
     [](const Params& params) {
       return has_mini_batches(params.solver)
                  ? "step size " + format_double(resolved_step_size(params))
                  : std::string();
     }},
    {"schedule",
     [](Params& params, const TableFacts& facts, ParamNames /*given*/) {
       if (has_few_epochs(params, facts)) {
         params.schedule.shape = optim::StepSchedule::Shape::kCosine;
       }
     },
     [](const Params& params) {
       return params.schedule == optim::StepSchedule()
                  ? std::string()
                  : "schedule " + optim::format_step_schedule(params.schedule);
     }},
    {"tol",
     [](Params& params, const TableFacts& /*facts*/, ParamNames /*given*/) {
       params.tol = 1e-4;
     },
     [](const Params& params) { return "tol " + format_double(params.tol); }},
    {"blockSize",
     [](Params& params, const TableFacts& /*facts*/, ParamNames /*given*/) {
       params.block_size = 1;
     },
     [](const Params& /*params*/) { return std::string("blockSize 1"); }},
});

/// Sets the hyper-parameters of the preset modern, except those that the caller has
/// set. Layers that are not empty stay.
///
/// \param set_by_caller  Spark's names of hyper-parameters
/// \return what was set, for a person: "layers [4, 48, 3], ReLU, ..."
inline std::string apply_modern(Params& params, const TableFacts& facts,
                                ParamNames set_by_caller = {}) {
  std::string taken;
  if (params.layers.empty()) {
    params.layers = {facts.num_features, modern_hidden_size(facts),
                     facts.num_outputs};
    taken = "layers " + format_list(params.layers);
  }
  for (const ModernSetting& setting : kModernSettings) {
    if (is_listed(set_by_caller, setting.name)) continue;
    setting.set(params, facts, set_by_caller);
    const std::string value = setting.describe(params);
    if (value.empty()) continue;
    taken += (taken.empty() ? "" : ", ") + value;
  }
  return taken;
}

}  // namespace mlp
