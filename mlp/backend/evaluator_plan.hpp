// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "../../core/types.hpp"
#include "../network/topology.hpp"
#include "backend.hpp"
#include "scoring_plan.hpp"

namespace mlp {

/// Scores with an evaluator, for backends without kernels for scoring.
class EvaluatorPlan final : public ScoringPlan {
 public:
  /// \param evaluator  an evaluator of this topology
  /// \param weights    [topology.num_weights()], copied
  EvaluatorPlan(const Topology& topology, std::unique_ptr<Evaluator> evaluator,
                const double* weights)
      : topology_(topology),
        weights_(Eigen::Map<const Vector>(weights, topology.num_weights())),
        evaluator_(std::move(evaluator)) {
    evaluator_->set_weights(weights_.data());
  }

  /// \cost allocates a workspace
  void compute_raw(const double* features, Index size,
                   double* raw) const override {
    InstanceRange instances;
    instances.size = size;
    instances.features = features;
    const auto workspace = evaluator_->make_workspace();
    evaluator_->compute_output(instances, topology_.num_layers() - 1, raw,
                               *workspace);
  }

  /// \cost allocates a workspace and converts to double precision
  void compute_raw(const float* features, Index size,
                   double* raw) const override {
    const Matrix wide = Eigen::Map<const Eigen::MatrixXf>(
                            features, topology_.num_features(), size)
                            .cast<double>();
    compute_raw(wide.data(), size, raw);
  }

  /// \cost as above
  void compute_raw(const float* features, Index size,
                   float* raw) const override {
    Matrix result(topology_.num_classes(), size);
    compute_raw(features, size, result.data());
    Eigen::Map<Eigen::MatrixXf>(raw, result.rows(), size) =
        result.cast<float>();
  }

 private:
  Topology topology_;
  Vector weights_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace mlp
