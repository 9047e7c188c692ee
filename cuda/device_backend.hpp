// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "../mlp/backend/backend.hpp"
#include "blas/cublas_functions.hpp"
#include "cuda_backend.hpp"
#include "network/device_context.hpp"

namespace mlp::cuda {

/// The backend that backend() returns, with a cuBLAS that tests can choose.
class DeviceBackend final : public Backend, public ResidentTraining {
 public:
  /// \param functions  must outlive this object
  /// \throws DeviceError if the device or cuBLAS cannot be used; ResourceError if
  ///         the device has too little memory
  DeviceBackend(const BackendOptions& options,
                const CublasFunctions& functions);

  /// "CUDA" and the name of the device.
  [[nodiscard]] const char* name() const override { return name_.c_str(); }

  [[nodiscard]] bool shares_gradient(
      const Topology& /*topology*/) const override {
    return true;
  }

  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override;

  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override;

  [[nodiscard]] std::unique_ptr<BatchEvaluator<double>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<double> number) const override;

  [[nodiscard]] std::unique_ptr<BatchEvaluator<float>> make_batch_evaluator(
      const Topology& topology, const FrozenLayers& frozen,
      std::type_identity<float> number) const override;

  /// True for all.
  [[nodiscard]] bool supports(Precision precision) const override;

  [[nodiscard]] const ResidentTraining* resident_training() const override {
    return this;
  }

  /// The vectors have a stream of their own.
  [[nodiscard]] std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
      const ResidentObjective& objective, Index history_size) const override;

  [[nodiscard]] std::unique_ptr<optim::GradientDescentVectors>
  make_gradient_descent_vectors(
      const ResidentObjective& objective) const override;

  [[nodiscard]] std::unique_ptr<BatchSolver> make_batch_solver(
      const ResidentObjective& objective, const BatchRule& rule) const override;

 private:
  [[nodiscard]] std::shared_ptr<DeviceContext> make_context() const;

  BackendOptions options_;
  const CublasFunctions& functions_;
  std::string name_;
  std::unique_ptr<DeviceContext> context_;
};

}  // namespace mlp::cuda
