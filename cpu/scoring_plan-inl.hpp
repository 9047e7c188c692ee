// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_SCORING_PLAN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_SCORING_PLAN_INL_HPP
#undef MLP_CPU_SCORING_PLAN_INL_HPP
#else
#define MLP_CPU_SCORING_PLAN_INL_HPP
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

#include "../core/types.hpp"
#include "../mlp/backend/scoring_plan.hpp"
#include "../mlp/network/topology.hpp"
#include "base/nonzeros-inl.hpp"
#include "base/scratch.hpp"
#include "factories-inl.hpp"
#include "lanes/lane_network-inl.hpp"
#include "lanes/lane_product-inl.hpp"
#include "lanes/lane_transpose-inl.hpp"
#include "panels/layer_values-inl.hpp"
#include "panels/network-inl.hpp"
#include "panels/packed_input-inl.hpp"
#include "rows/row_plan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Scores with the CPU kernels, with the fastest method for the number of rows.
///
/// Rows are computed one by one, in lanes (several rows of a small network) or
/// in tiles (several rows of a wide network). All methods give the same bits.
template <typename T>
class CpuScoringPlan final : public ScoringPlan {
 public:
  CpuScoringPlan(const Topology& topology, const double* weights)
      : topology_(topology),
        num_features_(static_cast<std::size_t>(topology.num_features())),
        num_classes_(static_cast<std::size_t>(topology.num_classes())),
        may_skip_zeros_(may_skip_zeros(topology, weights)),
        network_(topology, Passes::kForward),
        rows_(network_, may_skip_zeros_) {
    network_.set_weights(weights);
    if (!LaneNetwork<T>::fits(topology)) return;
    lanes_.emplace(topology);
    lanes_->set_weights(weights);
  }

  void compute_raw(const double* features, Index size,
                   double* raw) const override {
    compute(features, static_cast<std::size_t>(size), raw);
  }

  void compute_raw(const float* features, Index size,
                   float* raw) const override {
    compute(features, static_cast<std::size_t>(size), raw);
  }

