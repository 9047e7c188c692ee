// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../../core/sha256.hpp"
#include "../../core/types.hpp"
#include "../../core/version.hpp"
#include "../../datasets/dataset.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../model/model.hpp"
#include "../params/param_rules.hpp"
#include "../params/param_table.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"

namespace mlp {

namespace detail {

template <typename Numbers>
std::string hash_numbers(const Numbers& numbers) {
  return sha256_hex(
      {reinterpret_cast<const char*>(numbers.data()),
       static_cast<std::size_t>(numbers.size()) * sizeof(double)});
}

/// As hash_numbers() of all features in memory.
inline std::string hash_features(const datasets::Dataset& data) {
  Sha256 hash;
  data.visit_features([&](Index /*first*/, const auto& features) {
    hash.update({reinterpret_cast<const char*>(features.data()),
                 static_cast<std::size_t>(features.size()) * sizeof(double)});
  });
  return hash.hex();
}

/// Returns true if a training computes the likelihood as Spark does. Params without
/// layers count as Spark's.
inline bool has_spark_likelihood(const Params& params) {
  return !has_mini_batches(params.solver) &&
         (params.layers.empty() || topology_of(params).is_spark());
}

}  // namespace detail

/// Hashes data, to tell them from others: features, labels, weights and partitions.
[[nodiscard]] inline std::string dataset_digest(const datasets::Dataset& data) {
  std::string sizes = std::to_string(data.num_instances());
  for (const Index size : data.partition_sizes) {
    sizes += ',' + std::to_string(size);
  }
  return sha256_hex(detail::hash_features(data) +
                    detail::hash_numbers(data.target_matrix()) +
                    detail::hash_numbers(data.weights) + sizes);
}

/// Lists the names of the columns, a line "name value" each, for the comparison of
/// the ranks of a training.
[[nodiscard]] inline std::string column_facts(const datasets::Dataset& data) {
  std::string lines = data.feature_names.empty() ? "columns without names\n"
                                                 : "columns with names\n";
  std::size_t number = 0;
  const auto add = [&](const std::string& what, std::string_view name) {
    lines += what;
    for (const char letter : name) lines += letter == '\n' ? ' ' : letter;
    lines += '\n';
  };
  for (const std::string& name : data.feature_names) {
    add("feature " + std::to_string(number++) + ' ', name);
  }
  add("label ", data.label_name);
  return lines;
}

/// Lists the hyper-parameters and options of a training, a line "name value" each:
/// all but the data, the threads and what ends the training.
///
/// \param is_endless  leaves maxIter and patience out unless steps depend on them
[[nodiscard]] inline std::string training_facts(const Params& params,
                                                const FitOptions& options,
                                                bool is_endless) {
  std::string lines = "version " + std::string(kVersion) + '\n';
  const auto add = [&](std::string_view name, std::string_view value) {
    lines.append(name).append(1, ' ').append(value).append(1, '\n');
  };
  const bool is_cosine =
      params.schedule.shape == optim::StepSchedule::Shape::kCosine;
  for (const ParamInfo& info : kParamTable) {
    if (is_endless && info.name == "maxIter" && !is_cosine) continue;
    if (is_endless && info.name == "patience") continue;
    add(info.name, info.format(params));
  }
  add("seedHash", name_in(kSeedHashNames, params.seed_hash));
  add("backend", options.backend->name());
  add("precision", precision_name(options.precision));
  add("reproducible", options.distribution.is_reproducible ? "true" : "false");
  add("validation", options.validation ? dataset_digest(*options.validation)
                                       : std::string("none"));
  if (options.label_scale) {
    const LabelScale& scale = *options.label_scale;
    std::string numbers;
    for (Index i = 0; i < scale.mean.size(); ++i) {
      if (i > 0) numbers += ' ';
      numbers += format_double(scale.mean[i]) + ' ' +
                 format_double(scale.deviation[i]);
    }
    add("labelScale", numbers);
  }
  add("warmStart",
      options.warm_start
          ? detail::hash_numbers(options.warm_start->weights()) +
                detail::hash_numbers(options.warm_start->statistics())
          : std::string("none"));
  return lines;
}

/// Lists all that the path of a training depends on: a training can be resumed only
/// from a state of the same fingerprint. maxIter, patience, the threads and the
/// ranks are not in it, so that a training can be prolonged; with a cosine schedule
/// maxIter is, because every step depends on it. The last line states that the loss
/// is computed by log-sum-exp, which earlier versions did not do.
///
/// \param data_digest  dataset_digest() of the instances of all ranks
[[nodiscard]] inline std::string training_fingerprint(
    const Params& params, const std::string& data_digest,
    const FitOptions& options) {
  return training_facts(params, options, true) + "data " + data_digest + '\n' +
         (detail::has_spark_likelihood(params) ? "" : "likelihood logSumExp\n");
}

}  // namespace mlp
