// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_BATCH_EVALUATOR_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_BATCH_EVALUATOR_INL_HPP
#undef MLP_CPU_GENERAL_BATCH_EVALUATOR_INL_HPP
#else
#define MLP_CPU_GENERAL_BATCH_EVALUATOR_INL_HPP
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
#include "general_batch-inl.hpp"
#include "general_factories-inl.hpp"
#include "general_network-inl.hpp"
#include "loss_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Evaluates mini-batches of a general network with parallel tasks.
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
      : network_(topology, frozen) {}

  void bind(const InstanceRange& instances) override {
    instances_ = instances;
    features_ = AlignedArray<T>();
    has_features_ = false;
    if constexpr (!std::is_same_v<T, double>) {
      const auto count = static_cast<std::size_t>(instances.size) *
                         static_cast<std::size_t>(topology().num_features());
      if (count > kMaxBytes / sizeof(T)) return;
      features_ = AlignedArray<T>(count);
      std::transform(instances.features, instances.features + count,
                     features_.data(),
                     [](double x) { return static_cast<T>(x); });
      has_features_ = true;
    }
  }

  double value_and_gradient(const MiniBatch& batch, const T* weights,
                            T* statistics, T* gradient,
                            ThreadPool& pool) override {
    start(batch);
    call_ = {batch.dropout_seed, weights, statistics, gradient};
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
    double loss = 0.0;
    for (std::size_t j = 0; j < buffers_->size; ++j) loss += losses_[j];
    return loss;
  }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 32;

  /// Instances per task that gathers, and per task that computes the loss. The
  /// second is a multiple of the columns of every kernel.
  static constexpr std::size_t kGathered = 16;
  static constexpr std::size_t kLossColumns = 24;

  /// Panels of inputs in the rectangle of one task.
  static constexpr std::size_t kRectangle = 8;

  /// Multiply-adds of a mini-batch above which threads are worth waking.
  static constexpr double kWorthThreads = 5e5;

  struct Call {
    std::uint64_t dropout_seed = 0;
    const T* weights = nullptr;
    T* statistics = nullptr;
    T* gradient = nullptr;
  };

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  [[nodiscard]] bool is_worth_threads() const {
    return static_cast<double>(topology().num_weights()) *
               static_cast<double>(buffers_->size) >
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
    if (!buffers_ || capacity_ < instances.size()) {
      capacity_ = instances.size();
      buffers_ = std::make_unique<GeneralBatch<T>>(topology(), capacity_);
      output_.emplace(topology(), capacity_);
      shares_.resize(capacity_);
      losses_.resize(capacity_);
    }
    buffers_->size = instances.size();
    buffers_->places = batch.places;
    places_ = instances.data();
    const double divisor =
        batch.divisor == 0.0 ? instances_.weight_sum(instances) : batch.divisor;
    for (std::size_t j = 0; j < instances.size(); ++j) {
      shares_[j] =
          divisor == 0.0 ? 0.0 : instances_.weight(instances[j]) / divisor;
    }
    count_tasks();
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
    add(pieces(buffers_->size, kGathered) +
        network_.layer(last).outputs().count());
    for (std::size_t k = 0; k < last; ++k) {
      add(network_.layer(k).outputs().count());
    }
    add(pieces(buffers_->size, kLossColumns));
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
    const GeneralLayer<T>& layer = network_.layer(k);
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
      network_.layer(phase - 1).pack_outputs(call_.weights, i);
      network_.forward(phase - 1, i, true, call_.dropout_seed, call_.statistics,
                       *buffers_);
    } else if (phase == num_layers) {
      compute_output(i * kLossColumns);
    } else {
      backward(2 * num_layers - phase, i);
    }
  }

  void prepare(std::size_t i) {
    const std::size_t gathers = pieces(buffers_->size, kGathered);
    if (i >= gathers) {
      network_.layer(network_.num_layers() - 1)
          .pack_outputs(call_.weights, i - gathers);
    } else if (has_features_) {
      gather(features_.data(), i * kGathered);
    } else {
      gather(instances_.features, i * kGathered);
    }
  }

  template <typename Number>
  void gather(const Number* features, std::size_t first) {
    const Index num_features = topology().num_features();
    gather_features(
        [&](std::size_t j) { return features + places_[j] * num_features; },
        network_.layer(0).inputs(), first,
        std::min(first + kGathered, buffers_->size), buffers_->columns,
        buffers_->features.data());
  }

  /// Computes the last layer and the loss of some instances.
  void compute_output(std::size_t first) {
    const std::size_t last = network_.num_layers() - 1;
    const std::size_t end = std::min(first + kLossColumns, buffers_->size);
    for (std::size_t p = 0; p < network_.layer(last).outputs().count(); ++p) {
      network_.multiply(last, p, first, end, *buffers_);
    }
    const auto& layer = buffers_->layers[last];
    output_->compute({&instances_, places_, shares_.data()}, first, end,
                     buffers_->columns, layer.output.data(), layer.delta.data(),
                     losses_.data());
  }

  void backward(std::size_t k, std::size_t i) {
    if (i < num_propagated(k)) {
      network_.layer(k).pack_inputs(call_.weights, i);
      network_.backward(k, i, true, *buffers_, call_.gradient);
      return;
    }
    i -= num_propagated(k);
    const std::size_t inputs = network_.layer(k).inputs().count();
    const std::size_t groups = pieces(inputs, kRectangle);
    const std::size_t first = i % groups * kRectangle;
    network_.add_gradient(k, i / groups, first,
                          std::min(first + kRectangle, inputs), true, *buffers_,
                          call_.gradient);
  }

  GeneralNetwork<T> network_;
  InstanceRange instances_;
  AlignedArray<T> features_;  // [num_features x instances], converted
  bool has_features_ = false;
  std::size_t capacity_ = 0;
  std::unique_ptr<GeneralBatch<T>> buffers_;
  std::optional<LossKernels<T>> output_;
  std::vector<double> shares_;     // weight in the objective   [capacity]
  std::vector<double> losses_;     // weighted   [capacity]
  std::vector<Index> num_tasks_;   // of each phase
  const Index* places_ = nullptr;  // instances of the mini-batch
  Call call_;
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
