// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/version.hpp"
#include "../datasets/partition.hpp"
#include "../mlp/classifier.hpp"
#include "../mlp/params/param_table.hpp"
#include "../mlp/regressor.hpp"
#include "guard.hpp"
#include "objects.hpp"

// The functions of c_api.h about hyper-parameters and trainings.

using mlp::capi::guarded;
using mlp::capi::require;
using mlp::capi::require_array;

namespace {

/// The least and the most that struct_size may be: up to is_standardizing, and
/// more than this struct will ever have.
constexpr std::size_t kLeastSize = offsetof(mlp_fit_options, weights);
constexpr std::size_t kMostSize = 4096;

mlp_fit_options default_options() {
  mlp_fit_options options{};
  options.struct_size = sizeof options;
  options.num_threads = 1;
  return options;
}

/// \throws ParamError unless a version of the struct can have that size
void require_struct_size(std::size_t size) {
  if (size >= kLeastSize && size <= kMostSize &&
      size % alignof(mlp_fit_options) == 0) {
    return;
  }
  throw mlp::ParamError("struct_size",
                        "must be sizeof(mlp_fit_options) of the caller; got " +
                            std::to_string(size) +
                            "; call mlp_fit_options_init() first");
}

/// \throws ParamError if the caller has set an option that this library has not
void require_no_newer_options(const mlp_fit_options* given) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof *given; i < given->struct_size; ++i) {
    if (bytes[i] == 0) continue;
    throw mlp::ParamError(
        "options", std::string("must be those of version ") + mlp::kVersion +
                       ", which has " + std::to_string(sizeof *given) +
                       " bytes of them; got another number than 0 in byte " +
                       std::to_string(i) + "; leave newer options at 0");
  }
}

/// Completes the options of an older caller with defaults.
///
/// \throws ParamError for options that no version of this interface has
mlp_fit_options complete(const mlp_fit_options* given) {
  mlp_fit_options options = default_options();
  if (given == nullptr) return options;
  mlp::capi::require_alignment(given, alignof(mlp_fit_options), "options");
  require_struct_size(given->struct_size);
  require_no_newer_options(given);
  std::memcpy(&options, given, std::min(given->struct_size, sizeof options));
  options.struct_size = sizeof options;
  mlp::capi::require_threads(options.num_threads);
  if (options.reserved != 0) {
    throw mlp::ParamError("reserved",
                          "must be 0; got " + std::to_string(options.reserved));
  }
  return options;
}

/// Calls the caller's function; an exception must not pass through C.
bool call(const mlp_fit_options& given, const mlp::optim::Iteration& at) {
  try {
    return given.on_iteration(given.user, at.iteration, at.objective) != 0;
  } catch (const std::exception& error) {
    throw mlp::ParamError(
        "on_iteration",
        std::string("must not throw; got an exception: ") + error.what());
  }
}

mlp::FitOptions options_of(const mlp_fit_options& given) {
  mlp::FitOptions options;
  options.backend = &mlp::cpu::backend();
  options.num_threads = given.num_threads;
  options.is_standardizing = given.is_standardizing != 0;
  options.on_divergence = given.keeps_diverged != 0 ? mlp::OnDivergence::kReturn
                                                    : mlp::OnDivergence::kThrow;
  if (given.on_iteration != nullptr) {
    options.on_iteration = [given](const mlp::optim::Iteration& iteration) {
      return call(given, iteration);
    };
  }
  return options;
}

/// \throws ParamError unless partition_sizes has num_partitions entries
std::vector<mlp::Index> partitions_of(const mlp_fit_options& options) {
  const std::int64_t* const sizes = options.partition_sizes;
  const std::int64_t count = options.num_partitions;
  constexpr std::int64_t kMost = mlp::datasets::kMaxPartitions;
  if (sizes == nullptr && count == 0) return {};
  if (count < 1 || count > kMost) {
    throw mlp::ParamError("num_partitions",
                          "must be the number of partition_sizes, from 1 to " +
                              std::to_string(kMost) +
                              "; or 0, with partition_sizes NULL; got " +
                              std::to_string(count));
  }
  require_array(sizes, "partition_sizes");
  return {sizes, sizes + count};
}

mlp::datasets::Dataset data_of(const double* features, const double* labels,
                               std::int64_t num_rows, std::int64_t num_features,
                               const mlp_fit_options& options) {
  mlp::capi::require_rows(num_rows, num_features);
  require_array(features, "features");
  require_array(labels, "labels");
  mlp::datasets::Dataset data;
  data.partition_sizes = partitions_of(options);
  data.borrowed = {features, num_features, num_rows};
  data.labels = Eigen::Map<const mlp::Vector>(labels, num_rows);
  if (options.weights != nullptr) {
    require_array(options.weights, "weights");
    data.weights = Eigen::Map<const mlp::Vector>(options.weights, num_rows);
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

mlp_status mlp_fit_options_init_sized(mlp_fit_options* options,
                                      size_t struct_size) {
  return guarded([&] {
    require(options, "options");
    require_struct_size(struct_size);
    const mlp_fit_options defaults = default_options();
    auto* const bytes = reinterpret_cast<unsigned char*>(options);
    std::fill_n(bytes, struct_size, static_cast<unsigned char>(0));
    std::memcpy(bytes, &defaults, std::min(struct_size, sizeof defaults));
    std::memcpy(bytes, &struct_size, sizeof struct_size);
  });
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
    *model =
        new mlp_model(mlp::make_model_document(
                          std::move(result.model), params->params,
                          std::move(result.summary), data, mlp::cpu::backend()),
                      std::move(result.warnings));
  });
}

}  // extern "C"
