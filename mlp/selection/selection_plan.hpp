// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../params/export_format.hpp"
#include "../params/numeric_encoding.hpp"
#include "../params/param_rules.hpp"
#include "../params/params.hpp"
#include "../params/preset.hpp"
#include "../training/fit_options.hpp"
#include "../training/training_memory.hpp"
#include "unseen_region.hpp"

namespace mlp {

/// The trainings by which select_model() finds a model.
struct SelectionPlan {
  Index num_folds = 5;     ///< >= 2
  Index num_networks = 5;  ///< that are merged, >= 1

  /// The encodings of the numbers; the first of equal ones is taken   [at least 1]
  std::vector<NumericEncoding> encodings = {{},
                                            {NumericEncoding::kDefaultNumBins}};

  /// Whether networks with bins and without may stand side by side.
  bool joins_encodings = true;

  /// Factors of the size of hidden layers; the first of equal ones is taken
  /// [at least 1]
  std::vector<double> widths = {1.0};

  /// Factors of the penalty of the hyper-parameters, ascending. The choice begins in
  /// the middle and goes on while the unseen rows get better   [at least 1]
  std::vector<double> penalties = {0.1, 0.33, 1.0, 3.0, 10.0};

  /// The most iterations of a training that only chooses: after these, what is the
  /// better choice rarely changes.
  Index max_fold_iterations = 30;

  /// The most iterations of the folds of the choice, whose predictions give the
  /// temperature and the scores of unseen rows.
  Index max_last_iterations = 60;

  /// The most multiplications of all trainings for each fold, in those of one network on
  /// all rows: those of the first encoding and size, at the penalty in the middle.
  double max_multiple_per_fold = 5.0;

  /// Of the prediction intervals of a regressor, or the prediction sets of a
  /// classifier, that the model stores; nothing for none.
  std::optional<double> coverage = std::nullopt;

  /// Called after each training, by one thread at a time.
  std::function<void()> on_training = nullptr;
};

/// Computes the most multiplications of all trainings of a plan, in those of one network
/// on all rows.
[[nodiscard]] inline double max_multiple(const SelectionPlan& plan) {
  return plan.max_multiple_per_fold * static_cast<double>(plan.num_folds);
}

/// Computes the most trainings that a plan may take.
[[nodiscard]] inline Index max_trainings(const SelectionPlan& plan) {
  const auto size = [](const auto& list) {
    return static_cast<Index>(list.size());
  };
  const Index num_below = size(plan.penalties) / 2;
  const Index num_above = size(plan.penalties) - 1 - num_below;
  const Index num_penalties =
      std::max(num_below, std::min<Index>(num_below, 1) + num_above);
  const Index num_first = 1;
  const Index num_last = 1;
  const Index num_finalists =
      plan.joins_encodings ? std::min<Index>(size(plan.encodings), 2) : 1;
  return num_first +
         plan.num_folds * (size(plan.encodings) + size(plan.widths) - 1 +
                           num_finalists * (num_penalties + num_last)) +
         plan.num_networks;
}

/// Returns the hyper-parameters of a network that reads an encoding. With bins, hidden
/// layers have a sixth of the units, but not fewer than 8: the network then has about
/// as many weights as without bins, and unseen rows do as well as with all units.
[[nodiscard]] inline Params with_encoding(Params params,
                                          const NumericEncoding& encoding) {
  params.numeric_encoding = encoding;
  if (!encoding.is_quantile()) return params;
  for (std::size_t k = 1; k + 1 < params.layers.size(); ++k) {
    Index& size = params.layers[k];
    size = std::max(size / 6, std::min<Index>(size, 8));
  }
  return params;
}

/// Returns the hyper-parameters of a network whose hidden layers have other sizes.
///
/// \param width  factor of the sizes, > 0
[[nodiscard]] inline Params with_width(Params params, double width) {
  for (std::size_t k = 1; k + 1 < params.layers.size(); ++k) {
    Index& size = params.layers[k];
    const double exact = width * static_cast<double>(size);
    size = static_cast<Index>(std::max(std::round(exact), 1.0));
  }
  return params;
}

/// What the plan of a table depends on, besides the hyper-parameters.
struct SelectionFacts {
  Index num_instances = 0;

