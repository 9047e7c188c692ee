// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../runtime/device_code.hpp"
#include "../../runtime/launch.hpp"
#include "instance_loss.hpp"
#include "output_delta.hpp"

namespace mlp::cuda {

namespace {

/// The outputs of an instance in the memory of the device.
template <typename Number, typename Input>
struct OutputsOf {
  const Number* product;
  const Number* biases;
  Input* delta;

  [[nodiscard]] __device__ double z(Index i) const {
    return static_cast<double>(biases ? product[i] + biases[i] : product[i]);
  }

  __device__ void set(Index i, double number) const {
    delta[i] = number_cast<Input>(static_cast<Number>(number));
  }
};

template <int kNumLanes, typename Number, typename Input>
__global__ void output_delta_kernel(OutputDelta<Number, Input> layer) {
  for (Index column = first_element() / kNumLanes; column < layer.target.size;
       column += element_stride() / kNumLanes) {
    const Index first = column * layer.target.num_outputs;
    const InstanceLoss<kNumLanes, OutputsOf<Number, Input>> instance(
        layer.target, column,
        {layer.product + first, layer.biases, layer.delta + first});
    const double weight = share_of(layer.target, column);
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
         striding_grid(layer.target.size * kNumLanes, kNumThreads), stream,
         layer);
}

}  // namespace

template <typename Number, typename Input>
void output_delta(const OutputDelta<Number, Input>& layer,
                  cudaStream_t stream) {
  if (layer.target.num_outputs < kNumOutputsOfWarp) {
    launch_output_delta<1>(layer, stream);
  } else {
    launch_output_delta<32>(layer, stream);
  }
}

template void output_delta(const OutputDelta<double, double>&, cudaStream_t);
template void output_delta(const OutputDelta<float, float>&, cudaStream_t);
template void output_delta(const OutputDelta<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
