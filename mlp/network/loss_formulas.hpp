// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Computes losses and their derivatives from the last layer's outputs.

#include <cmath>
#include <limits>

#include "../../activations/sigmoid.hpp"
#include "../../core/types.hpp"
#include "loss.hpp"

namespace mlp {

/// Subtracts the largest output from all outputs, in place.
///
/// A NaN is never taken as the maximum.
///
/// \param[in,out] z  [num_classes]
inline void subtract_largest(Eigen::Ref<Vector> z) {
  double largest = std::numeric_limits<double>::lowest();
  for (Index i = 0; i < z.size(); ++i) {
    if (z[i] > largest) largest = z[i];
  }
  for (Index i = 0; i < z.size(); ++i) z[i] -= largest;
}

/// Turns the outputs z of the last affine layer into probabilities, in place.
///
/// A NaN makes the sum and every probability NaN.
///
/// \param[in,out] z  [num_classes]
/// \source Spark ml/ann/LossFunction.scala,
///         SoftmaxLayerModelWithCrossEntropyLoss
inline void softmax(Eigen::Ref<Vector> z) {
  subtract_largest(z);
  double sum = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    z[i] = std::exp(z[i]);
    sum += z[i];
  }
  for (Index i = 0; i < z.size(); ++i) z[i] /= sum;
}

/// Returns the negative log likelihood of one instance: -sum of t log p over
/// all classes, with t = 1 at the label and 0 elsewhere.
///
/// As in Spark, terms with t = 0 are part of the sum and 0 log 0 is NaN. If any
/// probability underflows, the loss is NaN even if the prediction is correct.
/// The line search depends on this.
///
/// \param probability  [num_classes]
[[nodiscard]] inline double negative_log_likelihood(
    const ConstVectorRef& probability, Index label) {
  for (Index i = 0; i < probability.size(); ++i) {
    const bool is_number = probability[i] > 0.0;
    if (i != label && !is_number) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  return -std::log(probability[label]);
}

/// Computes loss and derivative of softmax with negative log likelihood, as
/// Spark does (Likelihood::kOfProbabilities).
///
/// Both are multiplied by the weight of the instance.
///
/// \param[in,out] z  in: outputs of the last affine layer; out: weight (p - t)
///                   [num_classes]
/// \return weight -log p at the label, in nats
inline double softmax_nll(Eigen::Ref<Vector> z, Index label, double weight) {
  softmax(z);
  const double loss = negative_log_likelihood(z, label);
  z[label] -= 1.0;
  z *= weight;
  return weight * loss;
}

/// Computes loss and derivative of softmax with negative log likelihood and
/// label smoothing, from z instead of p (Likelihood::kLogSumExp).
///
/// The loss is the negative log likelihood of the target t = (1 - smoothing) at
/// the label + smoothing / num_classes everywhere. Loss and derivative are
/// multiplied by the weight of the instance. The largest z is subtracted before
/// the logarithm is, so that large z lose no digits.
///
/// \param[in,out] z          in: outputs of the last affine layer; out: weight
///                           (p - t)   [num_classes]
/// \param         smoothing  in [0, 1]; with 0 the target is 1 at the label
/// \return weight times the sum of -t log p, in nats
/// \source Szegedy et al. 2016, Rethinking the Inception Architecture, 7
inline double log_softmax_nll(Eigen::Ref<Vector> z, Index label,
                              double smoothing, double weight) {
  const double even = smoothing / static_cast<double>(z.size());
  subtract_largest(z);
  double sum = 0.0;
  for (Index i = 0; i < z.size(); ++i) sum += std::exp(z[i]);
  const double log_sum = std::log(sum);
  double loss = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    const double target = even + (i == label ? 1.0 - smoothing : 0.0);
    if (target != 0.0) loss += target * (log_sum - z[i]);
    z[i] = weight * (std::exp(z[i]) / sum - target);
  }
  return weight * loss;
}

/// Computes loss and derivative of half the squared error of z.
///
/// Both are multiplied by the weight of the instance.
///
/// \param[in,out] z       in: outputs of the last affine layer; out: weight
///                        (z - t)   [num_outputs]
/// \param         target  t   [num_outputs]
inline double squared_error(Eigen::Ref<Vector> z, const ConstVectorRef& target,
                            double weight) {
  z -= target;
  const double loss = z.squaredNorm() / 2.0;
  z *= weight;
  return weight * loss;
}

/// Computes loss and derivative of the sigmoid o with half the squared error.
///
/// Both are multiplied by the weight of the instance.
///
/// \param[in,out] z       in: outputs of the last affine layer; out: weight
///                        (o - t) (o - o o)   [num_outputs]
/// \param         target  t   [num_outputs]
/// \source Spark ml/ann/LossFunction.scala, SigmoidLayerModelWithSquaredError
inline double sigmoid_squared_error(Eigen::Ref<Vector> z,
                                    const ConstVectorRef& target,
                                    double weight) {
  double loss = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    const double output = activations::Sigmoid::value(z[i]);
    const double difference = output - target[i];
    loss += difference * difference;
    z[i] = weight * difference * (output - output * output);
  }
  return weight * loss / 2.0;
}

}  // namespace mlp