  void compute_raw(const float* features, Index size,
                   double* raw) const override {
    compute(features, static_cast<std::size_t>(size), raw);
  }

  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    const auto last = static_cast<std::size_t>(layer);
    const auto count = static_cast<std::size_t>(size);
    if (lanes_) {
      compute_lanes(features, count, last, output);
    } else {
      compute_tiles(features, count, last, output);
    }
  }

 private:
  /// Lanes are faster from this number of rows on.
  static constexpr std::size_t kFewForLanes = 4;

  /// Tiles are faster from this number of rows on. They need an allocation.
  static constexpr std::size_t kFewForTiles = 8;

  /// Number of rows that are checked for zeros.
  static constexpr std::size_t kSampledRows = 4;

  /// Rows of a tile: fewer than kTileSize, so that the rows which are packed and
  /// those which are prefetched are in the second level cache together.
  static constexpr std::size_t kRows = 48;

  /// Returns true if zeros of the input change no bit of the first layer: zero times
  /// each weight is zero, and no bias is -0, which would become 0.
  static bool may_skip_zeros(const Topology& topology, const double* weights) {
    const double* const biases = weights + topology.bias_offset(0);
    return are_finite(weights,
                      static_cast<std::size_t>(topology.bias_offset(0))) &&
           std::none_of(
               biases, biases + topology.output_size(0),
               [](double bias) { return bias == 0.0 && std::signbit(bias); });
  }

  /// If all layers of a network together have at most this many rows, its lanes
  /// are on the stack.
  static constexpr std::size_t kStackRows = 64;

  template <typename Number, typename Output>
  HWY_INLINE void compute(const Number* features, std::size_t size,
                          Output* raw) const {
    if (size == 1 && rows_.is_single_panel()) {
      rows_.compute_single_panel(features, raw);
    } else if (lanes_ && size >= kFewForLanes) {
      compute_lanes(features, size, network_.num_layers() - 1, raw);
    } else if (!lanes_ && size >= kFewForTiles) {
      compute_tiles(features, size, network_.num_layers() - 1, raw);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        rows_.compute(features + i * num_features_, raw + i * num_classes_);
      }
    }
  }

  /// \param last  the layer whose output is computed
  template <typename Number, typename Output>
  HWY_NOINLINE void compute_lanes(const Number* features, std::size_t size,
                                  std::size_t last, Output* output) const {
    const LaneNetwork<T>& network = *lanes_;
    const std::size_t num_outputs = network.outputs(last);
    Scratch<T, kStackRows * kLaneTile<T>> memory(network.num_rows() *
                                                 kLaneTile<T>);
    T* units = memory.data();
    for (std::size_t first = 0; first < size; first += kLaneTile<T>) {
      const std::size_t count = std::min(kLaneTile<T>, size - first);
      const std::size_t padded = padded_to_chains<T>(count);
      put_into_lanes(features + first * num_features_, num_features_, count,
                     padded, network.rows(0, units));
      network.forward(network.rows(0, units), last + 1, padded, units);
      take_from_lanes(network.rows(last + 1, units), num_outputs, count,
                      output + first * num_outputs);
    }
  }

  /// \param last  the layer whose output is computed
  template <typename Number, typename Output>
  HWY_NOINLINE void compute_tiles(const Number* features, std::size_t size,
                                  std::size_t last, Output* output) const {
    const bool skips_zeros =
        may_skip_zeros_ &&
        has_many_zeros(
            [&](std::size_t i) { return features + i * num_features_; },
            num_features_, size, kSampledRows);
    if constexpr (std::is_same_v<Number, T>) {
      if (!skips_zeros && may_read_rows()) {
        PackedInput<T> input;
        return compute_tiles(features, size, last, output, skips_zeros,
                             [&](const Number* rows, std::size_t count) {
                               input.size = count;
                               input.rows = rows;
                               return &input;
                             });
      }
    }
    InputBuffer<T> buffer(network_.layer(0).inputs());
    compute_tiles(features, size, last, output, skips_zeros,
                  [&](const Number* rows, std::size_t count) {
                    return &buffer.pack(rows, static_cast<Index>(count),
                                        skips_zeros);
                  });
  }

  /// \param input_of  returns the input of a tile: input_of(rows, count)
  template <typename Number, typename Output, class InputOf>
  void compute_tiles(const Number* features, std::size_t size, std::size_t last,
                     Output* output, bool skips_zeros,
                     const InputOf& input_of) const {
    LayerValues<T> tile(topology_, kTileSize, Passes::kForward);
    for (std::size_t first = 0; first < size; first += kRows) {
      const std::size_t count = std::min(kRows, size - first);
      const Number* from = features + first * num_features_;
      tile.input = input_of(from, count);
      const std::size_t num_next = std::min(kRows, size - first - count);
      tile.ahead = {from + count * num_features_, num_next * num_features_};
      network_.forward(tile, last + 1, skips_zeros);
      output = tile.unpack(last, network_.layer(last).outputs(), output);
    }
  }

  /// Returns true if the first layer can read the user's rows and is fast then.
  ///
  /// It is slow if rows are so long that the same numbers of neighbouring rows
  /// share a set of the first level cache. A residual layer adds packed rows.
  [[nodiscard]] bool may_read_rows() const {
    constexpr std::size_t kBytesOfWay = 4096;
    constexpr std::size_t kFewSets = kBytesOfWay / 4;
    return num_features_ * sizeof(T) % kFewSets != 0 &&
           !topology_.is_residual(0);
  }

  Topology topology_;
  std::size_t num_features_;
  std::size_t num_classes_;
  bool may_skip_zeros_;  ///< may_skip_zeros()
  Network<T> network_;
  RowPlan<T> rows_;
  std::optional<LaneNetwork<T>> lanes_;  ///< only for a small network
};

/// Makes the plan that scores with a network.
template <typename T>
std::unique_ptr<ScoringPlan> make_network_plan(const Topology& topology,
                                               const double* weights) {
  return std::make_unique<CpuScoringPlan<T>>(topology, weights);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
