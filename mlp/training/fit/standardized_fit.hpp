// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "../../../core/byte_stream.hpp"
#include "../../../core/error.hpp"
#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../datasets/feature_moments.hpp"
#include "../../../datasets/standard_scaler.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../../instances/instance_weights.hpp"
#include "../../instances/label_scale.hpp"
#include "../../instances/training_instances.hpp"
#include "../../model/model.hpp"
#include "../../params/params.hpp"
#include "../fit_options.hpp"

namespace mlp {

namespace detail {

inline std::string pack(const datasets::FeatureMoments& moments) {
  ByteWriter writer;
  writer.write(moments.weight_sum);
  writer.write_vector(moments.nonzero_weight);
  writer.write_vector(moments.nonzero_mean);
  writer.write_vector(moments.squares);
  return std::move(writer).bytes();
}

inline datasets::FeatureMoments unpack_moments(const std::string& bytes,
                                               int rank, Index num_features) {
  try {
    constexpr const char* kWhat = "the number of features";
    ByteReader reader(bytes, "its means and deviations");
    datasets::FeatureMoments moments;
    moments.weight_sum = reader.read<double>();
    moments.nonzero_weight = reader.read_vector<Vector>(num_features, kWhat);
    moments.nonzero_mean = reader.read_vector<Vector>(num_features, kWhat);
    moments.squares = reader.read_vector<Vector>(num_features, kWhat);
    return moments;
  } catch (const ModelError& error) {
    throw CommunicationError(rank, error.what());
  }
}

}  // namespace detail

/// Merges the moments of the instances of all ranks, in the order of the ranks.
///
/// \param own    of the instances of this rank
/// \param group  may be null: there are no other ranks
/// \throws CommunicationError if a rank has another number of features
[[nodiscard]] inline datasets::FeatureMoments merge_over_ranks(
    datasets::FeatureMoments own, distributed::Allreduce* group) {
  if (group == nullptr || group->world_size() == 1) return own;
  const Index num_features = own.squares.size();
  datasets::FeatureMoments merged(num_features);
  int rank = 0;
  for (const std::string& bytes : group->all_gather(detail::pack(own))) {
    merged.merge(detail::unpack_moments(bytes, rank++, num_features));
  }
  return merged;
}

/// Fits the scaler of the instances of all ranks, by their weights. It leaves
/// Dataset::are_indicators as they are.
///
/// \param data   the instances of this rank
/// \param group  may be null: there are no other ranks
/// \throws as StandardScaler::fit(), on all ranks
[[nodiscard]] inline datasets::StandardScaler fit_scaler(
    const datasets::Dataset& data, distributed::Allreduce* group) {
  auto scaler = datasets::StandardScaler::of(
      merge_over_ranks(datasets::moments_of(data), group));
  scaler.require_finite(data);
  scaler.keep(data.are_indicators);
  return scaler;
}

/// Fits the scale of the labels of all ranks, by the weights of the instances.
///
/// \param group  may be null: there are no other ranks
/// \throws as LabelScale::of(), on all ranks
[[nodiscard]] inline LabelScale fit_label_scale(const datasets::Dataset& data,
                                                distributed::Allreduce* group) {
  return LabelScale::of(merge_over_ranks(
      datasets::FeatureMoments::of(data.target_matrix(), data.weights), group));
}

/// Returns the scaler of a fit that standardises: that of the model that training starts
/// from, or else that of the instances of all ranks.
///
/// \throws as check_instance_weights() and fit_scaler()
[[nodiscard]] inline datasets::StandardScaler find_scaler(
    const datasets::Dataset& data, const FitOptions& options) {
  check_instance_weights(data);
  if (options.warm_start && options.warm_start->scaler()) {
    return *options.warm_start->scaler();
  }
  return fit_scaler(data, options.distribution.allreduce);
}

/// Returns the scale of the labels of a fit that standardises: the one that is given, or
/// else that of the instances; none without numbers as labels.
[[nodiscard]] inline std::optional<LabelScale> find_label_scale(
    const datasets::Dataset& data, const FitOptions& options, Task task) {
  const bool has_labels = data.target_matrix().cols() == data.num_instances();
  if (task != Task::kRegression || !has_labels || options.label_scale) {
    return options.label_scale;
  }
  return fit_label_scale(data, options.distribution.allreduce);
}

/// The data and options of a fit that standardises; it runs as one that does not.
///
/// Features in memory are copied, so that the caller's stay as they are.
struct StandardizedFit {
  std::optional<TrainingInstances> data;  ///< not null
  std::optional<datasets::Dataset> validation;
  datasets::StandardScaler scaler;  ///< for the model
  FitOptions options;               ///< refers to validation

  /// \param unscaled  with rows
  /// \param given     options with is_standardizing
  StandardizedFit(TrainingInstances& unscaled, const FitOptions& given,
                  Task task)
      : options(given) {
    distributed::Allreduce* const group = given.distribution.allreduce;
    if (given.distribution.is_reproducible && group &&
        group->world_size() > 1) {
      throw ParamError("is_standardizing",
                       "must be off with reproducible on several ranks, "
                       "because the means of the ranks are rounded; scale the "
                       "data first, with the scaler of all instances");
    }
    if (FeatureStore* const store = unscaled.store()) store->restore_rows();
    datasets::Dataset scaled = unscaled.data();
    scaler = find_scaler(scaled, given);
    scaler.apply(scaled, scaled.num_features());
    options.is_standardizing = false;
    options.has_final_scale = true;
    if (given.validation) {
      validation = *given.validation;
      scaler.apply(*validation, validation->num_features());
      options.validation = &*validation;
    }
    options.label_scale = find_label_scale(scaled, given, task);
    data.emplace(std::move(scaled));
  }

  StandardizedFit(const StandardizedFit&) = delete;
  StandardizedFit& operator=(const StandardizedFit&) = delete;
};

}  // namespace mlp
