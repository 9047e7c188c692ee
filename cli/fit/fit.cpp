// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fit.hpp"

#include "../../mlp/regressor.hpp"
#include "../../mlp/training/fit/encoded_fit.hpp"

namespace mlp::cli {

FitOptions make_fit_options(const TrainingJob& job, const TrainingData& data,
                            const StopSignal& signal) {
  FitOptions options;
  options.backend = job.global.backend.implementation;
  options.precision = job.options.precision;
  options.num_threads = job.global.num_threads;
  options.is_stopping = signal.flag();
  if (data.validation) options.validation = &*data.validation;
  if (job.options.warm_start) options.warm_start = &*job.options.warm_start;
  options.label_scale = data.label_scale;
  options.has_final_scale = job.options.has_scale || data.scaler ||
                            data.encoder || !data.train.columns.empty();
  options.distribution.is_reproducible = job.options.ranks.is_reproducible;
  return options;
}

Params network_params(const TrainingJob& job, const TrainingData& data) {
  return data.encoder ? encoded_params(job.params, *data.encoder) : job.params;
}

Fit run_fit(const Params& params, TrainingInstances& data,
            const FitOptions& options) {
  try {
    return {params.task == Task::kRegression
                ? Regressor(params).fit(data, options)
                : Classifier(params).fit(data, options),
            std::nullopt};
  } catch (const DivergedError& error) {
    return {error.result(), error};
  }
}

}  // namespace mlp::cli
