// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "../../core/types.hpp"
#include "../network/topology.hpp"
#include "apply_loss.hpp"
#include "batch_evaluator.hpp"
#include "reference_network.hpp"

namespace mlp {

/// The reference evaluator of mini-batches. It uses the caller's thread only.
class ReferenceBatchEvaluator final : public BatchEvaluator<double> {
 public:
  ReferenceBatchEvaluator(const Topology& topology, const FrozenLayers& frozen)
      : network_(topology, frozen) {}

  void bind(const InstanceRange& instances) override { instances_ = instances; }

  double value_and_gradient(const MiniBatch& batch, const double* weights,
                            double* statistics, double* gradient,
                            ThreadPool& /*pool*/) override {
    gather(batch.instances);
    std::fill_n(gradient, topology().num_weights(), 0.0);
    const Network::Features features(features_.data(), features_.rows(),
                                     size_of(batch.instances));
    const PassMode mode{true, batch.dropout_seed, batch.places};
    network_.forward(features, weights, statistics, topology().num_layers() - 1,
                     mode, layers_);
    const double loss = output_delta(batch);
    network_.backward(features, weights, mode, layers_, gradient);
    if (batch.on_layer_done) (*batch.on_layer_done)(0);
    return loss;
  }

 private:
  using Network = ReferenceNetwork;

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  static Index size_of(std::span<const Index> batch) {
    return static_cast<Index>(batch.size());
  }

  /// Copies the features of the mini-batch to consecutive columns.
  void gather(std::span<const Index> batch) {
    if (features_.cols() < size_of(batch)) {
      resize_anew(features_, topology().num_features(), size_of(batch));
      layers_ = network_.make_layers(size_of(batch));
    }
    instances_.read_rows(batch.data(), size_of(batch), features_.rows(),
                         features_.data());
  }

  /// Computes the deltas of the last layer.
  ///
  /// \return sum of weight times loss, divided by the divisor
  double output_delta(const MiniBatch& batch) {
    const double divisor = batch.divisor == 0.0
                               ? instances_.weight_sum(batch.instances)
                               : batch.divisor;
    auto& last = layers_.back();
    double loss = 0.0;
    for (Index j = 0; j < size_of(batch.instances); ++j) {
      const Index i = batch.instances[static_cast<std::size_t>(j)];
      const double share =
          divisor == 0.0 ? 0.0 : instances_.weight(i) / divisor;
      last.delta.col(j) = last.output.col(j);
      loss += apply_loss(topology().loss_function(), Likelihood::kLogSumExp,
                         instances_, i, share, last.delta.col(j));
    }
    return loss;
  }

  Network network_;
  InstanceRange instances_;
  Matrix features_;  // [num_features x capacity]
  Network::Layers layers_;
};

/// The reference evaluator with weights and gradients in single precision. It
/// computes in double precision.
class Float32ReferenceBatchEvaluator final : public BatchEvaluator<float> {
 public:
  Float32ReferenceBatchEvaluator(const Topology& topology,
                                 const FrozenLayers& frozen)
      : evaluator_(topology, frozen),
        weights_(topology.num_weights()),
        gradient_(topology.num_weights()),
        statistics_(topology.num_statistics()) {}

  void bind(const InstanceRange& instances) override {
    evaluator_.bind(instances);
  }

  double value_and_gradient(const MiniBatch& batch, const float* weights,
                            float* statistics, float* gradient,
                            ThreadPool& pool) override {
    MiniBatch wide = batch;
    wide.on_layer_done = nullptr;
    std::copy_n(weights, weights_.size(), weights_.data());
    std::copy_n(statistics, statistics_.size(), statistics_.data());
    const double loss = evaluator_.value_and_gradient(
        wide, weights_.data(), statistics_.data(), gradient_.data(), pool);
    const auto narrow = [](double number) {
      return static_cast<float>(number);
    };
    std::transform(statistics_.begin(), statistics_.end(), statistics, narrow);
    std::transform(gradient_.begin(), gradient_.end(), gradient, narrow);
    if (batch.on_layer_done) (*batch.on_layer_done)(0);
    return loss;
  }

 private:
  ReferenceBatchEvaluator evaluator_;
  Vector weights_;     // [num_weights]
  Vector gradient_;    // [num_weights]
  Vector statistics_;  // [num_statistics]
};

}  // namespace mlp
