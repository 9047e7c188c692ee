// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_BATCH_EVALUATOR_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_BATCH_EVALUATOR_INL_HPP
#undef MLP_CPU_PANELS_BATCH_EVALUATOR_INL_HPP
#else
#define MLP_CPU_PANELS_BATCH_EVALUATOR_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../mlp/backend/batch_evaluator.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "../base/phases.hpp"
#include "converted_features.hpp"
#include "gradient_product-inl.hpp"
#include "layer_values-inl.hpp"
#include "network-inl.hpp"
#include "output_delta-inl.hpp"
#include "packed_input-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Evaluates mini-batches of any network with parallel tasks.
///
/// The phases of an evaluation are: gather the features; compute each hidden
/// layer (a task per panel of units); compute the last layer and the loss (a
/// task for some instances); then backward, from the last layer down, compute
/// the delta of the layer before (a task per panel) and the gradient (a task
/// per rectangle).
template <typename T>
class CpuBatchEvaluator final : public BatchEvaluator<T> {
 public:
  CpuBatchEvaluator(const Topology& topology, const FrozenLayers& frozen)
      : network_(topology, Passes::kForwardAndBackward, frozen) {}

  void bind(const InstanceRange& instances) override {
    instances_ = instances;
    if constexpr (!std::is_same_v<T, double>) {
      features_ = ConvertedFeatures<T>::convert(
          instances, static_cast<std::size_t>(topology().num_features()));
    }
  }

  double value_and_gradient(const MiniBatch& batch, const T* weights,
                            T* statistics, T* gradient,
                            ThreadPool& pool) override {
    start(batch);
    weights_ = weights;
    training_ = {true, batch.dropout_seed, statistics, gradient};
    clear_frozen(gradient);
    const auto task = [this, &batch](Index phase, Index i) {
      if (batch.is_stopping && *batch.is_stopping) return;
      run(static_cast<std::size_t>(phase), static_cast<std::size_t>(i));
    };
    const auto on_done = [this, &batch](Index phase) {
      if (batch.on_layer_done) show_progress(phase, *batch.on_layer_done);
    };
    if (is_worth_threads()) {
      phases_.run(num_tasks_, pool, task, on_done);
    } else {
      Phases::run(num_tasks_, task, on_done);
    }
    return output_->sum_losses(input_.size);
  }

 private:
  /// Instances per task that gathers, and per task that computes the loss. The
  /// second is a multiple of the columns of every kernel.
  static constexpr std::size_t kGathered = 16;
  static constexpr std::size_t kLossColumns = 24;

  /// Panels of inputs in the rectangle of one task.
  static constexpr std::size_t kRectangle = 8;

  /// Multiply-adds of a mini-batch above which threads are worth waking.
  static constexpr double kWorthThreads = 5e5;

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  [[nodiscard]] bool is_worth_threads() const {
    return static_cast<double>(topology().num_weights()) *
               static_cast<double>(input_.size) >
           kWorthThreads;
  }

  /// Reports the layer that a backward phase has finished.
  void show_progress(Index phase,
                     const std::function<void(Index)>& on_layer_done) const {
    const auto first_backward = static_cast<Index>(network_.num_layers()) + 1;
    if (phase >= first_backward) {
      on_layer_done(topology().num_layers() - 1 - (phase - first_backward));
    }
  }

  /// Allocates memory if needed, and counts the tasks.
  void start(const MiniBatch& batch) {
    const std::span<const Index> instances = batch.instances;
    if (!values_ || capacity_ < instances.size()) allocate(instances.size());
    input_.size = instances.size();
    values_->places = batch.places;
    places_ = instances.data();
    const double divisor =
        batch.divisor == 0.0 ? instances_.weight_sum(instances) : batch.divisor;
    for (std::size_t j = 0; j < instances.size(); ++j) {
      shares_[j] =
          divisor == 0.0 ? 0.0 : instances_.weight(instances[j]) / divisor;
    }
    count_tasks();
  }

