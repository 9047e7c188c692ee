// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../runtime/launch.hpp"
#include "hidden_output.hpp"
#include "pack.hpp"

namespace mlp::cuda {

namespace {

/// Returns the skip connection, which is added to the output.
template <int kWidth, typename Number, typename Input>
__device__ Pack<Number, kWidth> load_skip(
    const HiddenOutput<Number, Input>& layer, Index first) {
  if (layer.skip_product) {
    return load_pack<Number, kWidth>(layer.skip_product + first);
  }
  if (layer.skip_input) {
    return load_pack<Number, kWidth>(layer.skip_input + first);
  }
  return {};
}

template <int kWidth, typename Number, typename Input>
__global__ void hidden_output_kernel(HiddenOutput<Number, Input> layer) {
  const DropoutMask mask = layer.dropout.mask();
  const bool has_skip = layer.skip_product || layer.skip_input;
  for (PackWalk<kWidth> at(layer.units, layer.size); at.is_inside();
       at.advance()) {
    Pack<Number, kWidth> y =
        load_pack<Number, kWidth>(layer.product + at.first());
    const Pack<Number, kWidth> skip = load_skip<kWidth>(layer, at.first());
    if (layer.biases) {
      const auto biases = load_pack<Number, kWidth>(layer.biases + at.unit());
      for (int i = 0; i < kWidth; ++i) y[i] += biases[i];
    }
    if (layer.z) store_pack(y, layer.z + at.first());
    if (!layer.output) continue;
    layer.activation.visit([&](auto f) {
      for (int i = 0; i < kWidth; ++i) y[i] = decltype(f)::value(y[i]);
    });
    if (layer.value) store_pack(y, layer.value + at.first());
    if (layer.dropout.rate > 0.0) {
      const Index place = layer.dropout.place_of(at.column());
      for (int i = 0; i < kWidth; ++i) {
        y[i] *= static_cast<Number>(mask.factor(place, at.unit() + i));
      }
    }
    for (int i = 0; i < kWidth && has_skip; ++i) y[i] += skip[i];
    store_pack(y, layer.output + at.first());
  }
}

template <int kWidth, typename Number, typename Input>
void launch_hidden_output(const HiddenOutput<Number, Input>& layer,
                          cudaStream_t stream) {
  launch(hidden_output_kernel<kWidth, Number, Input>,
         striding_grid(layer.units * layer.size / kWidth), stream, layer);
}

}  // namespace

template <typename Number, typename Input>
void hidden_output(const HiddenOutput<Number, Input>& layer,
                   cudaStream_t stream) {
  // More numbers of a double than an access has: the activation takes longer than it.
  constexpr int kWidth = 4;
  if (has_packs<kWidth>(layer.units, layer.product, layer.biases,
                        layer.skip_input, layer.skip_product, layer.z,
                        layer.value, layer.output)) {
    launch_hidden_output<kWidth>(layer, stream);
  } else {
    launch_hidden_output<1>(layer, stream);
  }
}

template void hidden_output(const HiddenOutput<double, double>&, cudaStream_t);
template void hidden_output(const HiddenOutput<float, float>&, cudaStream_t);
template void hidden_output(const HiddenOutput<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
