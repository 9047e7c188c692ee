// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "../../core/error.hpp"
#include "../network/topology.hpp"
#include "batch_evaluator.hpp"
#include "gradient_evaluator.hpp"
#include "precision.hpp"
#include "resident_training.hpp"
#include "scoring_plan.hpp"

namespace mlp {

/// An implementation of the dense arithmetic.
///
/// The reference backend is the specification; tests prove the others equal to
/// it.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Returns the name used by the command line and the documentation.
  [[nodiscard]] virtual const char* name() const = 0;

  /// Returns true if evaluators copy weights and features in the order of their
  /// arithmetic, which takes memory.
  [[nodiscard]] virtual bool packs() const { return false; }

  /// Returns true if the backend computes in this precision.
  [[nodiscard]] virtual bool supports(Precision precision) const {
    return is_processor_precision(precision);
  }

  /// Refuses a precision that the backend lacks.
  ///
  /// \throws ParamError naming those that it has
  void require(Precision precision) const {
    if (supports(precision)) return;
    throw ParamError(
        "precision",
        std::string("must be float64 or float32 for backend ")
            .append(name())
            .append("; got ")
            .append(precision_name(precision))
            .append("; tf32 and bf16 need a backend for NVIDIA devices"));
  }

  /// Returns true if make_gradient_evaluator() makes a SharedEvaluator.
  [[nodiscard]] virtual bool shares_gradient(const Topology& topology) const {
    static_cast<void>(topology);
    return false;
  }

  /// Makes the evaluator of a network that computes equally in training and in
  /// scoring; others use make_batch_evaluator().
  ///
  /// \param topology   copied
  /// \param precision  the precision of the computation; features, weights and
  ///                   results are passed in double precision
  [[nodiscard]] virtual GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const = 0;

  /// Makes a forward pass with fixed weights.
  ///
  /// \param topology   copied
  /// \param weights    [topology.num_weights()]; may be destroyed afterwards
  /// \param precision  the precision of the computation
  [[nodiscard]] virtual std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const = 0;

  /// Makes an evaluator of mini-batches in double precision.
  ///
  /// \param topology  copied
  /// \param frozen    [topology.num_layers()], or empty
  /// \throws ParamError if the backend does not support mini-batches
  [[nodiscard]] virtual std::unique_ptr<BatchEvaluator<double>>
  make_batch_evaluator(const Topology& topology, const FrozenLayers& frozen,
                       std::type_identity<double> number) const {
    static_cast<void>(topology);
    static_cast<void>(frozen);
    static_cast<void>(number);
    refuse_batches();
  }

  /// Returns what trains in the backend's own memory; null if it has none, as
  /// backends of the processor.
  [[nodiscard]] virtual const ResidentTraining* resident_training() const {
    return nullptr;
  }

  /// Makes an evaluator of mini-batches in single precision.
  [[nodiscard]] virtual std::unique_ptr<BatchEvaluator<float>>
  make_batch_evaluator(const Topology& topology, const FrozenLayers& frozen,
                       std::type_identity<float> number) const {
    static_cast<void>(topology);
    static_cast<void>(frozen);
    static_cast<void>(number);
    refuse_batches();
  }

 private:
  [[noreturn]] void refuse_batches() const {
    throw ParamError(
        "solver",
        std::string("must be l-bfgs or gd for backend ")
            .append(name())
            .append(
                ", which does not support mini-batches; use the CPU kernels"));
  }
};

}  // namespace mlp
