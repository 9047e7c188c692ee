// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/activation_list.hpp"
#include "../runtime/launch.hpp"
#include "hidden_delta.hpp"
#include "pack.hpp"

namespace mlp::cuda {

namespace {

/// Returns f(z).
template <int kWidth, typename Number, typename Input>
__device__ Pack<Number, kWidth> load_value(
    const HiddenDelta<Number, Input>& layer, Index first) {
  if (layer.value) return load_pack<Number, kWidth>(layer.value + first);
  return load_pack<Number, kWidth>(layer.output + first);
}

/// Returns z if the derivative needs it, else f(z).
template <int kWidth, typename Number, typename Input>
__device__ Pack<Number, kWidth> load_z(const HiddenDelta<Number, Input>& layer,
                                       const Pack<Number, kWidth>& value,
                                       Index first) {
  if (!layer.activation.needs_input()) return value;
  return load_pack<Number, kWidth>(layer.z + first);
}

template <int kWidth, typename Number, typename Input>
__global__ void hidden_delta_kernel(HiddenDelta<Number, Input> layer) {
  const DropoutMask mask = layer.dropout.mask();
  for (PackWalk<kWidth> at(layer.units, layer.size); at.is_inside();
       at.advance()) {
    Pack<Number, kWidth> delta =
        load_pack<Number, kWidth>(layer.output_delta + at.first());
    const auto value = load_value<kWidth>(layer, at.first());
    const auto z = load_z(layer, value, at.first());
    if (layer.rounded_output_delta) {
      store_pack(delta, layer.rounded_output_delta + at.first());
    }
    if (layer.dropout.rate > 0.0) {
      const Index place = layer.dropout.place_of(at.column());
      for (int i = 0; i < kWidth; ++i) {
        delta[i] *= static_cast<Number>(mask.factor(place, at.unit() + i));
      }
    }
    layer.activation.visit([&](auto f) {
      for (int i = 0; i < kWidth; ++i) {
        delta[i] *= activations::derivative<decltype(f)>(z[i], value[i]);
      }
    });
    if (layer.delta) store_pack(delta, layer.delta + at.first());
    if (layer.unrounded_delta) {
      store_pack(delta, layer.unrounded_delta + at.first());
    }
  }
}

template <int kWidth, typename Number, typename Input>
void launch_hidden_delta(const HiddenDelta<Number, Input>& layer,
                         cudaStream_t stream) {
  launch(hidden_delta_kernel<kWidth, Number, Input>,
         striding_grid(layer.units * layer.size / kWidth), stream, layer);
}

}  // namespace

template <typename Number, typename Input>
void hidden_delta(const HiddenDelta<Number, Input>& layer,
                  cudaStream_t stream) {
  if (has_packs(layer.units, layer.output_delta, layer.z, layer.value,
                layer.output, layer.delta, layer.unrounded_delta,
                layer.rounded_output_delta)) {
    launch_hidden_delta<kPackWidth>(layer, stream);
  } else {
    launch_hidden_delta<1>(layer, stream);
  }
}

template void hidden_delta(const HiddenDelta<double, double>&, cudaStream_t);
template void hidden_delta(const HiddenDelta<float, float>&, cudaStream_t);
template void hidden_delta(const HiddenDelta<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
