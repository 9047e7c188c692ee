// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "../core/types.hpp"
#include "batch_evaluator.hpp"
#include "instance_loss.hpp"
#include "reference_network.hpp"
#include "topology.hpp"

namespace mlp {

/// The specification of mini-batches, on the caller's thread.
template <typename Number>
class ReferenceBatchEvaluator final : public BatchEvaluator<Number> {
 public:
  ReferenceBatchEvaluator(const Topology& topology, const FrozenLayers& frozen)
      : network_(topology, frozen) {}

  void bind(const InstanceRange& instances) override { instances_ = instances; }

  double value_and_gradient(std::span<const Index> batch,
                            std::uint64_t dropout_seed, const Number* weights,
                            Number* statistics, Number* gradient,
                            ThreadPool& /*pool*/) override {
    gather(batch);
    std::fill_n(gradient, topology().num_weights(), Number{0});
    const typename Network::Features features(features_.data(),
                                              features_.rows(), size_of(batch));
    const PassMode mode{true, dropout_seed};
    network_.forward(features, weights, statistics, topology().num_layers() - 1,
                     mode, layers_);
    const double loss = output_delta(batch);
    network_.backward(features, weights, mode, layers_, gradient);
    return loss;
  }

 private:
  using Network = ReferenceNetwork<Number>;

  [[nodiscard]] const Topology& topology() const { return network_.topology(); }

  static Index size_of(std::span<const Index> batch) {
    return static_cast<Index>(batch.size());
  }

  /// Puts the features of the batch side by side, with room for them.
  void gather(std::span<const Index> batch) {
    if (features_.cols() < size_of(batch)) {
      features_.resize(topology().num_features(), size_of(batch));
      layers_ = network_.make_layers(size_of(batch));
    }
    for (Index j = 0; j < size_of(batch); ++j) {
      const double* from =
          instances_.features +
          batch[static_cast<std::size_t>(j)] * features_.rows();
      features_.col(j) =
          Eigen::Map<const Vector>(from, features_.rows()).cast<Number>();
    }
  }

  /// \return sum of weight times loss over the sum of the weights
  double output_delta(std::span<const Index> batch) {
    double weight_sum = 0.0;
    for (const Index i : batch) weight_sum += weight(i);
    auto& last = layers_.back();
    double loss = 0.0;
    for (Index j = 0; j < size_of(batch); ++j) {
      const Index i = batch[static_cast<std::size_t>(j)];
      const double share = weight_sum == 0.0 ? 0.0 : weight(i) / weight_sum;
      column_ = last.output.col(j).template cast<double>();
      loss +=
          apply_loss(topology().loss_function(), instances_, i, share, column_);
      last.delta.col(j) = column_.template cast<Number>();
    }
    return loss;
  }

  [[nodiscard]] double weight(Index i) const {
    return instances_.weights ? instances_.weights[i] : 1.0;
  }

  Network network_;
  InstanceRange instances_;
  Vector column_;                            // [num_outputs]
  typename Network::NumberMatrix features_;  // [num_features x capacity]
  typename Network::Layers layers_;
};

}  // namespace mlp
