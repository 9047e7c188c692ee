// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>

#include "../core/error.hpp"
#include "../core/version.hpp"
#include "../mlp/classifier.hpp"
#include "../mlp/params/param_table.hpp"
#include "../mlp/regressor.hpp"
#include "guard.hpp"
#include "objects.hpp"

// The functions of c_api.h about hyper-parameters and trainings.

using mlp::capi::guarded;
using mlp::capi::require;

namespace {

mlp::FitOptions options_of(const mlp_fit_options& given) {
  mlp::FitOptions options;
  options.backend = &mlp::cpu::backend();
  options.num_threads = given.num_threads;
  options.is_standardizing = given.is_standardizing != 0;
  if (given.on_iteration != nullptr) {
    options.on_iteration = [given](const mlp::optim::Iteration& iteration) {
      return given.on_iteration(given.user, iteration.iteration,
                                iteration.objective) != 0;
    };
  }
  return options;
}

mlp::datasets::Dataset data_of(const double* features, const double* labels,
                               std::int64_t num_rows, std::int64_t num_features,
                               const mlp_fit_options& options) {
  require(features, "features");
  require(labels, "labels");
  mlp::capi::require_rows(num_rows, num_features);
  mlp::datasets::Dataset data;
  data.borrowed = {features, num_features, num_rows};
  data.labels = Eigen::Map<const mlp::Vector>(labels, num_rows);
  if (options.weights != nullptr) {
    data.weights = Eigen::Map<const mlp::Vector>(options.weights, num_rows);
  }
  if (options.partition_sizes != nullptr) {
    data.partition_sizes.assign(
        options.partition_sizes,
        options.partition_sizes + options.num_partitions);
  }
  return data;
}

mlp::FitResult train(const mlp::Params& params,
                     const mlp::datasets::Dataset& data,
                     const mlp::FitOptions& options) {
  return params.task == mlp::Task::kRegression
             ? mlp::Regressor(params).fit(data, options)
             : mlp::Classifier(params).fit(data, options);
}

/// \throws mlp::ParamError for options of another version of this interface
mlp_fit_options complete(const mlp_fit_options* given) {
  mlp_fit_options options;
  mlp_fit_options_init(&options);
  if (given == nullptr) return options;
  if (given->struct_size != sizeof options) {
    throw mlp::ParamError("options",
                          "must be set by mlp_fit_options_init() first");
  }
  options = *given;
  mlp::capi::require_threads(options.num_threads);
  return options;
}

}  // namespace

extern "C" {

const char* mlp_version(void) { return mlp::kVersion; }

const char* mlp_last_error(void) { return mlp::capi::last_error(); }

mlp_status mlp_params_new(mlp_params** params) {
  return guarded([&] {
    require(params, "params");
    *params = nullptr;
    *params = new mlp_params();
  });
}

mlp_status mlp_params_set(mlp_params* params, const char* name,
                          const char* value) {
  return guarded([&] {
    require(params, "params");
    require(name, "name");
    require(value, "value");
    const mlp::ParamInfo* const info = mlp::find_param(name);
    if (info == nullptr) {
      throw mlp::ParamError(name, "is no hyper-parameter");
    }
    mlp::set_param(params->params, *info, value);
  });
}

void mlp_params_free(mlp_params* params) { delete params; }

void mlp_fit_options_init(mlp_fit_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->num_threads = 1;
}

mlp_status mlp_fit(const mlp_params* params, const double* features,
                   const double* labels, int64_t num_rows, int64_t num_features,
                   const mlp_fit_options* given, mlp_model** model) {
  return guarded([&] {
    require(model, "model");
    *model = nullptr;
    require(params, "params");
    const mlp_fit_options options = complete(given);
    const mlp::datasets::Dataset data =
        data_of(features, labels, num_rows, num_features, options);
    mlp::FitResult result = train(params->params, data, options_of(options));
    *model = new mlp_model(mlp::make_model_document(
        std::move(result.model), params->params, std::move(result.summary),
        data, mlp::cpu::backend()));
  });
}

}  // extern "C"
