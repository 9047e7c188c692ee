// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_GENERAL_GENERAL_EVALUATOR_INL_HPP) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_GENERAL_GENERAL_EVALUATOR_INL_HPP
#undef MLP_CPU_GENERAL_GENERAL_EVALUATOR_INL_HPP
#else
#define MLP_CPU_GENERAL_GENERAL_EVALUATOR_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "../../mlp/backend/backend.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/aligned_array.hpp"
#include "general_batch-inl.hpp"
#include "general_factories-inl.hpp"
#include "general_network-inl.hpp"
#include "loss_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Evaluates general networks that compute equally in training and in scoring.
template <typename T>
class GeneralEvaluator final : public Evaluator {
 public:
  explicit GeneralEvaluator(const Topology& topology)
      : network_(topology, {}) {}

  void set_weights(const double* weights) override {
    for (std::size_t k = 0; k < network_.num_layers(); ++k) {
      GeneralLayer<T>& layer = network_.layer(k);
      for (std::size_t p = 0; p < layer.outputs().count(); ++p) {
        layer.pack_outputs(weights, p);
      }
      if (k == 0) continue;
      for (std::size_t p = 0; p < layer.inputs().count(); ++p) {
        layer.pack_inputs(weights, p);
      }
    }
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Scratch>(network_.topology());
  }

  double add_gradient(const InstanceRange& instances, double* gradient,
                      Workspace& workspace) const override {
    auto& scratch = static_cast<Scratch&>(workspace);
    const auto num_weights =
        static_cast<std::size_t>(network_.topology().num_weights());
    if (!scratch.sum.data()) scratch.sum = AlignedArray<T>(num_weights);
    double loss = 0.0;
    for (Index first = 0; first < instances.size; first += kTile) {
      if (workspace.is_stopping()) break;
      const InstanceRange range = slice(instances, first);
      forward(range, network_.num_layers(), scratch.batch);
      loss += add_loss(range, scratch);
      backward(first == 0, scratch);
    }
    if (instances.size == 0) return loss;
    for (std::size_t i = 0; i < num_weights; ++i) {
      gradient[i] += static_cast<double>(scratch.sum.data()[i]);
    }
    return loss;
  }

  void compute_output(const InstanceRange& instances, Index k, double* output,
                      Workspace& workspace) const override {
    GeneralBatch<T>& batch = static_cast<Scratch&>(workspace).batch;
    const auto last = static_cast<std::size_t>(k);
    const GeneralPanels<T>& rows = network_.layer(last).outputs();
    for (Index first = 0; first < instances.size; first += kTile) {
      if (workspace.is_stopping()) break;
      forward(slice(instances, first), last + 1, batch);
      const T* from = batch.layers[last].output.data();
      for (std::size_t j = 0; j < batch.size; ++j) {
        for (std::size_t p = 0; p < rows.count(); ++p) {
          output =
              std::copy_n(from + GeneralPanels<T>::offset(p, batch.columns) +
                              j * kGeneralRows<T>,
                          rows.rows_of(p), output);
        }
      }
    }
  }

 private:
  static constexpr Index kTile = static_cast<Index>(kTileSize);

  struct Scratch final : Workspace {
    explicit Scratch(const Topology& topology)
        : batch(topology, kTileSize),
          output(topology, kTileSize),
          places(kTileSize) {
      std::iota(places.begin(), places.end(), Index{0});
    }

    GeneralBatch<T> batch;
    LossKernels<T> output;
    std::vector<Index> places;  ///< 0, 1, ..
    double losses[kTileSize] = {};
    AlignedArray<T> sum;  ///< of the gradient; allocated by add_gradient()
  };

  [[nodiscard]] InstanceRange slice(const InstanceRange& instances,
                                    Index first) const {
    return instances.slice(first, std::min(kTile, instances.size - first),
                           network_.topology().num_features(),
                           network_.topology().num_classes());
  }

  /// Computes the outputs of the first num_layers layers.
  void forward(const InstanceRange& range, std::size_t num_layers,
               GeneralBatch<T>& batch) const {
    const Index num_features = network_.topology().num_features();
    batch.size = static_cast<std::size_t>(range.size);
    gather_features(
        [&](std::size_t j) {
          return range.features + static_cast<Index>(j) * num_features;
        },
        network_.layer(0).inputs(), 0, batch.size, batch.columns,
        batch.features.data());
    for (std::size_t k = 0; k < num_layers; ++k) {
      const bool is_hidden = k + 1 < network_.num_layers();
      for (std::size_t p = 0; p < network_.layer(k).outputs().count(); ++p) {
        if (is_hidden) {
          network_.forward(k, p, false, 0, nullptr, batch);
        } else {
          network_.multiply(k, p, 0, batch.size, batch);
        }
      }
    }
  }

  double add_loss(const InstanceRange& range, Scratch& scratch) const {
    const auto& last = scratch.batch.layers.back();
    scratch.output.compute({&range, scratch.places.data(), range.weights}, 0,
                           scratch.batch.size, scratch.batch.columns,
                           last.output.data(), last.delta.data(),
                           scratch.losses);
    return std::accumulate(scratch.losses, scratch.losses + range.size, 0.0);
  }

  void backward(bool is_first, Scratch& scratch) const {
    for (std::size_t k = network_.num_layers(); k-- > 0;) {
      const GeneralLayer<T>& layer = network_.layer(k);
      for (std::size_t p = 0; p < layer.outputs().count(); ++p) {
        network_.add_gradient(k, p, 0, layer.inputs().count(), is_first,
                              scratch.batch, scratch.sum.data());
      }
      if (k == 0) return;
      for (std::size_t p = 0; p < layer.inputs().count(); ++p) {
        network_.backward(k, p, false, scratch.batch, scratch.sum.data());
      }
    }
  }

  GeneralNetwork<T> network_;
};

/// Makes the evaluator of a network without training mode.
template <typename T>
std::unique_ptr<Evaluator> make_general_evaluator(const Topology& topology) {
  return std::make_unique<GeneralEvaluator<T>>(topology);
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
