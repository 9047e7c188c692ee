// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks combinations of hyper-parameters.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../network/topology.hpp"
#include "param_table.hpp"
#include "params.hpp"

namespace mlp {

namespace detail {

/// Refuses a combination.
///
/// \param rule  follows the parameter's name: "must be ..."
inline void require(bool is_met, std::string_view parameter,
                    std::string_view rule) {
  if (!is_met) throw ParamError(std::string(parameter), std::string(rule));
}

}  // namespace detail

/// Refuses a value outside of its parameter's interval.
inline void require_valid(const ParamInfo& info, const Params& params) {
  if (info.is_valid(params)) return;
  throw ParamError(
      std::string(info.name),
      "must be " + std::string(info.interval) + "; got " + info.format(params));
}

namespace detail {

/// Refuses a list that has neither one entry nor one for each hidden layer.
inline void require_per_layer(std::string_view name, std::size_t count,
                              const Params& params) {
  const std::size_t num_hidden = params.layers.size() - 2;
  if (count <= 1 || count == num_hidden) return;
  std::string rule = "must have 1 entry ";
  if (num_hidden > 1) {
    rule += "for all hidden layers or " + std::to_string(num_hidden) +
            ", one for each, ";
  }
  throw ParamError(std::string(name), rule + "for layers " +
                                          format_list(params.layers) +
                                          "; got " + std::to_string(count));
}

template <typename Item>
Item item_of(const std::vector<Item>& list, std::size_t i, Item otherwise) {
  if (list.empty()) return otherwise;
  return list.size() == 1 ? list.front() : list[i];
}

/// Does the opposite: keeps one entry if all are equal, and none if that is the
/// default.
template <typename Item>
void shorten(std::vector<Item>& list, Item otherwise) {
  if (std::any_of(list.begin(), list.end(),
                  [&](const Item& item) { return item != list.front(); })) {
    return;
  }
  const bool is_default = list.empty() || list.front() == otherwise;
  list.resize(is_default ? 0 : 1);
}

}  // namespace detail

/// Makes the network that hyper-parameters describe.
///
/// \throws ParamError for layers that Topology refuses, or a list of another
///         length than the hidden layers
[[nodiscard]] inline Topology topology_of(const Params& params) {
  Topology::check_sizes(params.layers);
  detail::require_per_layer("activation", params.activation.size(), params);
  detail::require_per_layer("dropout", params.dropout.size(), params);
  std::vector<HiddenLayer> hidden(params.layers.size() - 2);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    hidden[i] = {detail::item_of(params.activation, i, {}), params.residual,
                 params.batch_norm, detail::item_of(params.dropout, i, 0.0)};
  }
  const LossFunction loss_function =
      params.task == Task::kRegression
          ? LossFunction(Loss::kSquaredError)
          : LossFunction(Loss::kSoftmaxNll, params.label_smoothing);
  return Topology(params.layers, loss_function, std::move(hidden));
}

/// Sets the hyper-parameters that describe a network: the opposite of
/// topology_of().
inline void take_network(const Topology& topology, Params& params) {
  const std::vector<HiddenLayer>& hidden = topology.hidden_layers();
  params.layers = topology.layers();
  params.activation.clear();
  params.dropout.clear();
  for (const HiddenLayer& layer : hidden) {
    params.activation.push_back(layer.activation);
    params.dropout.push_back(layer.dropout);
  }
  detail::shorten(params.activation, Activation());
  detail::shorten(params.dropout, 0.0);
  params.residual = !hidden.empty() && hidden.front().is_residual;
  params.batch_norm = !hidden.empty() && hidden.front().has_batch_norm;
  params.label_smoothing = topology.loss_function().label_smoothing;
  params.task = topology.loss() == Loss::kSquaredError ? Task::kRegression
                                                       : Task::kClassification;
}