  void allocate(std::size_t capacity) {
    capacity_ = capacity;
    values_.emplace(topology(), padded_columns(capacity),
                    Passes::kForwardAndBackward);
    features_of_batch_ =
        AlignedArray<T>(network_.layer(0).inputs().size(values_->columns));
    input_.panels = features_of_batch_.data();
    values_->input = &input_;
    output_.emplace(topology(), Likelihood::kLogSumExp, capacity);
    shares_.resize(capacity);
  }

  /// Returns the number of columns to allocate. It is odd, so that the same
  /// columns of several panels do not compete for one set of the cache.
  static std::size_t padded_columns(std::size_t num_columns) {
    return num_columns | 1;
  }

  static std::size_t pieces(std::size_t size, std::size_t piece) {
    return (size + piece - 1) / piece;
  }

  /// Counts the tasks of each phase.
  ///
  /// Phase 0 gathers and packs the last layer. Phase k + 1 is layer k forward.
  /// The backward phases follow, from the last layer on.
  void count_tasks() {
    const std::size_t last = network_.num_layers() - 1;
    num_tasks_.clear();
    const auto add = [this](std::size_t count) {
      num_tasks_.push_back(static_cast<Index>(count));
    };
    add(pieces(input_.size, kGathered) +
        network_.layer(last).outputs().count());
    for (std::size_t k = 0; k < last; ++k) {
      add(network_.layer(k).outputs().count());
    }
    add(pieces(input_.size, kLossColumns));
    for (std::size_t k = last + 1; k-- > network_.lowest();) {
      add(num_propagated(k) + num_rectangles(k));
    }
  }

  /// Returns the number of tasks for layer k that compute the delta of the
  /// layer before.
  [[nodiscard]] std::size_t num_propagated(std::size_t k) const {
    return k > network_.lowest() ? network_.layer(k).inputs().count() : 0;
  }

  /// Returns the number of tasks that compute the gradient of layer k.
  [[nodiscard]] std::size_t num_rectangles(std::size_t k) const {
    if (network_.is_frozen(k)) return 0;
    const PackedLayer<T>& layer = network_.layer(k);
    return layer.outputs().count() * pieces(layer.inputs().count(), kRectangle);
  }

