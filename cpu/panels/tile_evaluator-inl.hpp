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
#include <functional>
#include <memory>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"
#include "gradient_sum-inl.hpp"
#include "layer_values-inl.hpp"
#include "network-inl.hpp"
#include "output_delta-inl.hpp"
#include "packed_input-inl.hpp"
#include "shared_gradient-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Evaluates networks that compute equally in training and in scoring, of any
/// size, one tile at a time.
template <typename T>
class TileEvaluator final : public Evaluator {
 public:
  explicit TileEvaluator(const Topology& topology)
      : topology_(topology), network_(topology, Passes::kForwardAndBackward) {
    if (topology.num_weights() >= kSharedWeights) {
      shared_ = std::make_unique<SharedGradient<T>>(network_, inputs_,
                                                    likelihood_of(topology));
    }
  }

  void bind(const InstanceRange& instances) override {
    instances_ = instances;
    is_sparse_ = has_many_zeros(
        instances.features, static_cast<std::size_t>(topology_.num_features()),
        static_cast<std::size_t>(instances.size), kSampledRows);
    inputs_.pack(instances, network_.layer(0).inputs(), is_sparse_);
  }

  void set_weights(const double* weights) override {
    network_.set_weights(weights);
    skips_zeros_ = is_sparse_ && are_finite(weights);
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Scratch>(topology_, network_);
  }

  double compute_gradient(const InstanceRange& instances, double* gradient,
                          Workspace& workspace) const override {
    if (instances.size == 0) {
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
    for (Index first = 0; first < instances.size; first += kTile) {
      if (workspace.is_stopping()) return loss;
      const InstanceRange range = slice(instances, first);
      tile.input =
          inputs_.empty()
              ? &scratch.buffer.pack(range.features, range.size, skips_zeros_)
              : &inputs_.at(range.first);
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

  [[nodiscard]] bool shares_gradient() const override {
    return shared_ != nullptr;
  }

  double compute_shared_gradient(const double* weights, double* gradient,
                                 ThreadPool& pool,
                                 const std::function<void()>& poll) override {
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      PackedLayer<T>& layer = network_.layer(k);
      pool.parallel_for(
          static_cast<Index>(layer.num_pieces()), [&](Index i, int) {
            layer.set_weights(weights, static_cast<std::size_t>(i));
          });
    }
    skips_zeros_ = is_sparse_ && are_finite(weights);
    return shared_->compute(instances_, skips_zeros_, gradient, pool, poll);
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& scratch = static_cast<Scratch&>(workspace);
    LayerValues<T>& tile = scratch.tile;
    const auto last = static_cast<std::size_t>(k);
    const Panels<T>& rows = network_.layer(last).outputs();
    for (Index first = 0; first < instances.size; first += kTile) {
      if (workspace.is_stopping()) break;
      const InstanceRange range = slice(instances, first);
      tile.input = &scratch.buffer.pack(range.features, range.size, false);
      network_.forward(tile, last + 1, false);
      output = tile.unpack(last, rows, output);
    }
  }

 private:
  static constexpr Index kTile = static_cast<Index>(kTileSize);

  /// Number of weights from which threads share one gradient, because a
  /// gradient per thread would not stay in the caches.
  static constexpr Index kSharedWeights = Index{1} << 19;

  /// Number of rows that are checked for zeros.
  static constexpr std::size_t kSampledRows = 256;

  struct Scratch final : Workspace {
    Scratch(const Topology& topology, const Network<T>& network)
        : buffer(network.layer(0).inputs()),
          tile(topology, kTileSize, Passes::kForwardAndBackward),
          output_delta(topology, likelihood_of(topology), kTileSize) {
      if (topology.num_weights() >= kSharedWeights) return;
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

  /// Spark's networks are trained with Spark's likelihood.
  static Likelihood likelihood_of(const Topology& topology) {
    return topology.is_spark() ? Likelihood::kOfProbabilities
                               : Likelihood::kLogSumExp;
  }

  [[nodiscard]] InstanceRange slice(const InstanceRange& instances,
                                    Index first) const {
    return instances.slice(first, std::min(kTile, instances.size - first),
                           topology_.num_features(), topology_.num_classes());
  }

  /// Returns true if all weights are finite: zero times any of them is zero.
  [[nodiscard]] bool are_finite(const double* weights) const {
    return HWY_NAMESPACE::are_finite(
        weights, static_cast<std::size_t>(topology_.num_weights()));
  }

  Topology topology_;
  Network<T> network_;
  PackedInputs<T> inputs_;
  InstanceRange instances_;
  bool is_sparse_ = false;
  bool skips_zeros_ = false;
  std::unique_ptr<SharedGradient<T>> shared_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