namespace detail {

/// Refuses hyper-parameters of other solvers by mini-batches.
inline void check_mini_batches(const Params& params) {
  const bool has_batches = has_mini_batches(params.solver);
  const bool is_adam = has_batches && params.solver != Solver::kSgd;
  const Params initial;
  for (const auto member : {&Params::beta1, &Params::beta2, &Params::epsilon}) {
    if (is_adam || params.*member == initial.*member) continue;
    const std::string_view name = member == &Params::beta1   ? "beta1"
                                  : member == &Params::beta2 ? "beta2"
                                                             : "epsilon";
    throw ParamError(std::string(name),
                     "must be " + format_double(initial.*member) +
                         " unless the solver is adam or adamw");
  }
  require(has_batches || !params.in_order, "inOrder",
          "must be off with solvers l-bfgs and gd, which use all rows at once");
  require(
      (has_batches && !params.in_order) || params.shuffle == Shuffle::kAuto,
      "shuffle",
      "must be auto with inOrder, and with solvers l-bfgs and gd, which use "
      "all rows at once");
  require(has_batches || params.stall_epochs == 0, "stallEpochs",
          "must be 0 with solvers l-bfgs and gd, which tol stops");
  require(params.schedule.shape != optim::StepSchedule::Shape::kAdaptive ||
              params.stall_epochs > 0,
          "stallEpochs", "must be > 0 with the schedule adaptive; got 0");
}

/// Refuses hyper-parameters that the solver does not support.
inline void check_solver(const Params& params, const Topology& topology) {
  const bool has_batches = has_mini_batches(params.solver);
  const bool is_lbfgs = params.solver == Solver::kLbfgs;
  const bool is_sgd = params.solver == Solver::kSgd;
  const bool has_dropout =
      std::any_of(params.dropout.begin(), params.dropout.end(),
                  [](double rate) { return rate > 0.0; });
  require(has_batches || !params.batch_norm, "batchNorm",
          "must be off with solvers l-bfgs and gd, which use all rows at once "
          "and have no mini-batches to normalise over; use sgd, adam or adamw");
  require(has_batches || !has_dropout, "dropout",
          "must be 0 with solvers l-bfgs and gd, whose objective may not "
          "change from one evaluation to the next; use sgd, adam or adamw");
  require(!is_lbfgs || (params.clip_norm == 0.0 && params.clip_value == 0.0),
          params.clip_norm != 0.0 ? "clipNorm" : "clipValue",
          "must be 0 with solver l-bfgs, whose line search needs the unchanged "
          "gradient; use another solver");
  require(has_batches || params.schedule == optim::StepSchedule{}, "schedule",
          "must be constant with solvers l-bfgs and gd; use sgd, adam "
          "or adamw");
  require(is_sgd || params.momentum == 0.0, "momentum",
          "must be 0 unless the solver is sgd");
  require(!params.nesterov || (is_sgd && params.momentum > 0.0), "nesterov",
          "must be off unless the solver is sgd with momentum > 0");
  require(is_lbfgs || !params.gradient_tol, "gradientTol",
          "must not be set unless the solver is l-bfgs");
  check_mini_batches(params);
  require(!params.batch_norm || params.batch_size > 1, "batchSize",
          "must be > 1 with batchNorm; got 1");
  for (const Index layer : params.freeze) {
    if (layer <= topology.num_layers()) continue;
    throw ParamError("freeze",
                     std::string("must be layers from 1 to ")
                         .append(std::to_string(topology.num_layers()))
                         .append(" for layers ")
                         .append(format_list(params.layers))
                         .append("; got ")
                         .append(std::to_string(layer)));
  }
}

}  // namespace detail

/// Refuses hyper-parameters that the task does not support.
inline void check_task(const Params& params) {
  if (params.task == Task::kClassification) return;
  detail::require(params.thresholds.empty(), "thresholds",
                  "must be empty with task regression");
  detail::require(params.class_weights.empty(), "classWeights",
                  "must be empty with task regression");
  detail::require(params.label_smoothing == 0.0, "labelSmoothing",
                  "must be 0 with task regression");
  detail::require(!params.one_output, "oneOutput",
                  "must be off with task regression");
}

namespace detail {

inline void check_per_class(std::string_view name,
                            const std::vector<double>& numbers,
                            const Topology& topology) {
  if (numbers.empty() ||
      static_cast<Index>(numbers.size()) == topology.num_classes()) {
    return;
  }
  throw ParamError(std::string(name),
                   std::string("must be ")
                       .append(std::to_string(topology.num_classes()))
                       .append(" numbers, one per class; got ")
                       .append(std::to_string(numbers.size())));
}

}  // namespace detail

/// Checks every hyper-parameter by itself, then those that depend on others.
///
/// \throws ParamError naming the parameter, what it must be and the value
inline void validate(const Params& params) {
  if (params.layers.empty()) {
    throw ParamError("layers", std::string("must be ")
                                   .append(Topology::kSizesRule)
                                   .append("; got none: set layers"));
  }
  for (const ParamInfo& info : kParamTable) require_valid(info, params);
  const Topology topology = topology_of(params);
  detail::check_solver(params, topology);
  check_task(params);
  if (params.one_output && topology.num_classes() != 2) {
    throw ParamError("oneOutput",
                     "must be off unless there are 2 classes; got " +
                         std::to_string(topology.num_classes()));
  }
  detail::require(
      !params.initial_weights || !params.numeric_encoding.is_quantile(),
      "initialWeights",
      "must be empty with numericEncoding quantile, which makes the inputs of "
      "the network from the data; start from a model instead");
  if (params.initial_weights &&
      params.initial_weights->size() != topology.num_weights()) {
    throw ParamError("initialWeights",
                     "must be " + std::to_string(topology.num_weights()) +
                         " numbers for layers " + format_list(params.layers) +
                         "; got " +
                         std::to_string(params.initial_weights->size()));
  }
  detail::check_per_class("thresholds", params.thresholds, topology);
  detail::check_per_class("classWeights", params.class_weights, topology);
}

}  // namespace mlp
