// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_SHARED_EVALUATOR_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_SHARED_EVALUATOR_INL_HPP
#undef MLP_CPU_PANELS_SHARED_EVALUATOR_INL_HPP
#else
#define MLP_CPU_PANELS_SHARED_EVALUATOR_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "../../core/thread_pool.hpp"
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

/// Computes the gradient of a very large network in one array for all threads.
///
/// A gradient per thread would not scale; here each element has one owner. The
/// instances are computed in blocks. For each block, the threads first compute
/// the outputs and deltas of all tiles. Then each thread takes rectangles of
/// the gradient and sums them over all tiles of the block in order. The blocks
/// do not depend on the threads, so the sums have the same bits for every
/// number of threads.
template <typename T>
class SharedTileEvaluator final : public SharedEvaluator {
 public:
  explicit SharedTileEvaluator(const Topology& topology)
      : topology_(topology),
        network_(topology, Passes::kForwardAndBackward),
        inputs_(network_.layer(0).inputs()) {
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      const PackedLayer<T>& layer = network_.layer(k);
      has_projection_ = has_projection_ || layer.has_projection();
      const std::size_t width = layer.inputs().count();
      const std::size_t height = layer.outputs().count();
      for (std::size_t i = 0; i < width; i += kSide) {
        for (std::size_t o = 0; o < height; o += kSide) {
          rectangles_.push_back({k,
                                 {i, std::min(i + kSide, width)},
                                 {o, std::min(o + kSide, height)}});
        }
      }
    }
  }

  void bind(const InstanceRange& instances) override {
    inputs_.bind(instances);
  }

  double compute_gradient(const double* weights, double* gradient,
                          ThreadPool& pool,
                          const std::function<void()>& poll) override {
    set_weights(weights, pool);
    const InstanceRange& instances = inputs_.instances();
    const bool has_zeros = inputs_.may_skip_zeros(topology_, weights);
    prepare(instances.size, pool.num_threads());
    if (instances.size == 0) {
      std::fill_n(gradient, topology_.num_weights(), 0.0);
    }
    double loss = 0.0;
    const Index block = static_cast<Index>(tiles_.size() * kTileSize);
    for (Index first = 0; first < instances.size; first += block) {
      const Index size = std::min(block, instances.size - first);
      const auto num_tiles = static_cast<Index>(
          (static_cast<std::size_t>(size) + kTileSize - 1) / kTileSize);
      pool.parallel_for(num_tiles, [&](Index t, int thread) {
        poll();
        compute_deltas(first, static_cast<std::size_t>(t), has_zeros,
                       static_cast<std::size_t>(thread));
      });
      for (Index t = 0; t < num_tiles; ++t) {
        loss += losses_[static_cast<std::size_t>(t)];
      }
      pool.parallel_for(
          static_cast<Index>(rectangles_.size()), [&](Index r, int thread) {
            poll();
            auto& sum = *sums_[static_cast<std::size_t>(thread)];
            sum_rectangle(rectangles_[static_cast<std::size_t>(r)],
                          static_cast<std::size_t>(num_tiles), has_zeros, sum);
            if (first == 0) {
              sum.template write_to<Write::kReplace>(gradient);
            } else {
              sum.template write_to<Write::kAdd>(gradient);
            }
          });
    }
    return loss;
  }

 private:
  /// Panels of the side of a rectangle. The rectangle and the operands of a
  /// tile stay in the second level cache.
  static constexpr std::size_t kSide = 8;

  /// Largest memory of the tiles of a block, and bounds of their number.
  static constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 29;
  static constexpr std::size_t kMinTiles = 16;
  static constexpr std::size_t kMaxTiles = 64;

  struct Rectangle {
    std::size_t k;
    Range inputs;
    Range outputs;
  };

  void set_weights(const double* weights, ThreadPool& pool) {
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      PackedLayer<T>& layer = network_.layer(k);
      pool.parallel_for(
          static_cast<Index>(layer.num_pieces()), [&](Index i, int) {
            layer.set_weights(weights, static_cast<std::size_t>(i));
          });
    }
  }

  /// Allocates memory at the first call.
  void prepare(Index num_instances, int num_threads) {
    if (tiles_.empty()) {
      std::size_t rows = network_.layer(0).inputs().rows();
      for (const Index size : topology_.layers()) {
        rows += 2 * static_cast<std::size_t>(size);
      }
      const std::size_t by_memory =
          kMaxBlockBytes / (rows * kTileSize * sizeof(T));
      const std::size_t needed =
          (static_cast<std::size_t>(num_instances) + kTileSize - 1) / kTileSize;
      const std::size_t count =
          std::min(needed, std::clamp(by_memory, kMinTiles, kMaxTiles));
      for (std::size_t t = 0; t < count; ++t) {
        tiles_.emplace_back(topology_, kTileSize, Passes::kForwardAndBackward);
        buffers_.emplace_back(inputs_.is_packed() ? Panels<T>()
                                                  : network_.layer(0).inputs());
      }
      losses_.resize(count);
    }
    while (sums_.size() < static_cast<std::size_t>(num_threads)) {
      sums_.push_back(
          std::make_unique<GradientSum<T>>(kSide, kSide, has_projection_));
      output_deltas_.emplace_back(topology_, training_likelihood(topology_),
                                  kTileSize);
    }
  }

  void compute_deltas(Index first, std::size_t t, bool has_zeros,
                      std::size_t thread) {
    const InstanceRange& instances = inputs_.instances();
    const Index begin = first + static_cast<Index>(t * kTileSize);
    const Index size =
        std::min(static_cast<Index>(kTileSize), instances.size - begin);
    const InstanceRange range = instances.slice(
        begin, size, topology_.num_features(), topology_.num_classes());
    LayerValues<T>& tile = tiles_[t];
    tile.input = &inputs_.at(range, has_zeros, buffers_[t]);
    network_.forward(tile, network_.num_layers(), has_zeros);
    const OutputDelta<T>& output = output_deltas_[thread];
    output.compute({&range, nullptr, range.weights}, {0, tile.size()}, tile);
    losses_[t] = output.sum_losses(tile.size());
    for (std::size_t k = network_.num_layers() - 1; k > 0; --k) {
      network_.backward(k, {0, network_.layer(k).inputs().count()}, {}, tile);
    }
  }

  void sum_rectangle(const Rectangle& rectangle, std::size_t num_tiles,
                     bool has_zeros, GradientSum<T>& sum) {
    sum.start(network_.layer(rectangle.k), rectangle.k, rectangle.inputs,
              rectangle.outputs);
    for (std::size_t t = 0; t < num_tiles; ++t) {
      typename GradientSum<T>::NextTile next;
      if (t + 1 < num_tiles) {
        next = {tiles_[t + 1].input_of(rectangle.k),
                tiles_[t + 1].layers[rectangle.k].delta.data()};
      }
      sum.add(tiles_[t], has_zeros, next);
    }
  }

  Topology topology_;
  Network<T> network_;
  BoundInputs<T> inputs_;
  bool has_projection_ = false;  // of any layer
  std::vector<Rectangle> rectangles_;
  std::vector<LayerValues<T>> tiles_;    // of a block
  std::vector<InputBuffer<T>> buffers_;  // of tiles, empty if packed
  std::vector<double> losses_;           // of each tile
  std::vector<std::unique_ptr<GradientSum<T>>> sums_;  // of each thread
  std::vector<OutputDelta<T>> output_deltas_;          // of each thread
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
