// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compiled once per instruction set: the guard toggles instead of staying.
#if defined(MLP_CPU_LANE_EVALUATOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_LANE_EVALUATOR_INL_HPP
#undef MLP_CPU_LANE_EVALUATOR_INL_HPP
#else
#define MLP_CPU_LANE_EVALUATOR_INL_HPP
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "../mlp/backend.hpp"
#include "../mlp/topology.hpp"
#include "aligned_array.hpp"
#include "exp-inl.hpp"
#include "lane_product-inl.hpp"
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
    std::size_t rows = 0;
    for (const Index size : topology.layers()) {
      rows_.push_back(rows);
      rows += static_cast<std::size_t>(size);
    }
    num_rows_ = rows;
  }

  void set_weights(const double* weights) override {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = static_cast<T>(weights[i]);
    }
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Lanes>(num_rows_, weights_.size());
  }

  double add_gradient(const InstanceRange& instances, double* gradient,
                      Workspace& workspace) const override {
    auto& lanes = static_cast<Lanes&>(workspace);
    std::fill_n(lanes.sums.data(), weights_.size() * kChains<T>, T{0});
    std::fill_n(lanes.losses.data(), kChains<double>, 0.0);
    for (Index first = 0; first < instances.size; first += kTile) {
      const InstanceRange range =
          instances.slice(first, std::min(kTile, instances.size - first),
                          topology_.num_features(), topology_.num_classes());
      pack(range, lanes);
      pack_targets(range, lanes);
      forward(topology_.num_layers(), lanes);
      output_delta(lanes);
      backward(lanes);
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
      const InstanceRange range =
          instances.slice(first, std::min(kTile, instances.size - first),
                          topology_.num_features(), topology_.num_classes());
      pack(range, lanes);
      forward(k + 1, lanes);
      const T* from = unit_rows(k + 1, lanes.outputs);
      for (Index j = 0; j < range.size; ++j, ++from) {
        for (std::size_t i = 0; i < rows; ++i) {
          *output++ = static_cast<double>(from[i * kLaneTile]);
        }
      }
    }
  }

 private:
  static constexpr Index kMaxWidth = 16;
  static constexpr Index kTile = static_cast<Index>(kLaneTile);

  struct Lanes final : Workspace {
    Lanes(std::size_t num_rows, std::size_t num_weights)
        : outputs(num_rows * kLaneTile),
          deltas(num_rows * kLaneTile),
          labels(kLaneTile),
          weights(kLaneTile),
          sums(num_weights * kChains<T>),
          losses(kChains<double>) {}

    std::size_t size = 0;          ///< instances, up to a multiple of kChains
    AlignedArray<T> outputs;       ///< features, then each layer's outputs
    AlignedArray<T> deltas;        ///< laid out likewise
    AlignedArray<double> labels;   ///< [kLaneTile]
    AlignedArray<double> weights;  ///< of the instances, 0 for padding
    AlignedArray<T> sums;          ///< of each weight's gradient [kChains]
    AlignedArray<double> losses;   ///< [kChains<double>]
  };

  /// Where the units of a layer lie, 0 being the features.
  [[nodiscard]] T* unit_rows(Index layer, const AlignedArray<T>& rows) const {
    return rows.data() + rows_[static_cast<std::size_t>(layer)] * kLaneTile;
  }

  /// Lays features out by unit. Padding repeats the last instance, so that it
  /// brings no infinity or NaN which the data have not.
  void pack(const InstanceRange& instances, Lanes& lanes) const {
    const auto count = static_cast<std::size_t>(instances.size);
    const auto features = static_cast<std::size_t>(topology_.num_features());
    lanes.size = (count + kChains<T> - 1) / kChains<T> * kChains<T>;
    for (std::size_t j = 0; j < lanes.size; ++j) {
      const double* from =
          instances.features + std::min(j, count - 1) * features;
      T* to = lanes.outputs.data() + j;
      for (std::size_t i = 0; i < features; ++i) {
        to[i * kLaneTile] = static_cast<T>(from[i]);
      }
    }
  }

  void pack_targets(const InstanceRange& instances, Lanes& lanes) const {
    const auto count = static_cast<std::size_t>(instances.size);
    for (std::size_t j = 0; j < lanes.size; ++j) {
      const bool is_padding = j >= count;
      lanes.labels.data()[j] =
          static_cast<double>(instances.labels[is_padding ? 0 : j]);
      lanes.weights.data()[j] = is_padding ? 0.0 : instances.weights[j];
    }
  }

  void forward(Index num_layers, Lanes& lanes) const {
    const std::size_t vectors = lanes.size / kLanes<T>;
    for (Index k = 0; k < num_layers; ++k) {
      const auto outputs = static_cast<std::size_t>(topology_.output_size(k));
      const auto inputs = static_cast<std::size_t>(topology_.input_size(k));
      const T* w = weights_.data() + topology_.weight_offset(k);
      T* z = unit_rows(k + 1, lanes.outputs);
      multiply_lanes<T>({w, 1, outputs, w + outputs * inputs}, outputs, inputs,
                        vectors, unit_rows(k, lanes.outputs), z);
      if (k + 1 < topology_.num_layers()) {
        apply_sigmoid(outputs, lanes.size, z);
      }
    }
  }

  static void apply_sigmoid(std::size_t rows, std::size_t size, T* z) {
    const Tag<T> d;
    for (std::size_t i = 0; i < rows; ++i, z += kLaneTile) {
      for (std::size_t j = 0; j < size; j += kLanes<T>) {
        hn::Store(sigmoid(d, hn::Load(d, z + j)), d, z + j);
      }
    }
  }

  /// Turns z of the last layer into weight (p - t) and sums the loss, in double
  /// precision; a step for each vector of instances (mlp/output_loss.hpp).
  void output_delta(Lanes& lanes) const {
    const Tag<double> d;
    const Index last = topology_.num_layers();
    const T* z = unit_rows(last, lanes.outputs);
    T* delta = unit_rows(last, lanes.deltas);
    for (std::size_t j = 0; j < lanes.size; j += kLanes<double>) {
      const auto loss = softmax_nll(z + j, lanes.labels.data() + j,
                                    lanes.weights.data() + j, delta + j);
      double* sum = lanes.losses.data() + j % kChains<double>;
      hn::Store(hn::Add(hn::Load(d, sum), loss), d, sum);
    }
  }

  /// \return weight times loss of each instance; 0 for padding
  hn::Vec<Tag<double>> softmax_nll(const T* z, const double* labels,
                                   const double* weights, T* delta) const {
    const Tag<double> d;
    using Vector = hn::Vec<Tag<double>>;
    const auto num_classes = static_cast<std::size_t>(topology_.num_classes());
    HWY_ALIGN double e[kMaxWidth * kLanes<double>];
    Vector largest = hn::Set(d, std::numeric_limits<double>::lowest());
    for (std::size_t c = 0; c < num_classes; ++c) {
      const Vector x = load_double(z + c * kLaneTile);
      largest = hn::IfThenElse(hn::Gt(x, largest), x, largest);
    }
    Vector sum = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes; ++c) {
      const Vector x = load_double(z + c * kLaneTile);
      const Vector power = exponential(d, hn::Sub(x, largest));
      hn::Store(power, d, e + c * kLanes<double>);
      sum = hn::Add(sum, power);
    }
    const Vector label = hn::Load(d, labels);
    const Vector weight = hn::Load(d, weights);
    const auto is_padding = hn::Eq(weight, hn::Zero(d));
    const Vector nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    Vector of_label = hn::Zero(d);
    Vector poison = hn::Zero(d);
    for (std::size_t c = 0; c < num_classes; ++c) {
      const Vector p = hn::Div(hn::Load(d, e + c * kLanes<double>), sum);
      const auto is_label = hn::Eq(label, hn::Set(d, static_cast<double>(c)));
      of_label = hn::IfThenElse(is_label, p, of_label);
      const auto is_fine = hn::Or(is_label, hn::Gt(p, hn::Zero(d)));
      poison = hn::IfThenElse(is_fine, poison, nan);
      const Vector target =
          hn::IfThenElse(is_label, hn::Set(d, 1.0), hn::Zero(d));
      const Vector share = hn::Mul(weight, hn::Sub(p, target));
      store_from_double(hn::IfThenZeroElse(is_padding, share),
                        delta + c * kLaneTile);
    }
    const Vector loss = hn::Add(hn::Neg(logarithm(of_label)), poison);
    return hn::IfThenZeroElse(is_padding, hn::Mul(weight, loss));
  }

  /// log p; -infinity for 0, NaN for NaN.
  static hn::Vec<Tag<double>> logarithm(hn::Vec<Tag<double>> p) {
    const Tag<double> d;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto log = hn::IfThenElse(hn::Eq(p, hn::Zero(d)),
                                    hn::Set(d, -infinity), hn::Log(d, p));
    return hn::IfThenElse(hn::IsNaN(p), p, log);
  }

  static hn::Vec<Tag<double>> load_double(const T* from) {
    const Tag<double> d;
    if constexpr (sizeof(T) == sizeof(double)) {
      return hn::Load(d, from);
    } else {
      const hn::Rebind<float, Tag<double>> half;
      return hn::PromoteTo(d, hn::Load(half, from));
    }
  }

  static void store_from_double(hn::Vec<Tag<double>> x, T* to) {
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::Store(x, Tag<double>(), to);
    } else {
      const hn::Rebind<float, Tag<double>> half;
      hn::Store(hn::DemoteTo(half, x), half, to);
    }
  }

  void backward(Lanes& lanes) const {
    const std::size_t vectors = lanes.size / kLanes<T>;
    for (Index k = topology_.num_layers() - 1; k >= 0; --k) {
      const auto outputs = static_cast<std::size_t>(topology_.output_size(k));
      const auto inputs = static_cast<std::size_t>(topology_.input_size(k));
      const T* input = unit_rows(k, lanes.outputs);
      const T* delta = unit_rows(k + 1, lanes.deltas);
      T* sum =
          lanes.sums.data() +
          static_cast<std::size_t>(topology_.weight_offset(k)) * kChains<T>;
      for (std::size_t o = 0; o < outputs; ++o) {
        add_lane_products(input, inputs, delta + o * kLaneTile, lanes.size,
                          sum + o * kChains<T>, outputs * kChains<T>);
      }
      add_rows(delta, outputs, lanes.size, sum + inputs * outputs * kChains<T>);
      if (k == 0) return;
      T* previous = unit_rows(k, lanes.deltas);
      const T* w = weights_.data() + topology_.weight_offset(k);
      multiply_lanes<T>({w, outputs, 1, nullptr}, inputs, outputs, vectors,
                        delta, previous);
      apply_derivative(input, inputs, lanes.size, previous);
    }
  }

  /// sum(i) += the row's numbers, in kChains chains.
  static void add_rows(const T* rows, std::size_t num_rows, std::size_t size,
                       T* sum) {
    const Tag<T> d;
    for (std::size_t i = 0; i < num_rows; ++i, rows += kLaneTile) {
      for (std::size_t v = 0; v < kChains<T>;
           v += kLanes<T>, sum += kLanes<T>) {
        auto total = hn::Load(d, sum);
        for (std::size_t j = v; j < size; j += kChains<T>) {
          total = hn::Add(total, hn::Load(d, rows + j));
        }
        hn::Store(total, d, sum);
      }
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
      a += kLaneTile;
      delta += kLaneTile;
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
  std::vector<T> weights_;         // in Spark's flat order
  std::vector<std::size_t> rows_;  // units before each layer's
  std::size_t num_rows_ = 0;       // of all layers
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
