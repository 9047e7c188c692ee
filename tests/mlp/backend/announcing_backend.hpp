// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "../../../mlp/backend/reference_backend.hpp"
#include "forwarding_backend.hpp"

namespace mlp::testing {

/// Mini-batches of the reference whose gradients come layer by layer, from the
/// last to the first, each announced by a thread of its own. What is not announced
/// yet is full of large numbers.
class AnnouncingEvaluator final : public BatchEvaluator<double> {
 public:
  /// \param first_failing  the call from which on all throw after the gradient of
  ///                       the last layer; -1 for none
  AnnouncingEvaluator(const Topology& topology, const FrozenLayers& frozen,
                      int first_failing)
      : topology_(topology),
        evaluator_(reference_backend().make_batch_evaluator(
            topology, frozen, std::type_identity<double>{})),
        gradient_(topology.num_weights()),
        first_failing_(first_failing) {}

  void bind(const InstanceRange& instances) override {
    evaluator_->bind(instances);
  }

  double value_and_gradient(const MiniBatch& batch, const double* weights,
                            double* statistics, double* gradient,
                            ThreadPool& pool) override {
    constexpr double kWrong = 1e30;
    MiniBatch silent = batch;
    silent.on_layer_done = nullptr;
    const double loss = evaluator_->value_and_gradient(
        silent, weights, statistics, gradient_.data(), pool);
    std::fill_n(gradient, topology_.num_weights(), kWrong);
    const bool is_failing = num_calls_++ >= first_failing_;
    for (Index k = topology_.num_layers() - 1; k >= 0; --k) {
      const Index first = topology_.weight_offset(k);
      std::copy_n(gradient_.data() + first, topology_.layer_end(k) - first,
                  gradient + first);
      if (batch.on_layer_done) {
        std::thread([&] { (*batch.on_layer_done)(k); }).join();
      }
      if (first_failing_ >= 0 && is_failing) {
        throw std::runtime_error("a bad row");
      }
    }
    return loss;
  }

 private:
  Topology topology_;
  std::unique_ptr<BatchEvaluator<double>> evaluator_;
  Vector gradient_;
  int first_failing_;
  int num_calls_ = 0;
};

/// The reference with such mini-batches.
class AnnouncingBackend final : public ForwardingBackend {
 public:
  using Backend::make_batch_evaluator;
  explicit AnnouncingBackend(int first_failing = -1)
      : first_failing_(first_failing) {}

  [[nodiscard]] const char* name() const override { return "announcing"; }

  [[nodiscard]] std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<double> /*number*/) const override {
    return std::make_unique<AnnouncingEvaluator>(topology, frozen,
                                                 first_failing_);
  }

 private:
  int first_failing_;
};

}  // namespace mlp::testing
