// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"
#include "../network/loss.hpp"
#include "../network/loss_formulas.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// Returns the likelihood that training computes: Spark's for Spark's networks.
[[nodiscard]] inline Likelihood training_likelihood(const Topology& topology) {
  return topology.is_spark() ? Likelihood::kOfProbabilities
                             : Likelihood::kLogSumExp;
}

/// Turns z of one instance into d loss / d z and returns the loss, both times a
/// weight, by the formula of a loss function.
///
/// An instance of weight 0 adds nothing, even if its loss is not finite.
///
/// \param         likelihood  of softmax without label smoothing, which is
///                           always computed by log-sum-exp
/// \param         instances  labels or targets are read
/// \param         i          of the instance in them
/// \param[in,out] z          outputs of the last affine layer   [num_outputs]
/// \return weight times loss
inline double apply_loss(const LossFunction& loss_function,
                         Likelihood likelihood, const InstanceRange& instances,
                         Index i, double weight, Eigen::Ref<Vector> z) {
  if (weight == 0.0) {
    z.setZero();
    return 0.0;
  }
  if (loss_function.kind == Loss::kSoftmaxNll) {
    return likelihood == Likelihood::kOfProbabilities &&
                   loss_function.label_smoothing == 0.0
               ? softmax_nll(z, instances.labels[i], weight)
               : log_softmax_nll(z, instances.labels[i],
                                 loss_function.label_smoothing, weight);
  }
  const Eigen::Map<const Vector> target(instances.targets + i * z.size(),
                                        z.size());
  return loss_function.kind == Loss::kSigmoidSquaredError
             ? sigmoid_squared_error(z, target, weight)
             : squared_error(z, target, weight);
}

}  // namespace mlp
