// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loss of one instance, computed by one thread. For .cu files only.

#include <cmath>
#include <cstdint>
#include <limits>

#include "../../activations/sigmoid.hpp"
#include "../../mlp/network/loss.hpp"
#include "../runtime/device_code.hpp"

namespace mlp::cuda {

/// The outputs z of one instance. All arithmetic with them is in double.
template <typename Number>
struct InstanceOutputs {
  Number* numbers;
  int stride;  ///< from one output to the next
  int size;

  __device__ double get(int i) const {
    return static_cast<double>(numbers[i * stride]);
  }
  __device__ void set(int i, double number) const {
    numbers[i * stride] = static_cast<Number>(number);
  }
};

/// The largest output, and the sum of exp(z - largest) over all outputs. A NaN is
/// never the largest, and makes the sum NaN.
struct SoftmaxSum {
  double largest;
  double sum;

  template <typename Number>
  __device__ explicit SoftmaxSum(const InstanceOutputs<Number>& z)
      : largest(std::numeric_limits<double>::lowest()), sum(0.0) {
    for (int i = 0; i < z.size; ++i) {
      if (z.get(i) > largest) largest = z.get(i);
    }
    for (int i = 0; i < z.size; ++i) sum += std::exp(z.get(i) - largest);
  }
};

/// softmax_nll() of mlp/network/loss_formulas.hpp.
template <typename Number>
__device__ inline double softmax_nll(const InstanceOutputs<Number>& z,
                                     std::int32_t label, double weight) {
  const SoftmaxSum softmax(z);
  double loss = 0.0;
  for (int i = 0; i < z.size; ++i) {
    const double probability =
        std::exp(z.get(i) - softmax.largest) / softmax.sum;
    if (i == label) {
      loss -= std::log(probability);
    } else if (!(probability > 0.0)) {
      loss = std::numeric_limits<double>::quiet_NaN();
    }
    z.set(i, weight * (probability - (i == label ? 1.0 : 0.0)));
  }
  return weight * loss;
}

/// log_softmax_nll() of mlp/network/loss_formulas.hpp.
template <typename Number>
__device__ inline double log_softmax_nll(const InstanceOutputs<Number>& z,
                                         std::int32_t label, double smoothing,
                                         double weight) {
  const SoftmaxSum softmax(z);
  const double even = smoothing / static_cast<double>(z.size);
  const double log_sum = std::log(softmax.sum);
  double loss = 0.0;
  for (int i = 0; i < z.size; ++i) {
    const double shifted = z.get(i) - softmax.largest;
    const double target = even + (i == label ? 1.0 - smoothing : 0.0);
    if (target != 0.0) loss += target * (log_sum - shifted);
    z.set(i, weight * (std::exp(shifted) / softmax.sum - target));
  }
  return weight * loss;
}

/// squared_error() of mlp/network/loss_formulas.hpp.
template <typename Number>
__device__ inline double squared_error(const InstanceOutputs<Number>& z,
                                       const double* target, double weight) {
  double sum = 0.0;
  for (int i = 0; i < z.size; ++i) {
    const double difference = z.get(i) - target[i];
    sum += difference * difference;
    z.set(i, weight * difference);
  }
  return weight * (sum / 2.0);
}

/// sigmoid_squared_error() of mlp/network/loss_formulas.hpp.
template <typename Number>
__device__ inline double sigmoid_squared_error(const InstanceOutputs<Number>& z,
                                               const double* target,
                                               double weight) {
  double sum = 0.0;
  for (int i = 0; i < z.size; ++i) {
    const double output = activations::Sigmoid::value(z.get(i));
    const double difference = output - target[i];
    sum += difference * difference;
    z.set(i, weight * difference * (output - output * output));
  }
  return weight * sum / 2.0;
}

}  // namespace mlp::cuda
