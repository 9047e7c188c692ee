// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_LANES_LANE_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANES_LANE_EVALUATOR_INL_HPP
#undef MLP_CPU_LANES_LANE_EVALUATOR_INL_HPP
#else
#define MLP_CPU_LANES_LANE_EVALUATOR_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "../../mlp/backend/apply_loss.hpp"
#include "../../mlp/backend/gradient_evaluator.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/panels-inl.hpp"
#include "lane_network-inl.hpp"
#include "lane_output_delta-inl.hpp"
#include "lane_product-inl.hpp"
#include "lane_tile-inl.hpp"
#include "lane_transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Evaluates small networks: a vector holds one unit of several instances.
///
/// There is no packing and no padding of units; softmax and logarithm are
/// computed on vectors too.
template <typename T>
class LaneEvaluator final : public SliceEvaluator {
 public:
  /// Returns true if this evaluator is the fastest: few units and softmax.
  static bool fits(const Topology& topology) {
    return topology.loss() == Loss::kSoftmaxNll &&
           LaneNetwork<T>::fits(topology);
  }

  explicit LaneEvaluator(const Topology& topology)
      : topology_(topology), network_(topology) {}

  /// Packs the instances, unless InstanceRange::may_be_copied() refuses: each thread then
  /// packs one tile after another.
  void bind(const InstanceRange& instances) override {
    const Index row = topology_.num_features() + 1;
    const bool is_copied =
        instances.may_be_copied(static_cast<double>(instances.size) *
                                static_cast<double>(row) * sizeof(T));
    tiles_.reset();
    if (is_copied) tiles_ = LaneTiles<T>::pack(instances, topology_);
  }

