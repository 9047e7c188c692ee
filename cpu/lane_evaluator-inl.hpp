// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_LANE_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANE_EVALUATOR_INL_HPP
#undef MLP_CPU_LANE_EVALUATOR_INL_HPP
#else
#define MLP_CPU_LANE_EVALUATOR_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "../mlp/backend.hpp"
#include "../mlp/topology.hpp"
#include "aligned_array.hpp"
#include "exp-inl.hpp"
#include "lane_output_delta-inl.hpp"
#include "lane_product-inl.hpp"
#include "lane_tile-inl.hpp"
#include "panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The evaluator of narrow networks, a few instances to a vector: no packing, no
/// padding, and softmax and logarithm in vectors too.
template <typename T>
class LaneEvaluator final : public Evaluator {
 public:
  /// True where this form is the faster one: few units, softmax.
  static bool fits(const Topology& topology) {
    const auto& layers = topology.layers();
    return topology.loss() == Loss::kSoftmaxNll &&
           *std::max_element(layers.begin(), layers.end()) <= kMaxWidth;
  }

  explicit LaneEvaluator(const Topology& topology) : topology_(topology) {
    weights_.resize(static_cast<std::size_t>(topology.num_weights()));
    for (const Index size : topology.layers()) {
      rows_.push_back(num_rows_);
      num_rows_ += static_cast<std::size_t>(size) + 1;
    }
  }

  void bind(const InstanceRange& instances) override {
    tiles_ = make_lane_tiles<T>(topology_, instances);
  }

