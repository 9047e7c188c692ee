// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "../../activations/sigmoid.hpp"
#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "output_delta.hpp"

namespace mlp::cuda {

namespace {

constexpr unsigned kAllLanes = 0xffffffffU;

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
template <int kNumLanes, typename Number, typename Input>
class Instance {
 public:
  __device__ Instance(const OutputDelta<Number, Input>& layer, Index column)
      : layer_(layer), column_(column), first_(column * layer.num_outputs) {}

  /// Computes the deltas.
  ///
  /// \param  weight  not 0
  /// \return the loss
  __device__ double compute(double weight) const {
    if (layer_.loss_function.kind == Loss::kSquaredError) {
      return squared_error(weight);
    }
    if (layer_.loss_function.kind == Loss::kSigmoidSquaredError) {
      return sigmoid_squared_error(weight);
    }
    const double largest = find_largest();
    double sum = 0.0;
    for_own([&](Index i) { sum += std::exp(z(i) - largest); });
    sum = Lanes<kNumLanes>::sum(sum);
    return layer_.likelihood == Likelihood::kOfProbabilities &&
                   layer_.loss_function.label_smoothing == 0.0
               ? softmax_nll(largest, sum, weight)
               : log_softmax_nll(largest, sum, weight);
  }

  __device__ void clear() const {
    for_own([&](Index i) { set(i, 0.0); });
  }

 private:
  template <typename Work>
  __device__ void for_own(Work&& work) const {
    for (Index i = Lanes<kNumLanes>::own(); i < layer_.num_outputs;
         i += kNumLanes) {
      work(i);
    }
  }

  [[nodiscard]] __device__ double z(Index i) const {
    const Number product = layer_.product[first_ + i];
    return static_cast<double>(layer_.biases ? product + layer_.biases[i]
                                             : product);
  }

  __device__ void set(Index i, double delta) const {
    layer_.delta[first_ + i] = number_cast<Input>(static_cast<Number>(delta));
  }

  [[nodiscard]] __device__ double find_largest() const {
    double largest = std::numeric_limits<double>::lowest();
    for_own([&](Index i) {
      if (z(i) > largest) largest = z(i);
    });
    return Lanes<kNumLanes>::largest(largest);
  }

  [[nodiscard]] __device__ double softmax_nll(double largest, double sum,
                                              double weight) const {
    const Index label = layer_.labels[column_];
    double loss = 0.0;
    for_own([&](Index i) {
      const double probability = std::exp(z(i) - largest) / sum;
      const bool is_number = probability > 0.0;
      if (i == label) {
        loss -= std::log(probability);
      } else if (!is_number) {
        loss = std::numeric_limits<double>::quiet_NaN();
      }
      set(i, weight * (probability - (i == label ? 1.0 : 0.0)));
    });
    return weight * Lanes<kNumLanes>::sum(loss);
  }

  [[nodiscard]] __device__ double log_softmax_nll(double largest, double sum,
                                                  double weight) const {
    const double smoothing = layer_.loss_function.label_smoothing;
    const double even = smoothing / static_cast<double>(layer_.num_outputs);
    const double log_sum = std::log(sum);
    const Index label = layer_.labels[column_];
    double loss = 0.0;
    for_own([&](Index i) {
      const double shifted = z(i) - largest;
      const double target = even + (i == label ? 1.0 - smoothing : 0.0);
      if (target != 0.0) loss += target * (log_sum - shifted);
      set(i, weight * (std::exp(shifted) / sum - target));
    });
    return weight * Lanes<kNumLanes>::sum(loss);
  }

  [[nodiscard]] __device__ double squared_error(double weight) const {
    double squares = 0.0;
    for_own([&](Index i) {
      const double difference = z(i) - layer_.targets[first_ + i];
      squares += difference * difference;
      set(i, weight * difference);
    });
    return weight * (Lanes<kNumLanes>::sum(squares) / 2.0);
  }

  [[nodiscard]] __device__ double sigmoid_squared_error(double weight) const {
    double squares = 0.0;
    for_own([&](Index i) {
      const double output = activations::Sigmoid::value(z(i));
      const double difference = output - layer_.targets[first_ + i];
      squares += difference * difference;
      set(i, weight * difference * (output - output * output));
    });
    return weight * Lanes<kNumLanes>::sum(squares) / 2.0;
  }

  const OutputDelta<Number, Input>& layer_;
  Index column_;
  Index first_;
};

/// Returns the weight of an instance, divided by the divisor.
template <typename Number, typename Input>
__device__ double share_of(const OutputDelta<Number, Input>& layer,
                           Index column) {
  const double weight = layer.weights ? layer.weights[column] : 1.0;
  if (!layer.divisor) return weight;
  double divisor = *layer.divisor;
  if (divisor == 0.0) {
    divisor =
        layer.weight_sum ? *layer.weight_sum : static_cast<double>(layer.size);
  }
  return divisor == 0.0 ? 0.0 : weight / divisor;
}

template <int kNumLanes, typename Number, typename Input>
__global__ void output_delta_kernel(OutputDelta<Number, Input> layer) {
  for (Index column = first_element() / kNumLanes; column < layer.size;
       column += element_stride() / kNumLanes) {
    const Instance<kNumLanes, Number, Input> instance(layer, column);
    const double weight = share_of(layer, column);
    double loss = 0.0;
    if (weight == 0.0) {
      instance.clear();
    } else {
      loss = instance.compute(weight);
    }
    if (Lanes<kNumLanes>::own() == 0) layer.losses[column] = loss;
  }
}

template <int kNumLanes, typename Number, typename Input>
void launch_output_delta(const OutputDelta<Number, Input>& layer,
                         cudaStream_t stream) {
  constexpr unsigned kNumThreads = 128;
  launch(output_delta_kernel<kNumLanes, Number, Input>,
         striding_grid(layer.size * kNumLanes, kNumThreads), stream, layer);
}

}  // namespace

template <typename Number, typename Input>
void output_delta(const OutputDelta<Number, Input>& layer,
                  cudaStream_t stream) {
  if (layer.num_outputs < kNumOutputsOfWarp) {
    launch_output_delta<1>(layer, stream);
  } else {
    launch_output_delta<32>(layer, stream);
  }
}

template void output_delta(const OutputDelta<double, double>&, cudaStream_t);
template void output_delta(const OutputDelta<float, float>&, cudaStream_t);
template void output_delta(const OutputDelta<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
