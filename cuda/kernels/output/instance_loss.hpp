// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The loss of an instance and its derivatives. For .cu files only.

#include <cuda_runtime.h>

#include <cmath>
#include <limits>

#include "../../../activations/sigmoid.hpp"
#include "../../../core/index.hpp"
#include "output_delta.hpp"

namespace mlp::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffU;

/// The lanes that compute one instance: one thread, or a warp. Output i belongs to
/// lane i % kNumLanes.
template <int kNumLanes>
struct Lanes {
  static __device__ int own() {
    return static_cast<int>(threadIdx.x) % kNumLanes;
  }

  /// Adds a number of each lane, in a fixed order.
  static __device__ double sum(double number) {
    for (int bits = kNumLanes / 2; bits > 0; bits /= 2) {
      number += __shfl_xor_sync(kAllLanes, number, bits);
    }
    return number;
  }

  /// \pre no number is NaN
  static __device__ double largest(double number) {
    for (int bits = kNumLanes / 2; bits > 0; bits /= 2) {
      const double other = __shfl_xor_sync(kAllLanes, number, bits);
      if (other > number) number = other;
    }
    return number;
  }
};

/// The last layer's outputs of one instance, and what becomes of them. Each lane
/// reads and writes its own outputs only.
///
/// \tparam Outputs  has z(i) and set(i, delta), in double
template <int kNumLanes, typename Outputs>
class InstanceLoss {
 public:
  __device__ InstanceLoss(const LossTarget& target, Index column,
                          Outputs outputs)
      : target_(target), column_(column), outputs_(outputs) {}

  /// Computes the deltas.
  ///
  /// \param  weight  not 0
  /// \return the loss
  __device__ double compute(double weight) const {
    if (target_.loss_function.kind == Loss::kSquaredError) {
      return squared_error(weight);
    }
    if (target_.loss_function.kind == Loss::kSigmoidSquaredError) {
      return sigmoid_squared_error(weight);
    }
    const double largest = find_largest();
    double sum = 0.0;
    for_own([&](Index i) { sum += std::exp(outputs_.z(i) - largest); });
    sum = Lanes<kNumLanes>::sum(sum);
    return target_.likelihood == Likelihood::kOfProbabilities &&
                   target_.loss_function.label_smoothing == 0.0
               ? softmax_nll(largest, sum, weight)
               : log_softmax_nll(largest, sum, weight);
  }

  __device__ void clear() const {
    for_own([&](Index i) { outputs_.set(i, 0.0); });
  }

 private:
  template <typename Work>
  __device__ void for_own(Work&& work) const {
    for (Index i = Lanes<kNumLanes>::own(); i < target_.num_outputs;
         i += kNumLanes) {
      work(i);
    }
  }

  [[nodiscard]] __device__ double find_largest() const {
    double largest = std::numeric_limits<double>::lowest();
    for_own([&](Index i) {
      if (outputs_.z(i) > largest) largest = outputs_.z(i);
    });
    return Lanes<kNumLanes>::largest(largest);
  }

  [[nodiscard]] __device__ double softmax_nll(double largest, double sum,
                                              double weight) const {
    const Index label = target_.labels[column_];
    double of_label = 1.0;
    bool has_underflow = false;
    for_own([&](Index i) {
      const double probability = std::exp(outputs_.z(i) - largest) / sum;
      if (i == label) of_label = probability;
      // False for NaN, too.
      if (i != label && !(probability > 0.0)) has_underflow = true;
      outputs_.set(i, weight * (probability - (i == label ? 1.0 : 0.0)));
    });
    const double loss = has_underflow ? std::numeric_limits<double>::quiet_NaN()
                                      : -std::log(of_label);
    return weight * Lanes<kNumLanes>::sum(loss);
  }

  [[nodiscard]] __device__ double log_softmax_nll(double largest, double sum,
                                                  double weight) const {
    const double smoothing = target_.loss_function.label_smoothing;
    const double even = smoothing / static_cast<double>(target_.num_outputs);
    const double log_sum = std::log(sum);
    const Index label = target_.labels[column_];
    double loss = 0.0;
    for_own([&](Index i) {
      const double shifted = outputs_.z(i) - largest;
      const double target = even + (i == label ? 1.0 - smoothing : 0.0);
      if (target != 0.0) loss += target * (log_sum - shifted);
      outputs_.set(i, weight * (std::exp(shifted) / sum - target));
    });
    return weight * Lanes<kNumLanes>::sum(loss);
  }

  [[nodiscard]] __device__ double squared_error(double weight) const {
    double squares = 0.0;
    for_own([&](Index i) {
      const double difference = outputs_.z(i) - targets()[i];
      squares += difference * difference;
      outputs_.set(i, weight * difference);
    });
    return weight * (Lanes<kNumLanes>::sum(squares) / 2.0);
  }

  [[nodiscard]] __device__ double sigmoid_squared_error(double weight) const {
    double squares = 0.0;
    for_own([&](Index i) {
      const double output = activations::Sigmoid::value(outputs_.z(i));
      const double difference = output - targets()[i];
      squares += difference * difference;
      outputs_.set(i, weight * difference * (output - output * output));
    });
    return weight * Lanes<kNumLanes>::sum(squares) / 2.0;
  }

  [[nodiscard]] __device__ const double* targets() const {
    return target_.targets + column_ * target_.num_outputs;
  }

  const LossTarget& target_;
  Index column_;
  Outputs outputs_;
};

/// Returns the weight of an instance, divided by the divisor.
__device__ inline double share_of(const LossTarget& target, Index column) {
  const double weight = target.weights ? target.weights[column] : 1.0;
  if (!target.divisor) return weight;
  double divisor = *target.divisor;
  if (divisor == 0.0) {
    divisor = target.weight_sum ? *target.weight_sum
                                : static_cast<double>(target.size);
  }
  return divisor == 0.0 ? 0.0 : weight / divisor;
}

}  // namespace mlp::cuda