  void set_weights(const double* weights) override {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = static_cast<T>(weights[i]);
    }
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto lanes = std::make_unique<Lanes>(topology_, num_rows_);
    for (Index k = 0; k < topology_.num_layers(); ++k) {
      T* ones = unit_rows(k + 1, lanes->outputs) +
                topology_.output_size(k) * static_cast<Index>(kLaneTile<T>);
      std::fill_n(ones, kLaneTile<T>, T{1});
    }
    return lanes;
  }

  double add_gradient(const InstanceRange& instances, double* gradient,
                      Workspace& workspace) const override {
    auto& lanes = static_cast<Lanes&>(workspace);
    std::fill_n(lanes.sums.data(), weights_.size() * kChains<T>, T{0});
    std::fill_n(lanes.losses.data(), kChains<double>, 0.0);
    for (Index first = 0; first < instances.size; first += kTile) {
      const LaneTile<T>& tile = find_tile(instances, first, lanes);
      forward(tile, topology_.num_layers(), lanes);
      const Index last = topology_.num_layers();
      lanes.output_delta.compute(tile, unit_rows(last, lanes.outputs),
                                 unit_rows(last, lanes.deltas),
                                 lanes.losses.data());
      backward(tile, lanes);
    }
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      gradient[i] += add_chains(lanes.sums.data() + i * kChains<T>);
    }
    return add_chains(lanes.losses.data());
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    auto& lanes = static_cast<Lanes&>(workspace);
    const auto rows = static_cast<std::size_t>(topology_.output_size(k));
    for (Index first = 0; first < instances.size; first += kTile) {
      const InstanceRange range = slice(instances, first);
      lanes.tile.pack(range);
      forward(lanes.tile, k + 1, lanes);
      const T* from = unit_rows(k + 1, lanes.outputs);
      for (Index j = 0; j < range.size; ++j, ++from) {
        for (std::size_t i = 0; i < rows; ++i) {
          *output++ = static_cast<double>(from[i * kLaneTile<T>]);
        }
      }
    }
  }

 private:
  static constexpr Index kMaxWidth = 16;
  static constexpr Index kTile = static_cast<Index>(kLaneTile<T>);
  static_assert(kSliceUnit % kTile == 0);

  struct Lanes final : Workspace {
    Lanes(const Topology& topology, std::size_t num_rows)
        : tile(topology),
          outputs(num_rows * kLaneTile<T>),
          deltas(num_rows * kLaneTile<T>),
          output_delta(static_cast<std::size_t>(topology.num_classes())),
          sums(static_cast<std::size_t>(topology.num_weights()) * kChains<T>),
          losses(kChains<double>) {}

    LaneTile<T> tile;         ///< of instances that bind() did not get
    AlignedArray<T> outputs;  ///< of each layer, a row of ones after each
    AlignedArray<T> deltas;   ///< laid out likewise
    LaneOutputDelta<T> output_delta;
    AlignedArray<T> sums;         ///< of each weight's gradient [kChains]
    AlignedArray<double> losses;  ///< [kChains<double>]
  };

  [[nodiscard]] InstanceRange slice(const InstanceRange& instances,
                                    Index first) const {
    return instances.slice(first, std::min(kTile, instances.size - first),
                           topology_.num_features(), topology_.num_classes());
  }

  [[nodiscard]] const LaneTile<T>& find_tile(const InstanceRange& instances,
                                             Index first, Lanes& lanes) const {
    if (!tiles_.empty()) {
      return tiles_[static_cast<std::size_t>((instances.first + first) /
                                             kTile)];
    }
    lanes.tile.pack(slice(instances, first));
    return lanes.tile;
  }

  /// Where the units of a layer lie, 1 being the first that computes.
  [[nodiscard]] T* unit_rows(Index layer, const AlignedArray<T>& rows) const {
    return rows.data() + rows_[static_cast<std::size_t>(layer)] * kLaneTile<T>;
  }

  void forward(const LaneTile<T>& tile, Index num_layers, Lanes& lanes) const {
    const std::size_t vectors = tile.size() / kLanes<T>;
    for (Index k = 0; k < num_layers; ++k) {
      const auto outputs = static_cast<std::size_t>(topology_.output_size(k));
      const auto inputs = static_cast<std::size_t>(topology_.input_size(k));
      const T* w = weights_.data() + topology_.weight_offset(k);
      T* z = unit_rows(k + 1, lanes.outputs);
      multiply_lanes<T>({w, 1, outputs, w + outputs * inputs}, outputs, inputs,
                        vectors, input_of(k, tile, lanes), z);
      if (k + 1 < topology_.num_layers()) {
        apply_sigmoid(outputs, tile.size(), z);
      }
    }
  }

  static void apply_sigmoid(std::size_t rows, std::size_t size, T* z) {
    const Tag<T> d;
    for (std::size_t i = 0; i < rows; ++i, z += kLaneTile<T>) {
      for (std::size_t j = 0; j < size; j += kLanes<T>) {
        hn::Store(sigmoid(d, hn::Load(d, z + j)), d, z + j);
      }
    }
  }

  /// What layer k receives.
  [[nodiscard]] const T* input_of(Index k, const LaneTile<T>& tile,
                                  const Lanes& lanes) const {
    return k == 0 ? tile.features() : unit_rows(k, lanes.outputs);
  }

  void backward(const LaneTile<T>& tile, Lanes& lanes) const {
    const std::size_t vectors = tile.size() / kLanes<T>;
    for (Index k = topology_.num_layers() - 1; k >= 0; --k) {
      const auto outputs = static_cast<std::size_t>(topology_.output_size(k));
      const auto inputs = static_cast<std::size_t>(topology_.input_size(k));
      const T* input = input_of(k, tile, lanes);
      const T* delta = unit_rows(k + 1, lanes.deltas);
      T* sum =
          lanes.sums.data() +
          static_cast<std::size_t>(topology_.weight_offset(k)) * kChains<T>;
      // The biases' input is the row of ones after the others.
      for (std::size_t o = 0; o < outputs; ++o) {
        add_lane_products(input, inputs + 1, delta + o * kLaneTile<T>,
                          tile.size(), sum + o * kChains<T>,
                          outputs * kChains<T>);
      }
      if (k == 0) return;
      T* previous = unit_rows(k, lanes.deltas);
      const T* w = weights_.data() + topology_.weight_offset(k);
      multiply_lanes<T>({w, outputs, 1, nullptr}, inputs, outputs, vectors,
                        delta, previous);
      apply_derivative(input, inputs, tile.size(), previous);
    }
  }

  /// delta *= (1 - a) a.
  static void apply_derivative(const T* a, std::size_t num_rows,
                               std::size_t size, T* delta) {
    const Tag<T> d;
    const auto one = hn::Set(d, static_cast<T>(1));
    for (std::size_t i = 0; i < num_rows; ++i) {
      for (std::size_t j = 0; j < size; j += kLanes<T>) {
        const auto value = hn::Load(d, a + j);
        const auto slope = hn::Mul(hn::Sub(one, value), value);
        hn::Store(hn::Mul(hn::Load(d, delta + j), slope), d, delta + j);
      }
      a += kLaneTile<T>;
      delta += kLaneTile<T>;
    }
  }

  /// Adds the chains of a sum, halves of them first.
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
  std::vector<T> weights_;          // in Spark's flat order
  std::vector<std::size_t> rows_;   // before those of each layer's units
  std::size_t num_rows_ = 0;        // of all layers
  std::vector<LaneTile<T>> tiles_;  // of bind()
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