  Effort effort = Effort::kStandard;  ///< not quick

  /// Spark's names of the hyper-parameters that the caller has set.
  ParamNames set_by_caller = {};

  /// The format that must be able to express the model.
  std::optional<ExportFormat> format = std::nullopt;

  double available_bytes = available_memory().bytes;

  /// Of the prediction intervals or sets; nothing for none.
  std::optional<double> coverage = std::nullopt;
};

/// The trainings that a table may take.
struct SelectionChoice {
  std::optional<SelectionPlan> plan;  ///< nothing for a single training

  /// Why they are fewer than the effort asks for: a sentence, or "".
  std::string note = "";
};

namespace detail {

/// Computes the memory of a plan, if all folds train at the same time: the encoded
/// table, and of each fold its rows and its training.
inline double selection_bytes(const Params& params, const SelectionPlan& plan,
                              Index num_instances, const FitOptions& options) {
  double most = 0.0;
  for (const NumericEncoding& encoding : plan.encodings) {
    for (const double width : plan.widths) {
      Params network = with_width(with_encoding(params, encoding), width);
      network.layers.front() *= 1 + encoding.num_bins;
      const double table = static_cast<double>(num_instances) * sizeof(double) *
                           static_cast<double>(network.layers.front());
      const double training = training_memory(topology_of(network), network,
                                              options, {num_instances})
                                  .total();
      most = std::max(most, table + static_cast<double>(plan.num_folds) *
                                        (table + training));
    }
  }
  return most;
}

/// "effort standard"
inline std::string effort_text(Effort effort) {
  return "effort " + std::string(name_in(kEffortNames, effort));
}

/// "16"
inline std::string multiple_text(double multiple) {
  return std::to_string(std::lround(multiple));
}

/// Returns the trainings of an effort if nothing limits them. Regressions do not gain from
/// networks of both encodings, nor from more multiplications.
inline SelectionPlan plan_of(Effort effort, Task task) {
  SelectionPlan plan;
  if (task == Task::kRegression) {
    plan.joins_encodings = false;
    plan.max_multiple_per_fold = 3.2;
  }
  if (effort != Effort::kBest) return plan;
  plan.encodings.push_back({3});
  plan.widths = {1.0, 2.0};
  plan.num_networks = 10;
  plan.max_multiple_per_fold = 10.0;
  return plan;
}

/// Leaves out trainings of a plan for which the memory is too small.
inline void fit_into_memory(SelectionChoice& choice, const Params& params,
                            const SelectionFacts& facts,
                            const FitOptions& options) {
  constexpr double kShare = 0.7;  // What is needed is a lower bound.
  const double most =
      std::max(kShare * facts.available_bytes, kLeastCheckedBytes);
  const auto needed_bytes = [&] {
    return selection_bytes(params, *choice.plan, facts.num_instances, options);
  };
  const double needed = needed_bytes();
  const auto is_enough = [&](const std::string& step) {
    choice.note = effort_text(facts.effort) + step +
                  ", because more would need " + format_bytes(needed) +
                  " of memory; " + format_bytes(facts.available_bytes) +
                  " are available";
    return choice.plan && needed_bytes() <= most;
  };
  if (needed <= most) return;
  if (choice.plan->widths.size() > 1) {
    choice.plan->widths = {1.0};
    if (is_enough(" tries no other sizes of the hidden layer")) return;
  }
  if (choice.plan->encodings.size() > 1) {
    choice.plan->encodings = {{}};
    if (is_enough(" tries no quantile bins")) return;
  }
  choice.plan.reset();
  static_cast<void>(is_enough(" trains one network"));
}

}  // namespace detail

/// Names what several trainings cannot have: "batch normalisation", or "" if there is
/// nothing.
[[nodiscard]] inline std::string_view find_single_training(
    const Params& params, const FitOptions& options) {
  const distributed::Allreduce* const group = options.distribution.allreduce;
  if (params.residual) return "residual connections";
  if (params.batch_norm) return "batch normalisation";
  if (params.initial_weights) return "initial weights";
  if (!params.freeze.empty()) return "frozen layers";
  if (options.validation != nullptr) return "a validation set";
  if (options.warm_start != nullptr) return "a model to start from";
  if (options.on_iteration) return "a callback";
  if (options.checkpoint.write || !options.checkpoint.state.empty()) {
    return "checkpoints";
  }
  if (group != nullptr && group->world_size() > 1) return "several ranks";
  return "";
}

/// \throws ParamError if several trainings cannot be what params and options ask for
inline void check_selection(const Params& params, const FitOptions& options,
                            Effort effort) {
  const std::string_view single = find_single_training(params, options);
  if (single.empty()) return;
  throw ParamError("effort", "must be quick with " + std::string(single) +
                                 ", which one training has; got " +
                                 std::string(name_in(kEffortNames, effort)));
}

namespace detail {

/// Does plan_selection() without intervals and sets.
inline SelectionChoice choose_trainings(const Params& params,
                                        const SelectionFacts& facts,
                                        const FitOptions& options) {
  constexpr double kAll = 2e8;
  constexpr double kFewer = 2e9;
  const double count = static_cast<double>(facts.num_instances) *
                       static_cast<double>(topology_of(params).num_weights());
  const std::string effort = effort_text(facts.effort);
  const std::string rows =
      std::to_string(facts.num_instances) + " rows times " +
      std::to_string(topology_of(params).num_weights()) + " weights are ";
  SelectionChoice choice{plan_of(facts.effort, params.task), ""};
  SelectionPlan& plan = *choice.plan;
  const double all = max_multiple(plan);
  if (count > kAll) {
    plan.num_folds = plan.num_networks = 3;
    plan.widths = {1.0};
    choice.note = effort + " takes 3 folds and 3 networks" +
                  (facts.effort == Effort::kBest
                       ? " and tries no other sizes of the hidden layer"
                       : "") +
                  ", because " + rows + "too much for more, which could take " +
                  multiple_text(all) +
                  " times the multiplications of one network, not " +
                  multiple_text(max_multiple(plan));
  }
  if (count > kFewer) {
    return {std::nullopt, effort + " trains one network, because " + rows +
                              "too much to train several; 3 folds and 3 "
                              "networks could take " +
                              multiple_text(max_multiple(plan)) +
                              " times its multiplications"};
  }
  if (is_listed(facts.set_by_caller, "regParam")) plan.penalties = {1.0};
  ExportFacts with_bins = export_facts(params, false);
  with_bins.has_quantiles = true;
  if (is_listed(facts.set_by_caller, "numericEncoding")) {
    plan.encodings = {params.numeric_encoding};
  } else if (facts.format && find_export_problem(*facts.format, with_bins)) {
    plan.encodings = {{}};
  }
  fit_into_memory(choice, params, facts, options);
  return choice;
}

}  // namespace detail

/// Plans the trainings of an effort. How many there are depends on a count, instances
/// times weights, which no clock changes: larger tables take fewer folds and networks,
/// and try no other sizes. A hyper-parameter that the caller has set is not chosen.
///
/// \param params   with layers; the preset's network, without bins
/// \param options  of the trainings
/// \throws as check_selection(); ParamError if one training is planned, and intervals or
///         sets are asked for
[[nodiscard]] inline SelectionChoice plan_selection(const Params& params,
                                                    const SelectionFacts& facts,
                                                    const FitOptions& options) {
  check_selection(params, options, facts.effort);
  check_coverage(params, facts.coverage, facts.effort);
  SelectionChoice choice = detail::choose_trainings(params, facts, options);
  if (!facts.coverage) return choice;
  if (!choice.plan) {
    throw ParamError(
        detail::coverage_name(params.task),
        "needs rows that the trainings of folds did not see; " + choice.note);
  }
  choice.plan->coverage = facts.coverage;
  return choice;
}

}  // namespace mlp
