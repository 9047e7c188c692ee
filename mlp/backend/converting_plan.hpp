// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"
#include "../network/topology.hpp"
#include "scoring_plan.hpp"

namespace mlp {

/// A plan that receives and returns numbers in double precision only: others are
/// converted. For backends without kernels for scoring.
class ConvertingPlan : public ScoringPlan {
 public:
  void compute_raw(const double* features, Index size,
                   double* raw) const override {
    compute_layer(features, size, topology_.num_layers() - 1, raw);
  }

  /// \cost converts to double precision
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

 protected:
  explicit ConvertingPlan(const Topology& topology) : topology_(topology) {}

  [[nodiscard]] const Topology& topology() const { return topology_; }

 private:
  Topology topology_;
};

}  // namespace mlp
