// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "../../optim/convergence_reason.hpp"
#include "../instances/training_instances.hpp"
#include "../model/model.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "../params/params.hpp"
#include "../result/diverged_error.hpp"
#include "../result/fit_result.hpp"
#include "fit_options.hpp"
#include "standardized_fit.hpp"
#include "train.hpp"

namespace mlp {

/// Trains a model of any task: what Classifier::fit() and Regressor::fit() share.
///
/// \param params  valid
/// \throws as Classifier::fit()
[[nodiscard]] inline FitResult fit_model(const Params& params,
                                         TrainingInstances& data,
                                         const FitOptions& options) {
  if (options.is_standardizing) {
    StandardizedFit fitted(data, options, params.task);
    FitResult result = fit_model(params, *fitted.data, fitted.options);
    result.model.set_scaler(fitted.scaler);
    return result;
  }
  const Topology topology = topology_of(params);
  TrainedWeights trained = train(topology, params, data, options);
  FitResult result{
      params.task == Task::kRegression
          ? Model(topology, std::move(trained.weights))
          : Model(topology, std::move(trained.weights), params.thresholds),
      std::move(trained.summary), std::move(trained.warnings)};
  result.model.set_statistics(std::move(trained.statistics));
  if (options.on_divergence == OnDivergence::kThrow && has_diverged(result)) {
    result.summary.convergence_reason = optim::ConvergenceReason::kDiverged;
    const std::string sentence =
        describe_divergence(result, params, options.has_final_scale);
    throw DivergedError(sentence, std::move(result));
  }
  return result;
}

/// Trains a model on data of the caller.
[[nodiscard]] inline FitResult fit_model(const Params& params,
                                         const datasets::Dataset& data,
                                         const FitOptions& options) {
  TrainingInstances instances = TrainingInstances::view(data);
  return fit_model(params, instances, options);
}

}  // namespace mlp