  void clear_frozen(T* gradient) const {
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      if (!network_.is_frozen(k)) continue;
      const auto layer = static_cast<Index>(k);
      std::fill(gradient + topology().weight_offset(layer),
                gradient + topology().layer_end(layer), T{0});
    }
  }

  void run(std::size_t phase, std::size_t i) {
    const std::size_t num_layers = network_.num_layers();
    if (phase == 0) {
      prepare(i);
    } else if (phase < num_layers) {
      const Range panels{i, i + 1};
      network_.layer(phase - 1).pack_outputs(weights_, i);
      network_.multiply(phase - 1, panels, {0, input_.size}, *values_);
      network_.finish_layer(phase - 1, panels, training_, *values_);
    } else if (phase == num_layers) {
      compute_output(i * kLossColumns);
    } else {
      backward(2 * num_layers - phase, i);
    }
  }

  void prepare(std::size_t i) {
    const std::size_t gathers = pieces(input_.size, kGathered);
    if (i >= gathers) {
      network_.layer(network_.num_layers() - 1)
          .pack_outputs(weights_, i - gathers);
    } else if (features_) {
      gather(features_->data(), i * kGathered);
    } else if (instances_.features) {
      gather(instances_.features, i * kGathered);
    } else {
      gather_from_store(i * kGathered);
    }
  }

  template <typename Number>
  void gather(const Number* features, std::size_t first) {
    const Index num_features = topology().num_features();
    pack_features(
        [&](std::size_t j) { return features + places_[j] * num_features; },
        network_.layer(0).inputs(),
        {first, std::min(first + kGathered, input_.size)}, values_->columns,
        features_of_batch_.data());
  }

  /// Does the same with features that are not in memory as rows.
  void gather_from_store(std::size_t first) {
    const Index num_features = topology().num_features();
    const std::size_t end = std::min(first + kGathered, input_.size);
    Matrix rows(num_features, static_cast<Index>(end - first));
    instances_.read_rows(places_ + first, rows.cols(), num_features,
                         rows.data());
    pack_features(
        [&](std::size_t j) {
          return rows.col(static_cast<Index>(j - first)).data();
        },
        network_.layer(0).inputs(), {first, end}, values_->columns,
        features_of_batch_.data());
  }

  /// Computes the last layer and the loss of some instances.
  void compute_output(std::size_t first) {
    const std::size_t last = network_.num_layers() - 1;
    const Range columns{first, std::min(first + kLossColumns, input_.size)};
    network_.multiply(last, {0, network_.layer(last).outputs().count()},
                      columns, *values_);
    output_->compute({&instances_, places_, shares_.data()}, columns, *values_);
  }

  void backward(std::size_t k, std::size_t i) {
    if (i < num_propagated(k)) {
      network_.layer(k).pack_inputs(weights_, i);
      network_.backward(k, {i, i + 1}, training_, *values_);
      return;
    }
    i -= num_propagated(k);
    const std::size_t inputs = network_.layer(k).inputs().count();
    const std::size_t groups = pieces(inputs, kRectangle);
    const std::size_t first = i % groups * kRectangle;
    compute_gradient(k, {first, std::min(first + kRectangle, inputs)},
                     i / groups);
  }

  /// Computes the gradient of some panels of inputs and one of outputs.
  void compute_gradient(std::size_t k, const Range& inputs, std::size_t p) {
    const PackedLayer<T>& layer = network_.layer(k);
    const auto& values = values_->layers[k];
    for (std::size_t i = inputs.begin; i < inputs.end; ++i) {
      compute_square(k, i, p, values.delta, layer.weight_offset());
      if (!layer.has_projection()) continue;
      compute_square(k, i, p, values.output_delta, layer.projection_offset());
    }
    if (inputs.begin > 0) return;
    alignas(64) T sum[kPanelRows<T>] = {};
    add_deltas(values_->panel(values.delta, p), layer.outputs().vectors_of(p),
               input_.size, sum);
    std::copy_n(sum, layer.outputs().rows_of(p),
                training_.gradient + layer.bias_offset() + p * kPanelRows<T>);
  }

  /// Computes D X^T of a panel of inputs and one of outputs, some instances at a
  /// time: their values stay in the first level cache.
  void compute_square(std::size_t k, std::size_t i, std::size_t p,
                      const AlignedArray<T>& deltas, Index offset) const {
    const PackedLayer<T>& layer = network_.layer(k);
    const std::size_t rows = layer.inputs().rows_of(i);
    const std::size_t columns = layer.outputs().rows_of(p);
    const T* x = values_->input_of(k) + Panels<T>::offset(i, values_->columns);
    const T* delta = values_->panel(deltas, p);
    alignas(64) T sum[kPanelRows<T> * kPanelRows<T>];
    for (std::size_t j = 0; j < input_.size; j += kTileSize) {
      const std::size_t size = std::min(kTileSize, input_.size - j);
      const std::size_t at = j * kPanelRows<T>;
      if (j == 0) {
        multiply_instances<Start::kZero, T>({x, rows, delta, columns}, size,
                                            sum);
      } else {
        multiply_instances<Start::kResult, T>(
            {x + at, rows, delta + at, columns}, size, sum);
      }
    }
    const std::size_t stride = layer.outputs().rows();
    write_transpose<Write::kReplace>(
        sum, rows, columns,
        training_.gradient + offset +
            static_cast<Index>((i * stride + p) * kPanelRows<T>),
        stride);
  }

  Network<T> network_;
  InstanceRange instances_;
  std::shared_ptr<const ConvertedFeatures<T>> features_;  // of float
  std::size_t capacity_ = 0;
  AlignedArray<T> features_of_batch_;
  PackedInput<T> input_;
  std::optional<LayerValues<T>> values_;
  std::optional<OutputDelta<T>> output_;
  std::vector<double> shares_;     // weight in the objective   [capacity]
  std::vector<Index> num_tasks_;   // of each phase
  const Index* places_ = nullptr;  // instances of the mini-batch
  const T* weights_ = nullptr;
  Training<T> training_;
  Phases phases_;
};

/// Makes the arithmetic of mini-batches.
template <typename T>
std::unique_ptr<BatchEvaluator<T>> make_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen) {
  return std::make_unique<CpuBatchEvaluator<T>>(topology, frozen);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
