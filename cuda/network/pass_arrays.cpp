// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "pass_arrays.hpp"

#include <algorithm>
#include <bit>

#include "../kernels/column_sum.hpp"
#include "../kernels/hidden_delta.hpp"
#include "../kernels/output/narrow_output.hpp"

namespace mlp::cuda {

namespace {

/// Which arrays a network needs, and how large they are.
struct Needs {
  Needs(const Topology& topology, PassKind kind, bool is_in_place)
      : has_backward(kind == PassKind::kForwardAndBackward) {
    bool is_residual = false;
    bool has_projection = false;
    for (Index k = 0; k < topology.num_layers(); ++k) {
      width = std::max(width, topology.output_size(k));
      is_residual = is_residual || topology.is_residual(k);
      has_projection = has_projection || topology.has_projection(k);
    }
    has_second_scratch = has_backward || (has_projection && !is_in_place);
    has_delta = has_backward && (is_residual || !is_in_place);
    has_rounded_delta = has_backward && has_projection && !is_in_place;
  }

  bool has_backward;
  Index width = 0;  ///< the largest output
  bool has_second_scratch;
  bool has_delta;
  bool has_rounded_delta;
};

std::size_t bytes_of(Index count, std::size_t bytes) {
  return static_cast<std::size_t>(count) * bytes;
}

}  // namespace

Index most_partials(Index units, Index capacity) {
  // Instances are divided most finely at powers of two.
  const auto power =
      static_cast<Index>(std::bit_floor(static_cast<std::size_t>(capacity)));
  return std::max(
      {num_column_partials(units, capacity), num_column_partials(units, power),
       num_delta_partials(units, capacity), num_delta_partials(units, power)});
}

bool has_narrow_output(const Topology& topology) {
  const Index hidden = topology.num_layers() - 2;
  return hidden >= 0 && topology.num_classes() <= kMaxNarrowOutputs &&
         !topology.has_batch_norm(hidden) && !has_branch(topology, hidden) &&
         !needs_z(topology, hidden);
}

bool needs_z(const Topology& topology, Index k) {
  return topology.is_hidden(k) && topology.hidden(k).activation.needs_input();
}

bool has_branch(const Topology& topology, Index k) {
  return topology.is_hidden(k) &&
         (topology.is_residual(k) || topology.hidden(k).dropout > 0.0);
}

template <typename Number, typename Input>
PassArrays<Number, Input>::PassArrays(const Topology& topology, PassKind kind,
                                      Index most_instances)
    : capacity(most_instances),
      layers(static_cast<std::size_t>(topology.num_layers() - 1)) {
  const Needs needs(topology, kind, kIsInPlace);
  for (Index k = 0; k + 1 < topology.num_layers(); ++k) {
    Layer& layer = layers[static_cast<std::size_t>(k)];
    const Index units = topology.output_size(k);
    const Index size = units * capacity;
    layer.output = DeviceArray<Input>(size);
    if (topology.has_batch_norm(k)) {
      layer.normalised = DeviceArray<Number>(size);
      layer.deviation = DeviceArray<double>(units);
    }
    if (!needs.has_backward) continue;
    if (needs_z(topology, k)) layer.z = DeviceArray<Number>(size);
    if (has_branch(topology, k)) layer.value = DeviceArray<Number>(size);
  }
  const Index size = needs.width * capacity;
  scratch[0] = DeviceArray<Number>(size);
  if (needs.has_second_scratch) scratch[1] = DeviceArray<Number>(size);
  if (needs.has_delta) delta = DeviceArray<Input>(size);
  if (needs.has_rounded_delta) rounded_delta = DeviceArray<Input>(size);
  if (!needs.has_backward) return;
  losses = DeviceArray<double>(capacity);
  Index num_partials = most_partials(needs.width, capacity);
  if (has_narrow_output(topology)) {
    narrow_delta = DeviceArray<Input>(topology.num_classes() * capacity);
    const Index units = topology.input_size(topology.num_layers() - 1);
    num_partials =
        std::max(num_partials,
                 num_narrow_partials(units, topology.num_classes(), capacity));
  }
  partials = DeviceArray<double>(num_partials);
}

template <typename Number, typename Input>
std::size_t PassArrays<Number, Input>::bytes_per_instance(
    const Topology& topology, PassKind kind) {
  const Needs needs(topology, kind, kIsInPlace);
  std::size_t bytes = 0;
  for (Index k = 0; k + 1 < topology.num_layers(); ++k) {
    std::size_t unit_bytes = sizeof(Input);
    if (topology.has_batch_norm(k)) unit_bytes += sizeof(Number);
    if (needs.has_backward && needs_z(topology, k)) {
      unit_bytes += sizeof(Number);
    }
    if (needs.has_backward && has_branch(topology, k)) {
      unit_bytes += sizeof(Number);
    }
    bytes += bytes_of(topology.output_size(k), unit_bytes);
  }
  const std::size_t scratch_bytes =
      sizeof(Number) * (needs.has_second_scratch ? 2 : 1) +
      sizeof(Input) *
          ((needs.has_delta ? 1 : 0) + (needs.has_rounded_delta ? 1 : 0));
  bytes += bytes_of(needs.width, scratch_bytes);
  if (!needs.has_backward) return bytes;
  bytes += sizeof(double);  // a loss
  // The sums of so many instances, of slices or of the tiles of narrow_output().
  constexpr Index kInstances = 1024;
  Index num_sums = num_delta_partials(needs.width, kInstances);
  if (has_narrow_output(topology)) {
    bytes += bytes_of(topology.num_classes(), sizeof(Input));
    const Index units = topology.input_size(topology.num_layers() - 1);
    num_sums = std::max(
        num_sums,
        num_narrow_partials(units, topology.num_classes(), kInstances));
  }
  return bytes +
         bytes_of((num_sums + kInstances - 1) / kInstances, sizeof(double));
}

template struct PassArrays<double, double>;
template struct PassArrays<float, float>;
template struct PassArrays<float, BFloat16>;

}  // namespace mlp::cuda
