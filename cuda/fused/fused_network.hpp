// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../../activations/activation.hpp"
#include "../../core/index.hpp"
#include "../../mlp/network/loss.hpp"

namespace mlp {
class Topology;
}  // namespace mlp

namespace mlp::cuda {

/// One affine layer in the shared memory of a block. Positions count numbers
/// from the start of the memory.
///
/// [W b] is one matrix [num_outputs x num_inputs + 1], and the input of a layer
/// has a last row of ones, so that the biases need no code of their own.
struct FusedLayer {
  Index first_weight = 0;  ///< of W in the flat vector; the biases follow W
  int num_inputs = 0;
  int num_outputs = 0;
  int weight_stride = 0;  ///< from one column of [W b] to the next; odd
  int weights = 0;        ///< [W b]
  int gradient = 0;       ///< of [W b], laid out as [W b]
  int input = 0;          ///< the output of the layer before, or the features
  int output = 0;  ///< y or z; in the backward pass d loss / d z in its place
  int sums = -1;   ///< z of a hidden layer whose derivative needs it, or -1
  Activation activation;
};

/// A network of which one block holds weights, gradient and the values of a tile
/// of instances in its shared memory. A kernel takes it as an argument.
///
/// Unit u of instance j of the tile is at u tile_stride + j. All strides are odd:
/// threads of a warp that differ in the row read different banks, as do those that
/// differ in the column.
struct FusedNetwork {
  static constexpr int kMaxLayers = 16;

  std::array<FusedLayer, kMaxLayers> layers;
  int num_layers = 0;
  int num_classes = 0;
  int tile_size = 0;    ///< instances, at most the threads of a block
  int tile_stride = 0;  ///< from one unit to the next
  Index num_weights = 0;
  Index num_numbers = 0;  ///< of all this

  Loss loss = Loss::kSoftmaxNll;
  double label_smoothing = 0.0;
  bool is_of_probabilities = false;  ///< Likelihood::kOfProbabilities
};

/// Returns true if a kernel can evaluate the network on chip, whatever memory it
/// needs: at most kMaxLayers layers without residual connections, batch
/// normalisation and dropout.
[[nodiscard]] bool is_fusable(const Topology& topology);

/// Lays out a network in shared memory.
///
/// \pre is_fusable(topology), tile_size >= 1
[[nodiscard]] FusedNetwork lay_out(const Topology& topology, int tile_size);

}  // namespace mlp::cuda
