// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_TILE_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_TILE_EVALUATOR_INL_HPP
#undef MLP_CPU_PANELS_TILE_EVALUATOR_INL_HPP
#else
#define MLP_CPU_PANELS_TILE_EVALUATOR_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "../../mlp/backend/apply_loss.hpp"
#include "../../mlp/backend/gradient_evaluator.hpp"
#include "../../mlp/network/topology.hpp"
#include "bound_inputs-inl.hpp"
#include "gradient_sum-inl.hpp"
#include "layer_values-inl.hpp"
#include "network-inl.hpp"
#include "output_delta-inl.hpp"
#include "packed_input-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Evaluates networks of any size, one tile at a time.
template <typename T>
class TileEvaluator final : public SliceEvaluator {
 public:
  explicit TileEvaluator(const Topology& topology)
      : topology_(topology),
        network_(topology, Passes::kForwardAndBackward),
        inputs_(network_.layer(0).inputs()) {}

  void bind(const InstanceRange& instances) override {
    inputs_.bind(instances);
  }

  void set_weights(const double* weights) override {
    network_.set_weights(weights);
    skips_zeros_ = inputs_.may_skip_zeros(topology_, weights);
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Scratch>(topology_, network_);
  }

  double compute_gradient(const InstanceRange& slice, double* gradient,
                          Workspace& workspace) const override {
    if (slice.size == 0) {
      std::fill_n(gradient, topology_.num_weights(), 0.0);
      return 0.0;
    }
    auto& scratch = static_cast<Scratch&>(workspace);
    LayerValues<T>& tile = scratch.tile;
    const std::size_t num_layers = network_.num_layers();
    for (std::size_t k = 0; k < num_layers; ++k) {
      const PackedLayer<T>& layer = network_.layer(k);
      scratch.sums[k].start(layer, k, {0, layer.inputs().count()},
                            {0, layer.outputs().count()});
    }
    double loss = 0.0;
    for (Index first = 0; first < slice.size; first += kTile) {
      if (workspace.is_stopping()) return loss;
      const InstanceRange range =
          slice.slice(first, std::min(kTile, slice.size - first),
                      topology_.num_features(), topology_.num_classes());
      tile.input = &inputs_.at(range, skips_zeros_, scratch.buffer);
      network_.forward(tile, num_layers, skips_zeros_);
      scratch.output_delta.compute({&range, nullptr, range.weights},
                                   {0, tile.size()}, tile);
      loss += scratch.output_delta.sum_losses(tile.size());
      for (std::size_t k = num_layers - 1; k > 0; --k) {
        scratch.sums[k].add(tile, skips_zeros_);
        network_.backward(k, {0, network_.layer(k).inputs().count()}, {}, tile);
      }
      scratch.sums[0].add(tile, skips_zeros_, {tile.input->next});
    }
    for (const GradientSum<T>& sum : scratch.sums) {
      sum.template write_to<Write::kReplace>(gradient);
    }
    return loss;
  }

 private:
  static constexpr Index kTile = static_cast<Index>(kTileSize);

  struct Scratch final : Workspace {
    Scratch(const Topology& topology, const Network<T>& network)
        : buffer(network.layer(0).inputs()),
          tile(topology, kTileSize, Passes::kForwardAndBackward),
          output_delta(topology, training_likelihood(topology), kTileSize) {
      for (std::size_t k = 0; k < network.num_layers(); ++k) {
        const PackedLayer<T>& layer = network.layer(k);
        sums.emplace_back(layer.inputs().count(), layer.outputs().count(),
                          layer.has_projection());
      }
    }

    InputBuffer<T> buffer;
    LayerValues<T> tile;
    OutputDelta<T> output_delta;
    std::vector<GradientSum<T>> sums;  ///< of each layer
  };

  Topology topology_;
  Network<T> network_;
  BoundInputs<T> inputs_;
  bool skips_zeros_ = false;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
