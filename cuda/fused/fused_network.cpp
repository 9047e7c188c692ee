// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fused_network.hpp"

#include <algorithm>
#include <cstddef>

#include "../../mlp/network/topology.hpp"

namespace mlp::cuda {

namespace {

/// The smallest odd number that is not smaller.
int odd(int size) { return size | 1; }

/// Gives out the numbers of the shared memory one after another. Sums of sizes
/// that exceed int are counted; their positions are never used.
class Positions {
 public:
  int take(Index count) {
    const auto first = static_cast<int>(num_taken_);
    num_taken_ += count;
    return first;
  }
  [[nodiscard]] Index num_taken() const { return num_taken_; }

 private:
  Index num_taken_ = 0;
};

}  // namespace

bool is_fusable(const Topology& topology) {
  const auto& hidden = topology.hidden_layers();
  return topology.num_layers() <= FusedNetwork::kMaxLayers &&
         std::all_of(hidden.begin(), hidden.end(), [](const HiddenLayer& h) {
           return !h.is_residual && !h.has_batch_norm && h.dropout == 0.0;
         });
}

FusedNetwork lay_out(const Topology& topology, int tile_size) {
  FusedNetwork network;
  network.num_layers = static_cast<int>(topology.num_layers());
  network.num_classes = static_cast<int>(topology.num_classes());
  network.tile_size = tile_size;
  network.tile_stride = odd(tile_size);
  network.num_weights = topology.num_weights();
  network.loss = topology.loss();
  network.label_smoothing = topology.loss_function().label_smoothing;
  network.is_of_probabilities = topology.is_spark();
  Positions positions;
  const Index stride = network.tile_stride;
  int input = positions.take((topology.num_features() + 1) * stride);
  for (Index k = 0; k < topology.num_layers(); ++k) {
    FusedLayer& layer = network.layers[static_cast<std::size_t>(k)];
    layer.first_weight = topology.weight_offset(k);
    layer.num_inputs = static_cast<int>(topology.input_size(k));
    layer.num_outputs = static_cast<int>(topology.output_size(k));
    layer.weight_stride = odd(layer.num_outputs);
    const Index size = (topology.input_size(k) + 1) * layer.weight_stride;
    layer.weights = positions.take(size);
    layer.gradient = positions.take(size);
    layer.input = input;
    const bool is_hidden = topology.is_hidden(k);
    layer.output = positions.take(
        (topology.output_size(k) + (is_hidden ? 1 : 0)) * stride);
    input = layer.output;
    if (!is_hidden) continue;
    layer.activation = topology.hidden(k).activation;
    if (!layer.activation.needs_input()) continue;
    layer.sums = positions.take(topology.output_size(k) * stride);
  }
  network.num_numbers = positions.num_taken();
  return network;
}

}  // namespace mlp::cuda
