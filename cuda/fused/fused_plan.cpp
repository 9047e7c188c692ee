// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fused_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "../../mlp/network/topology.hpp"
#include "micro_tile.hpp"

namespace mlp::cuda {

namespace {

constexpr unsigned kMinThreads = 64;

/// A size of tiles, the shared memory for which it is right, and the most slices.
/// The first that fits is taken.
struct Choice {
  int tile_size;
  std::size_t max_bytes;
  Index max_slices;
};

/// The shared memory of a block on the smallest device that is planned for
/// (compute capability 8.0: 163 KiB), half of it less what the driver reserves,
/// so that a multiprocessor runs two blocks, and the memory on 9.0 (227 KiB). The
/// numbers of slices are four and two for each of 132 multiprocessors.
constexpr std::array<Choice, 6> kChoices = {{{64, 80 * 1024, 528},
                                             {32, 80 * 1024, 528},
                                             {64, 163 * 1024, 264},
                                             {32, 163 * 1024, 264},
                                             {16, 163 * 1024, 264},
                                             {16, 227 * 1024, 264}}};

/// Smaller tiles of few instances keep more multiprocessors busy.
int largest_useful_tile(Index num_instances) {
  constexpr Index kEnoughTiles = 128;
  if (num_instances >= 64 * kEnoughTiles) return 64;
  return num_instances >= 32 * kEnoughTiles ? 32 : 16;
}

/// One thread for each micro tile of the largest product.
unsigned count_threads(const FusedNetwork& network) {
  int most = network.tile_size;
  for (int k = 0; k < network.num_layers; ++k) {
    const FusedLayer& layer = network.layers[static_cast<std::size_t>(k)];
    most =
        std::max({most, MicroTile::count(layer.num_outputs, network.tile_size),
                  MicroTile::count(layer.num_outputs, layer.num_inputs + 1)});
  }
  return std::clamp(std::bit_ceil(static_cast<unsigned>(most)), kMinThreads,
                    FusedPlan::kMaxThreads);
}

std::size_t count_bytes(const FusedNetwork& network, unsigned num_threads,
                        std::size_t number_bytes) {
  // The sum of the losses takes the place of the network at the end.
  return std::max(static_cast<std::size_t>(network.num_numbers) * number_bytes,
                  std::size_t{num_threads} * sizeof(double));
}

void cut_into_slices(Index num_instances, Index max_slices, FusedPlan& plan) {
  const Index tile = plan.network.tile_size;
  const Index num_tiles = std::max<Index>((num_instances + tile - 1) / tile, 1);
  const Index tiles_per_slice = (num_tiles + max_slices - 1) / max_slices;
  plan.slice_size = tiles_per_slice * tile;
  plan.num_slices = (num_tiles + tiles_per_slice - 1) / tiles_per_slice;
}

/// Multiply-adds of one instance: each product of the forward pass, of the
/// gradient and, but for the first layer, of the deltas below.
double count_multiply_adds(const Topology& topology) {
  double count = 0.0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    count += static_cast<double>(topology.input_size(k)) *
             static_cast<double>(topology.output_size(k)) *
             (k == 0 ? 2.0 : 3.0);
  }
  return count;
}

/// Multiply-adds of a tile as the micro tiles compute them: those of units and
/// inputs that do not exist count too.
double count_tiled_multiply_adds(const FusedNetwork& network) {
  const int size = network.tile_size;
  double count = 0.0;
  for (int k = 0; k < network.num_layers; ++k) {
    const FusedLayer& layer = network.layers[static_cast<std::size_t>(k)];
    const int inputs = layer.num_inputs + 1;
    const int outputs = layer.num_outputs;
    count += 1.0 * MicroTile::count_elements(outputs, size) * inputs;
    count += 1.0 * MicroTile::count_elements(outputs, inputs) * size;
    if (k == 0) continue;
    count += 1.0 * MicroTile::count_elements(inputs - 1, size) * outputs;
  }
  return count;
}

// Rates of an H200, predicted: the vendor's figures times a share that good
// kernels reach.
constexpr double kMemoryBytesPerSecond = 0.8 * 4.3e12;
constexpr double kFlopsPerSecond = 0.5 * 67e12;  // of narrow products
constexpr double kNumMultiprocessors = 132.0;
constexpr double kSharedBytesPerSecond = 0.7 * 128 * 1.7e9;  // of each
constexpr double kLaunchSeconds = 2.5e-6;                    // in a graph

}  // namespace

std::optional<FusedPlan> plan_fused(const Topology& topology,
                                    std::size_t number_bytes,
                                    Index num_instances,
                                    std::size_t shared_limit) {
  if (!is_fusable(topology)) return std::nullopt;
  const int most = largest_useful_tile(num_instances);
  for (const Choice& choice : kChoices) {
    if (choice.tile_size > most) continue;
    FusedPlan plan;
    plan.network = lay_out(topology, choice.tile_size);
    plan.num_threads = count_threads(plan.network);
    plan.shared_bytes =
        count_bytes(plan.network, plan.num_threads, number_bytes);
    if (plan.shared_bytes > choice.max_bytes) continue;
    if (plan.shared_bytes > shared_limit) return std::nullopt;
    cut_into_slices(num_instances, choice.max_slices, plan);
    return plan;
  }
  return std::nullopt;
}

double predict_fused_seconds(const FusedPlan& plan, std::size_t number_bytes,
                             Index num_instances) {
  constexpr double kNumLaunches = 2.0;
  const auto bytes = static_cast<double>(number_bytes);
  const double tiles_per_slice = static_cast<double>(plan.slice_size) /
                                 static_cast<double>(plan.network.tile_size);
  const double slices_of_one =
      std::ceil(static_cast<double>(plan.num_slices) / kNumMultiprocessors);
  const double on_chip = slices_of_one * tiles_per_slice *
                         count_tiled_multiply_adds(plan.network) *
                         MicroTile::kNumbersPerMultiplyAdd * bytes;
  const double in_memory =
      bytes * static_cast<double>(num_instances) *
          static_cast<double>(plan.network.layers[0].num_inputs) +
      2.0 * static_cast<double>(plan.slice_bytes(number_bytes));
  return kNumLaunches * kLaunchSeconds +
         std::max(on_chip / kSharedBytesPerSecond,
                  in_memory / kMemoryBytesPerSecond);
}

double predict_layered_seconds(const Topology& topology,
                               std::size_t number_bytes, Index num_instances) {
  constexpr double kLaunchesPerLayer = 6.0;  // both passes, with bias sums
  constexpr double kPassesOverUnits = 6.0;
  double units = 0.0;
  for (Index k = 0; k < topology.num_layers(); ++k) {
    units += static_cast<double>(topology.output_size(k));
  }
  const double numbers = 2.0 * static_cast<double>(topology.num_features()) +
                         kPassesOverUnits * units;
  const auto size = static_cast<double>(num_instances);
  const double in_memory = size * numbers * static_cast<double>(number_bytes) /
                           kMemoryBytesPerSecond;
  const double in_products =
      size * 2.0 * count_multiply_adds(topology) / kFlopsPerSecond;
  return kLaunchesPerLayer * static_cast<double>(topology.num_layers()) *
             kLaunchSeconds +
         std::max(in_memory, in_products);
}

}  // namespace mlp::cuda