  void set_weights(const double* weights) override {
    network_.set_weights(weights);
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto lanes = std::make_unique<Lanes>(topology_, network_.num_rows());
    if (!tiles_) lanes->tile.emplace(topology_, kLaneTile<T>, true);
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      T* ones = network_.rows(k + 1, lanes->outputs.data()) +
                network_.outputs(k) * kLaneTile<T>;
      std::fill_n(ones, kLaneTile<T>, T{1});
    }
    return lanes;
  }

  double compute_gradient(const InstanceRange& slice, double* gradient,
                          Workspace& workspace) const override {
    auto& lanes = static_cast<Lanes&>(workspace);
    const std::size_t last = network_.num_layers();
    std::fill_n(lanes.sums.data(), network_.num_weights() * kChains<T>, T{0});
    std::fill_n(lanes.losses.data(), kChains<double>, 0.0);
    for (Index first = 0; first < slice.size; first += kTile) {
      if (workspace.is_stopping()) break;
      const auto t = static_cast<std::size_t>((slice.first + first) / kTile);
      const LaneTile<T> tile =
          tiles_ ? tiles_->at(t) : pack_tile_of(slice, first, lanes);
      // Another thread may compute the instances behind the slice.
      const Ahead ahead =
          tiles_ && first + kTile < slice.size ? tiles_->behind(t) : Ahead{};
      // In parts: many lines at once would keep the loads waiting.
      ahead.share(0, 1, 3).fetch_all();
      network_.forward(tile.features, last, tile.size, lanes.outputs.data(),
                       {lanes.z.data(), lanes.activated.data()});
      ahead.share(1, 2, 3).fetch_all();
      lanes.output_delta.compute(
          tile, network_.rows(last, lanes.outputs.data()),
          network_.rows(last, lanes.deltas.data()), lanes.losses.data());
      ahead.share(2, 3, 3).fetch_all();
      backward(tile, lanes);
    }
    for (std::size_t i = 0; i < network_.num_weights(); ++i) {
      gradient[i] = add_chains(lanes.sums.data() + i * kChains<T>);
    }
    return add_chains(lanes.losses.data());
  }

 private:
  static constexpr Index kTile = static_cast<Index>(kLaneTile<T>);
  static_assert(kSliceUnit % kTile == 0);

  struct Lanes final : Workspace {
    Lanes(const Topology& topology, std::size_t num_rows)
        : outputs(num_rows * kLaneTile<T>),
          deltas(num_rows * kLaneTile<T>),
          output_delta(topology, training_likelihood(topology)),
          sums(static_cast<std::size_t>(topology.num_weights()) * kChains<T>),
          losses(kChains<double>) {
      for (const HiddenLayer& hidden : topology.hidden_layers()) {
        const std::size_t size = num_rows * kLaneTile<T>;
        if (hidden.activation.needs_input()) z = AlignedArray<T>(size);
        if (!hidden.is_residual) continue;
        activated = AlignedArray<T>(size);
        skip_deltas = AlignedArray<T>(size);
      }
    }

    AlignedArray<T> outputs;      ///< of each layer, followed by a row of ones
    AlignedArray<T> z;            ///< with the layout of outputs, as all below
    AlignedArray<T> activated;    ///< f(z) of residual layers
    AlignedArray<T> deltas;       ///< d loss / d (W x + b)
    AlignedArray<T> skip_deltas;  ///< d loss / d y of residual layers
    LaneOutputDelta<T> output_delta;
    AlignedArray<T> sums;         ///< gradient of each weight [kChains]
    AlignedArray<double> losses;  ///< [kChains<double>]

    std::optional<LaneTiles<T>> tile;  ///< of features in a file
    Matrix rows;                       ///< read from a file
  };

  /// Packs the instances of a slice that begin at one of them.
  LaneTile<T> pack_tile_of(const InstanceRange& slice, Index first,
                           Lanes& lanes) const {
    const Index size = std::min(kTile, slice.size - first);
    return lanes.tile->pack_first(
        slice.slice(first, size, topology_.num_features(),
                    topology_.num_classes()),
        lanes.rows);
  }

  HWY_INLINE void backward(const LaneTile<T>& tile, Lanes& lanes) const {
    for (std::size_t k = network_.num_layers(); k-- > 0;) {
      const auto layer = static_cast<Index>(k);
      const T* input =
          k == 0 ? tile.features : network_.rows(k, lanes.outputs.data());
      const T* delta = network_.rows(k + 1, lanes.deltas.data());
      const T* skip_delta = topology_.is_residual(layer)
                                ? network_.rows(k + 1, lanes.skip_deltas.data())
                                : nullptr;
      // The input of the biases is the row of ones after the other inputs.
      add_gradient_of(k, input, network_.inputs(k) + 1, delta, tile.size,
                      sums_at(lanes, topology_.weight_offset(layer)));
      if (topology_.has_projection(layer)) {
        add_gradient_of(k, input, network_.inputs(k), skip_delta, tile.size,
                        sums_at(lanes, topology_.projection_offset(layer)));
      }
      if (k == 0) return;
      network_.backward(k, tile.size, delta, skip_delta,
                        network_.rows(k, lanes.deltas.data()));
      finish_delta(k, tile.size, lanes);
    }
  }

  /// Returns the sums of the gradient from the weight at an offset on.
  HWY_INLINE static T* sums_at(Lanes& lanes, Index offset) {
    return lanes.sums.data() + static_cast<std::size_t>(offset) * kChains<T>;
  }

  /// Adds the products of the inputs and deltas of layer k.
  HWY_INLINE void add_gradient_of(std::size_t k, const T* input,
                                  std::size_t num_inputs, const T* delta,
                                  std::size_t size, T* sum) const {
    const std::size_t outputs = network_.outputs(k);
    for (std::size_t o = 0; o < outputs; ++o) {
      add_lane_products(input, num_inputs, delta + o * kLaneTile<T>, size,
                        sum + o * kChains<T>, outputs * kChains<T>);
    }
  }

  /// Turns d loss / d y of the layer below layer k into d loss / d (W x + b).
  HWY_INLINE void finish_delta(std::size_t k, std::size_t size,
                               Lanes& lanes) const {
    const HiddenLayer& hidden = topology_.hidden(static_cast<Index>(k) - 1);
    const auto rows_of = [&](const AlignedArray<T>& units) {
      return network_.rows(k, units.data());
    };
    T* delta = rows_of(lanes.deltas);
    if (hidden.is_residual) {
      LaneNetwork<T>::copy_rows(delta, network_.inputs(k), size,
                                rows_of(lanes.skip_deltas));
    }
    const T* value =
        rows_of(hidden.is_residual ? lanes.activated : lanes.outputs);
    const T* z = hidden.activation.needs_input() ? rows_of(lanes.z) : value;
    if (hidden.activation == Activation{}) {
      multiply_derivatives<activations::Sigmoid>(z, value, network_.inputs(k),
                                                 size, delta);
    } else {
      multiply_derivatives(hidden.activation, z, value, network_.inputs(k),
                           size, delta);
    }
  }

  template <class F>
  HWY_INLINE static void multiply_derivatives(const T* z, const T* value,
                                              std::size_t num_rows,
                                              std::size_t size, T* delta) {
    for (std::size_t i = 0; i < num_rows; ++i) {
      const std::size_t at = i * kLaneTile<T>;
      multiply_derivative<F>(z + at, value + at, size, delta + at);
    }
  }

  /// The same for any activation, as activate_rows().
  HWY_NOINLINE static void multiply_derivatives(Activation activation,
                                                const T* z, const T* value,
                                                std::size_t num_rows,
                                                std::size_t size, T* delta) {
    activation.visit([&](auto f) HWY_ATTR {
      multiply_derivatives<decltype(f)>(z, value, num_rows, size, delta);
    });
  }

  /// Adds the chains of a sum pairwise.
  template <typename Number>
  static double add_chains(const Number* chains) {
    double sum[kChains<Number>];
    for (std::size_t i = 0; i < kChains<Number>; ++i) {
      sum[i] = static_cast<double>(chains[i]);
    }
    for (std::size_t half = kChains<Number> / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) sum[i] += sum[i + half];
    }
    return sum[0];
  }

  Topology topology_;
  LaneNetwork<T> network_;
  std::shared_ptr<const LaneTiles<T>> tiles_;  // instances of bind()
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
