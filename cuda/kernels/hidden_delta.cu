// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../activations/activation_list.hpp"
#include "../runtime/launch.hpp"
#include "hidden_delta.hpp"
#include "pack.hpp"
#include "slices.hpp"

namespace mlp::cuda {

namespace {

/// What a thread reads of an instance.
template <int kWidth, typename Number>
struct Read {
  Pack<Number, kWidth> output_delta;
  Pack<Number, kWidth> value;  ///< f(z)
  Pack<Number, kWidth> z;      ///< f(z) if the derivative does not need z
};

/// Reads the numbers of neighbouring units.
template <int kWidth, typename Number, typename Input>
__device__ Read<kWidth, Number> read(const HiddenDelta<Number, Input>& layer,
                                     Index first) {
  Read<kWidth, Number> read;
  read.output_delta = load_pack<Number, kWidth>(layer.output_delta + first);
  read.value = layer.value ? load_pack<Number, kWidth>(layer.value + first)
                           : load_pack<Number, kWidth>(layer.output + first);
  read.z = layer.activation.needs_input()
               ? load_pack<Number, kWidth>(layer.z + first)
               : read.value;
  return read;
}

/// Computes d loss / d z of neighbouring units of one instance.
///
/// \return it, as the operand of products
template <int kWidth, typename Number, typename Input>
__device__ Pack<Input, kWidth> compute_deltas(
    const HiddenDelta<Number, Input>& layer, const DropoutMask& mask,
    Index unit, Index column, const Read<kWidth, Number>& read) {
  const Index first = unit + column * layer.units;
  Pack<Number, kWidth> delta = read.output_delta;
  if (layer.rounded_output_delta) {
    store_pack(delta, layer.rounded_output_delta + first);
  }
  if (layer.dropout.rate > 0.0) {
    const Index place = layer.dropout.place_of(column);
    for (int i = 0; i < kWidth; ++i) {
      delta[i] *= static_cast<Number>(mask.factor(place, unit + i));
    }
  }
  layer.activation.visit([&](auto f) {
    for (int i = 0; i < kWidth; ++i) {
      delta[i] *=
          activations::derivative<decltype(f)>(read.z[i], read.value[i]);
    }
  });
  if (layer.unrounded_delta) {
    store_pack(delta, layer.unrounded_delta + first);
  }
  Pack<Input, kWidth> rounded;
  for (int i = 0; i < kWidth; ++i) rounded[i] = number_cast<Input>(delta[i]);
  if (layer.delta) store_pack(rounded, layer.delta + first);
  return rounded;
}

template <int kWidth, typename Number, typename Input>
__global__ void __launch_bounds__(kSliceThreads)
    hidden_delta_kernel(HiddenDelta<Number, Input> layer, Slices slices) {
  const DropoutMask mask = layer.dropout.mask();
  const SliceWalk<kWidth> walk(slices);
  double sums[kWidth] = {};
  walk.for_each_column(
      [&](Index column) {
        return read<kWidth>(layer, walk.unit() + column * layer.units);
      },
      [&](Index column, const Read<kWidth, Number>& numbers) {
        const auto deltas =
            compute_deltas(layer, mask, walk.unit(), column, numbers);
        for (int i = 0; i < kWidth; ++i) {
          sums[i] += number_cast<double>(deltas[i]);
        }
      });
  if (layer.partials) walk.store_sums(sums, false, layer.partials);
}

Slices slice(Index units, Index size, int width) {
  constexpr Index kMinSliceSize = 128;
  return {units, size, width, kMinSliceSize};
}

template <int kWidth, typename Number, typename Input>
void launch_hidden_delta(const HiddenDelta<Number, Input>& layer,
                         cudaStream_t stream) {
  const Slices slices = slice(layer.units, layer.size, kWidth);
  launch(hidden_delta_kernel<kWidth, Number, Input>, slices.grid(kWidth),
         stream, layer, slices);
  if (!layer.partials) return;
  column_sum(layer.units, slices.num_slices, layer.partials, nullptr,
             layer.bias_gradient, stream);
}

}  // namespace

Index num_delta_partials(Index units, Index size) {
  return units * slice(units, size, 1).num_slices;
}

template <typename Number, typename Input>
void hidden_delta(const HiddenDelta<Number, Input>& layer,
                  cudaStream_t stream) {
  constexpr int kWidth = kPackWidth<Number, Input>;
  if (has_packs<kWidth>(layer.units, layer.output_delta, layer.z, layer.value,
                        layer.output, layer.delta, layer.unrounded_delta,
                        layer.rounded_output_delta)) {
    launch_hidden_delta<kWidth>(layer, stream);
  } else {
    launch_hidden_delta<1>(layer, stream);
  }
}

template void hidden_delta(const HiddenDelta<double, double>&, cudaStream_t);
template void hidden_delta(const HiddenDelta<float, float>&, cudaStream_t);
template void hidden_delta(const HiddenDelta<float, BFloat16>&, cudaStream_t);

}  // namespace mlp::cuda
