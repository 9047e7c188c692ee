// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "../../../datasets/dataset.hpp"
#include "../../../optim/convergence_reason.hpp"
#include "../../instances/training_instances.hpp"
#include "../../model/model.hpp"
#include "../../network/topology.hpp"
#include "../../params/param_rules.hpp"
#include "../../params/params.hpp"
#include "../../result/diverged_error.hpp"
#include "../../result/fit_result.hpp"
#include "../fit_options.hpp"
#include "../train.hpp"
#include "encoded_fit.hpp"
#include "standardized_fit.hpp"

namespace mlp {

namespace detail {

/// Trains on features as they are.
inline FitResult fit_prepared(const Params& params, TrainingInstances& data,
                              const FitOptions& options) {
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

/// Trains on scaled features.
inline FitResult fit_standardized(const Params& params, TrainingInstances& data,
                                  const FitOptions& options) {
  StandardizedFit fitted(data, options, params.task);
  FitResult result = fit_prepared(params, *fitted.data, fitted.options);
  result.model.set_scaler(fitted.scaler);
  return result;
}

/// Trains on the features, which may be scaled, and their bins.
inline FitResult fit_encoded(const Params& params, TrainingInstances& data,
                             const FitOptions& options) {
  EncodedFit fitted(data, params, options);
  FitResult result = fit_prepared(fitted.params, *fitted.data, fitted.options);
  result.model.set_encoder(*std::move(fitted.encoder));
  if (fitted.scaler) result.model.set_scaler(*std::move(fitted.scaler));
  if (fitted.scale_warning) {
    result.warnings.insert(result.warnings.begin(),
                           *std::move(fitted.scale_warning));
  }
  return result;
}

}  // namespace detail

/// Trains a model of any task: what Classifier::fit() and Regressor::fit() share.
///
/// \param params  valid
/// \throws as Classifier::fit()
[[nodiscard]] inline FitResult fit_model(const Params& params,
                                         TrainingInstances& data,
                                         const FitOptions& options) {
  const distributed::Allreduce* const group = options.distribution.allreduce;
  check_numeric_encoding(params, options.warm_start,
                         group != nullptr ? group->world_size() : 1);
  if (params.numeric_encoding.is_quantile()) {
    return detail::fit_encoded(params, data, options);
  }
  if (options.is_standardizing) {
    return detail::fit_standardized(params, data, options);
  }
  return detail::fit_prepared(params, data, options);
}

/// Trains a model on data of the caller.
[[nodiscard]] inline FitResult fit_model(const Params& params,
                                         const datasets::Dataset& data,
                                         const FitOptions& options) {
  TrainingInstances instances = TrainingInstances::view(data);
  return fit_model(params, instances, options);
}

}  // namespace mlp
