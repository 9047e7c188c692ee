// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "feature_store.hpp"
#include "instance_range.hpp"
#include "instance_weights.hpp"
#include "label_scale.hpp"

namespace mlp {

/// \param rule   what labels must be
/// \param label  of the instance
[[noreturn]] inline void refuse_label(const datasets::Dataset& data,
                                      Index instance, const std::string& rule,
                                      double label) {
  const std::string sentence = "labels must be " + rule + "; instance " +
                               std::to_string(instance) + " has label " +
                               format_double(label);
  if (data.label_source.empty())
    detail::refuse_instance(data, instance, sentence);
  throw DataError(data.label_source, sentence);
}

/// Turns labels into class indices.
///
/// \return [num_instances], each in 0 .. num_classes - 1
/// \throws DataError naming the first instance whose label is none of them
inline std::vector<std::int32_t> check_labels(const datasets::Dataset& data,
                                              const Topology& topology) {
  const Index num_classes = topology.num_classes();
  std::vector<std::int32_t> labels;
  labels.reserve(static_cast<std::size_t>(data.labels.size()));
  for (Index i = 0; i < data.labels.size(); ++i) {
    const double label = data.labels[i];
    const bool is_class = label >= 0.0 &&
                          label < static_cast<double>(num_classes) &&
                          label == std::floor(label);
    if (!is_class) {
      refuse_label(data, i,
                   "the integers 0.." + std::to_string(num_classes - 1) +
                       " for layers " + format_list(topology.layers()),
                   label);
    }
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

namespace detail {

/// Refuses features that are not finite. Stored ones were checked when they were written,
/// but for what is computed as they are read.
inline void check_features(const datasets::Dataset& data) {
  if (data.stored && !data.stored->has_steps()) return;
  data.visit_features([&](Index first, const auto& features) {
    if (features.allFinite()) return;
    for (Index i = 0; i < features.cols(); ++i) {
      for (Index j = 0; j < features.rows(); ++j) {
        if (std::isfinite(features(j, i))) continue;
        refuse_instance(data, first + i,
                        "features must be finite; feature " +
                            std::to_string(j) + " of instance " +
                            std::to_string(first + i) + " is " +
                            format_double(features(j, i)));
      }
    }
  });
}

/// Checks what Spark does not: the number of features, and of labels.
///
/// \param is_share  of the instances of several ranks: it may be empty
inline void check_shapes(const datasets::Dataset& data,
                         const Topology& topology, bool is_share) {
  if (data.num_instances() == 0 && !is_share) {
    throw DataError("training needs at least 1 instance; got 0");
  }
  if (data.num_features() != topology.num_features()) {
    throw ShapeError("instances must have " +
                     std::to_string(topology.num_features()) +
                     " features for layers " + format_list(topology.layers()) +
                     "; got " + std::to_string(data.num_features()));
  }
  const auto labels = data.target_matrix();
  if (labels.cols() != data.num_instances()) {
    throw ShapeError("labels must be " + std::to_string(data.num_instances()) +
                     ", one per instance; got " +
                     std::to_string(labels.cols()));
  }
  const Index num_numbers =
      has_classes(topology.loss()) ? 1 : topology.num_classes();
  if (labels.rows() != num_numbers && labels.cols() != 0) {
    throw ShapeError("labels must be " + std::to_string(num_numbers) +
                     " per instance for layers " +
                     format_list(topology.layers()) + "; got " +
                     std::to_string(labels.rows()));
  }
}

/// Returns the instances per partition: all in one if none are given.
///
/// \param sizes  of the partitions, or empty
inline std::vector<Index> check_partitions(const std::vector<Index>& sizes,
                                           Index num_instances) {
  if (sizes.empty()) return {num_instances};
  Index sum = 0;
  bool is_valid = true;
  for (const Index size : sizes) {
    is_valid = is_valid && size >= 0 && size <= num_instances - sum;
    if (is_valid) sum += size;
  }
  if (!is_valid || sum != num_instances) {
    throw ShapeError("partition sizes must be >= 0 and sum to the " +
                     std::to_string(num_instances) + " instances; got " +
                     format_list(sizes));
  }
  return sizes;
}

/// Checks the labels of a regressor.
inline void check_targets(const datasets::Dataset& data) {
  const auto labels = data.target_matrix();
  if (labels.allFinite()) return;
  for (Index i = 0; i < labels.cols(); ++i) {
    for (Index j = 0; j < labels.rows(); ++j) {
      if (std::isfinite(labels(j, i))) continue;
      refuse_label(data, i, "finite numbers", labels(j, i));
    }
  }
}

}  // namespace detail

/// Labels and weights of instances, checked, in the form in which evaluators read
/// them.
class PreparedInstances {
 public:
  /// \param data  must outlive this object: features [num_features x
  ///              num_instances], finite; labels [num_instances], classes or
  ///              finite numbers, by the loss of the topology
  /// \param is_share  of the instances of several ranks: there may be none, and
  ///                  their weights may sum to 0
  /// \param scale     of labels that are numbers; null for none
  /// \throws DataError for no instances, an invalid label or weight, or a feature
  ///         that is not finite; ShapeError for a wrong number of features, labels
  ///         or weights
  PreparedInstances(const datasets::Dataset& data, const Topology& topology,
                    const Params& params, bool is_share = false,
                    const LabelScale* scale = nullptr) {
    detail::check_shapes(data, topology, is_share);
    detail::check_features(data);
    check_instance_weights(data);
    if (has_classes(topology.loss())) {
      labels_ = check_labels(data, topology);
    } else {
      detail::check_targets(data);
      targets_ = scale ? scale->apply(data.target_matrix())
                       : Matrix(data.target_matrix());
    }
    weights_ = instance_weights(data, labels_, params);
    if (!is_share && weights_.size() > 0) {
      check_weight_sum(weights_.sum(), data.source);
    }
    range_.size = data.num_instances();
    if (data.stored) {
      set_store(&stored_.emplace(data.stored));
    } else {
      range_.features = data.feature_matrix().data();
    }
    range_.labels = labels_.empty() ? nullptr : labels_.data();
    range_.targets = targets_.size() == 0 ? nullptr : targets_.data();
    range_.weights = weights_.size() == 0 ? nullptr : weights_.data();
  }

  PreparedInstances(const PreparedInstances&) = delete;
  PreparedInstances& operator=(const PreparedInstances&) = delete;

  /// Lets evaluators replace the features.
  ///
  /// \param store  of the features of the data; null if they are the caller's rows
  void set_store(FeatureStore* store) { range_.store = store; }

  /// The instances, with their own weights or none.
  [[nodiscard]] InstanceRange range() const {
    InstanceRange range = range_;
    if (range.store) range.features = range.store->rows();
    return range;
  }

  /// The weight of each: instance_weights().
  [[nodiscard]] const Vector& weights() const { return weights_; }

 private:
  std::vector<std::int32_t> labels_;  // [num_instances], or empty
  Matrix targets_;                    // [num_outputs x num_instances], or empty
  Vector weights_;                    // [num_instances], or empty
  std::optional<FeatureStore> stored_;  // of features in a file
  InstanceRange range_;
};

}  // namespace mlp
