// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../instances/instance_range.hpp"
#include "../network/loss.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// What the best prediction that ignores the features reaches.
struct Baseline {
  /// Mean loss of the frequencies of the classes in nats, or of the mean of the
  /// targets in half a squared unit. 0 if all labels are equal.
  double loss = 0.0;

  /// Share of the largest class; 0 without classes.
  double accuracy = 0.0;
};

namespace detail {

/// Adds numbers over all ranks of a group, in place.
inline void sum_labels(distributed::Allreduce& group, Vector& numbers) {
  if (group.world_size() == 1) return;
  group.announce("labels", 1);
  group.sum(std::span<double>(numbers.data(),
                              static_cast<std::size_t>(numbers.size())));
}

/// The loss is the entropy of the classes, smoothed as the labels are.
inline Baseline class_baseline(const Topology& topology,
                               const InstanceRange& range,
                               distributed::Allreduce& group) {
  Vector weights = Vector::Zero(topology.num_classes());
  for (Index i = 0; i < range.size; ++i) {
    weights[range.labels[i]] += range.weight(i);
  }
  sum_labels(group, weights);
  const double smoothing = topology.loss_function().label_smoothing;
  const double uniform =
      smoothing / static_cast<double>(topology.num_classes());
  const double sum = weights.sum();
  Baseline baseline{0.0, weights.maxCoeff() / sum};
  for (const double weight : weights) {
    const double probability = (1.0 - smoothing) * weight / sum + uniform;
    if (probability > 0.0) baseline.loss -= probability * std::log(probability);
  }
  return baseline;
}

/// Returns half the sum of the variances of the targets.
inline double half_variance(const Topology& topology,
                            const InstanceRange& range,
                            distributed::Allreduce& group) {
  const Index num_targets = topology.num_classes();
  const Eigen::Map<const Matrix> targets(range.targets, num_targets,
                                         range.size);
  Vector sums = Vector::Zero(num_targets + 1);  // the last is that of weights
  for (Index i = 0; i < range.size; ++i) {
    sums.head(num_targets) += range.weight(i) * targets.col(i);
    sums[num_targets] += range.weight(i);
  }
  sum_labels(group, sums);
  const double weight_sum = sums[num_targets];
  const Vector mean = sums.head(num_targets) / weight_sum;
  Vector squares = Vector::Zero(1);
  for (Index i = 0; i < range.size; ++i) {
    squares[0] += range.weight(i) * (targets.col(i) - mean).squaredNorm();
  }
  sum_labels(group, squares);
  return squares[0] / weight_sum / 2.0;
}

}  // namespace detail

/// Computes what a prediction without features reaches on the instances of all
/// ranks.
///
/// \param range  the instances of this rank, with their own weights
/// \param group  of all ranks
/// \cost one pass over the labels
/// \throws CommunicationError if a rank is lost
[[nodiscard]] inline Baseline compute_baseline(const Topology& topology,
                                               const InstanceRange& range,
                                               distributed::Allreduce& group) {
  if (has_classes(topology.loss())) {
    return detail::class_baseline(topology, range, group);
  }
  return {detail::half_variance(topology, range, group), 0.0};
}

}  // namespace mlp
